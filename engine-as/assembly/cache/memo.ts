/**
 * Memoized results of one search. They are in scratch memory: when this is released back to a mark, the results made since the mark
 * are removed too.
 */
import { alloc, allocZeroed, arenaMark, arenaReset } from '../runtime/arena';

/** Number of hash chains, a power of two. */
const HEADS: u32 = 256;

/** Returned by {@link memoFind} when there is no result. Never an address. */
export const UNKNOWN: usize = 1;

@unmanaged
class Entry {
  /** next Entry of its hash chain, and the Entry added before it */
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
  /** Entry added last */
  last: usize;
  /** end of the last memory from {@link memoKeep}, and how often it was called */
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

/** A result, or {@link UNKNOWN}. `owner`, `a` and `b` identify it among those of its kind. */
export function memoFind(memo: Memo, kind: u32, owner: usize, a: u32, b: u32): usize {
  let at: usize = load<u32>(headOf(memo, kind, owner, a, b));
  while (at !== 0) {
    const entry = changetype<Entry>(at);
    if (entry.kind === kind && entry.owner === owner && entry.a === a && entry.b === b) return entry.value;
    at = entry.next;
  }
  return UNKNOWN;
}

/** Adds a result that is not present yet, and returns it. */
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

/** Records the state of memory and results for {@link memoRelease}. */
export function memoMark(memo: Memo): Mark {
  const mark = changetype<Mark>(alloc(offsetof<Mark>()));
  moveMark(memo, mark);
  return mark;
}

/** Sets a mark to the current state. */
export function moveMark(memo: Memo, mark: Mark): void {
  mark.arena = arenaMark();
  mark.last = memo.last;
  mark.floors = memo.floors;
}

/** Releases memory and removes results that are newer than a mark. The mark can be used again. */
export function memoRelease(memo: Memo, mark: Mark): void {
  while (memo.last !== mark.last) {
    const entry = changetype<Entry>(memo.last);
    // The newest entry is the first of its chain.
    store<u32>(headOf(memo, entry.kind, entry.owner, entry.a, entry.b), <u32>entry.next);
    memo.last = entry.before;
  }
  arenaReset(mark.floors === memo.floors ? mark.arena : memo.floor);
}

/** Allocates memory that {@link memoRelease} does not free. Memory allocated before it is not freed either. */
export function memoKeep(memo: Memo, bytes: usize): usize {
  const at = alloc(bytes);
  memo.floor = arenaMark();
  memo.floors++;
  return at;
}
