/**
 * What a search works out when it is first asked for, by what it is of. Results are released with the scratch that was reserved after
 * a mark: those that were made since are forgotten.
 */
import { alloc, allocZeroed, arenaMark, arenaReset } from '../runtime/arena';

/** A power of two. */
const HEADS: u32 = 256;

/** Answer of {@link memoFind}: nothing was worked out yet. Never an address. */
export const UNKNOWN: usize = 1;

@unmanaged
class Entry {
  /** the next one of its chain, and the one that was made before it: Entry */
  next: usize;
  before: usize;
  kind: u32;
  owner: usize;
  a: u32;
  b: u32;
  value: usize;
}

@unmanaged
export class Memo {
  /** usize[HEADS] */
  heads: usize;
  /** Entry that was made last */
  last: usize;
  /** where scratch stood after the memory that was last kept, and how often some was */
  floor: usize;
  floors: u32;
}

/** A state of the scratch memory and of the results in it. */
@unmanaged
export class Mark {
  arena: usize;
  last: usize;
  floors: u32;
}

export function memoCreate(): Memo {
  const memo = changetype<Memo>(alloc(offsetof<Memo>()));
  memo.heads = allocZeroed((<usize>HEADS) << 2);
  memo.last = 0;
  memo.floor = 0;
  memo.floors = 0;
  return memo;
}

function headOf(memo: Memo, kind: u32, owner: usize, a: u32, b: u32): usize {
  const mixed = (((kind * 31 + <u32>owner) * 31 + a) * 31 + b) * 0x9e3779b1;
  return memo.heads + ((<usize>(mixed >>> 24) & (HEADS - 1)) << 2);
}

/** A result, {@link UNKNOWN} when there is none. `owner`, `a` and `b` tell those of a kind apart. */
export function memoFind(memo: Memo, kind: u32, owner: usize, a: u32, b: u32): usize {
  let at: usize = load<u32>(headOf(memo, kind, owner, a, b));
  while (at !== 0) {
    const entry = changetype<Entry>(at);
    if (entry.kind === kind && entry.owner === owner && entry.a === a && entry.b === b) return entry.value;
    at = entry.next;
  }
  return UNKNOWN;
}

/** Adds a result that was not known, and answers it. */
export function memoAdd(memo: Memo, kind: u32, owner: usize, a: u32, b: u32, value: usize): usize {
  const entry = changetype<Entry>(alloc(offsetof<Entry>()));
  const head = headOf(memo, kind, owner, a, b);
  entry.next = load<u32>(head);
  entry.before = memo.last;
  entry.kind = kind;
  entry.owner = owner;
  entry.a = a;
  entry.b = b;
  entry.value = value;
  store<u32>(head, <u32>changetype<usize>(entry));
  memo.last = changetype<usize>(entry);
  return value;
}

/** Where memory and results stand: for {@link memoRelease}. */
export function memoMark(memo: Memo): Mark {
  const mark = changetype<Mark>(alloc(offsetof<Mark>()));
  moveMark(memo, mark);
  return mark;
}

/** Moves a mark to where memory and results stand now. */
export function moveMark(memo: Memo, mark: Mark): void {
  mark.arena = arenaMark();
  mark.last = memo.last;
  mark.floors = memo.floors;
}

/** Releases what was reserved since a mark and forgets the results that were made since; the mark may be used again. */
export function memoRelease(memo: Memo, mark: Mark): void {
  while (memo.last !== mark.last) {
    const entry = changetype<Entry>(memo.last);
    // the youngest of all is the first of its chain
    store<u32>(headOf(memo, entry.kind, entry.owner, entry.a, entry.b), <u32>entry.next);
    memo.last = entry.before;
  }
  arenaReset(mark.floors === memo.floors ? mark.arena : memo.floor);
}

/** Reserves memory that no release frees: what was reserved before it stays too. */
export function memoKeep(memo: Memo, bytes: usize): usize {
  const at = alloc(bytes);
  memo.floor = arenaMark();
  memo.floors++;
  return at;
}
