/**
 * Edit distances between a query and a word that is read code point by code point, as bit sets (bit-parallel simulation of a
 * Levenshtein automaton). After each code point the sets have the prefixes of the query that are within 0, 1 and 2 edits of what was
 * read. Only prefixes of about the same length can be, so a set has few bits: bit `b` represents the first `depth - budget + b`
 * code points of the query.
 */
import { alloc } from '../runtime/arena';
import { byteSetAdd } from './branches';

/** A distance beyond the budget. */
export const FAR: u32 = 100;
/**
 * Code points of padding (0xffffffff, which equals no code point) before and after the query, so that a whole set is compared at
 * once.
 */
const MARGIN: u32 = 8;

/** The state after a number of code points. */
@unmanaged
export class Level {
  depth: u32;
  /** bytes of the word so far */
  bytes: u32;
  /** prefixes whose last code point equals the last one read */
  matches: u32;
  /** prefixes within 0 edits; below within 1 and 2 */
  zero: u32;
  one: u32;
  two: u32;
  /** distance of the whole query, FAR beyond the budget; and the smallest one at any depth so far */
  whole: u32;
  best: u32;
  /** how mismatches are skipped after these code points: SKIP_ of typos.ts, 0: not known yet; and the sets of bytes for it (branches.ts) */
  skip: u32;
  wanted: u64;
  wantedRest: u64;
  near: u64;
  nearRest: u64;
}

/** Address of the set of bytes {@link Level.wanted}. */
export function wantedSet(level: Level): usize {
  return changetype<usize>(level) + offsetof<Level>('wanted');
}

/** Address of the set of bytes {@link Level.near}. */
export function nearSet(level: Level): usize {
  return changetype<usize>(level) + offsetof<Level>('near');
}

// Of the query.
let query: usize = 0;
let queryLength: u32 = 0;
let budget: u32 = 0;

/** Reserves memory for at most `length` code points of a query, u32 each, between margins. */
export function queryCreate(length: u32): usize {
  const bytes = (<usize>(length + 2 * MARGIN)) << 2;
  const room = alloc(bytes);
  memory.fill(room, 0xff, bytes);
  return room + ((<usize>MARGIN) << 2);
}

/** The level before any code point of a word, with memory for `depth` levels after it. `edits`: the budget, 1 or 2. */
export function levelsOf(codePoints: usize, length: u32, edits: u32, depth: u32): Level {
  query = codePoints;
  queryLength = length;
  budget = edits;
  // The level before the first one is read, but its sets are empty.
  const levels = alloc(<usize>(depth + 3) * offsetof<Level>()) + offsetof<Level>();
  const first = changetype<Level>(levels);
  memory.fill(levels - offsetof<Level>(), 0, 2 * offsetof<Level>());
  const places = placesAt(0);
  first.zero = 1 << edits;
  first.one = (first.zero | (first.zero << 1)) & places;
  first.two = (first.one | (first.one << 1)) & places;
  first.whole = wholeAt(first);
  first.best = first.whole;
  return first;
}

/** The bits in use at a depth: prefixes that exist in the query. */
function placesAt(depth: u32): u32 {
  const places = min<i32>(<i32>(queryLength + budget - depth), <i32>(2 * budget)) + 1;
  return places > 0 ? (1 << places) - 1 : 0;
}

function wholeAt(level: Level): u32 {
  const place = <i32>(queryLength + budget - level.depth);
  if (place < 0 || place > <i32>(2 * budget)) return FAR;
  if ((level.zero >>> place) & 1) return 0;
  if ((level.one >>> place) & 1) return 1;
  return budget === 2 && (level.two >>> place) & 1 ? 2 : FAR;
}

export function levelBefore(level: Level): Level {
  return changetype<Level>(changetype<usize>(level) - offsetof<Level>());
}

/** The level after one more code point of `bytes` bytes. The level before must not be dead. */
export function levelAfter(level: Level, char: u32, bytes: u32): Level {
  const next = changetype<Level>(changetype<usize>(level) + offsetof<Level>());
  const before = levelBefore(level);
  const depth = level.depth + 1;
  next.depth = depth;
  next.bytes = level.bytes + bytes;
  const wanted = i32x4.splat(char);
  const at = query + ((<usize>(depth - budget)) << 2) - 4;
  const matches = i32x4.bitmask(i32x4.eq(v128.load(at), wanted)) | (i32x4.bitmask(i32x4.eq(v128.load(at, 16), wanted)) << 4);
  next.matches = matches;
  const places = placesAt(depth);
  // The last two code points of the query and of the word, transposed.
  const swapped = (matches << 1) & (level.matches >>> 1);
  const zero = level.zero & matches;
  const one = ((level.one & matches) | level.zero | (level.zero >>> 1) | (zero << 1) | (before.zero & swapped)) & places;
  next.zero = zero;
  next.one = one;
  next.two =
    budget === 1 ? 0 : ((level.two & matches) | level.one | (level.one >>> 1) | (one << 1) | (before.one & swapped)) & places;
  next.whole = wholeAt(next);
  next.best = min<u32>(level.best, next.whole);
  next.skip = 0;
  return next;
}

/** Whether no continuation of what was read can be within the budget. */
export function isDead(level: Level): bool {
  const before = levelBefore(level);
  return budget === 1 ? (level.one | before.zero) === 0 : (level.two | before.one) === 0;
}

/** Whether no edit is left, so that only some code points can follow. The level must not be dead. */
export function hasNoEditLeft(level: Level): bool {
  return budget === 1 ? level.zero === 0 : level.one === 0;
}

/** Whether exactly one edit is left, so that none is left after a code point that the query does not have near there. */
export function hasOneLeft(level: Level): bool {
  return budget === 1 ? level.zero !== 0 : level.zero === 0 && level.one !== 0;
}

/** The level after a code point that the query does not have near there. */
export function levelAfterOther(level: Level): Level {
  return levelAfter(level, OTHER, 1);
}

/** Equals no code point of a query, nor the padding. */
const OTHER: u32 = 0xfffffffe;

/** Address of the code points that a level's successor may match. */
function nextPlaces(level: Level): usize {
  return query + ((<usize>(level.depth - budget)) << 2);
}

/**
 * Adds the code points that can follow a spent level to a set of bytes (see `branches.ts`): those that prefixes of the query continue with.
 * What completes a transposition is among them, as it also follows an insertion.
 */
export function addWanted(level: Level, bytes: usize): void {
  for (let places: u32 = budget === 1 ? level.one : level.two; places !== 0; places &= places - 1) {
    byteSetAdd(bytes, load<u32>(nextPlaces(level) + ((<usize>ctz<u32>(places)) << 2)));
  }
}

/** Adds all code points of the query near a level: another one leads to {@link levelAfterOther}. */
export function addNear(level: Level, bytes: usize): void {
  // A transposition begins with a code point one place further.
  for (let place: u32 = 0; place <= 2 * budget + 1; place++) {
    byteSetAdd(bytes, load<u32>(nextPlaces(level) + ((<usize>place) << 2)));
  }
}
