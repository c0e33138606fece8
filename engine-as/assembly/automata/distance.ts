/**
 * Edit distances of a query to a word that is read code point by code point, as sets of places of the query: after each code point it is
 * known which beginnings of the query are at most 0, 1 and 2 edits away from what was read. Only beginnings about as long as that can be,
 * so a set is a few bits: bit `b` stands for the first `depth - budget + b` code points of the query.
 */
import { alloc } from '../runtime/arena';

/** More edits than are looked for. */
export const FAR: u32 = 100;
/** Code points that are compared at once reach so far before the query and beyond it, where 0xffffffff is none. */
const MARGIN: u32 = 8;

/** What is known at a depth: after so many code points. */
@unmanaged
export class Level {
  depth: u32;
  /** bytes of the word up to here */
  bytes: u32;
  /** places whose code point of the query, the last one before them, is the last one read */
  matches: u32;
  /** places within so many edits */
  zero: u32;
  one: u32;
  two: u32;
  /** distance of the whole query, FAR beyond the budget; and the least one at any depth so far */
  whole: u32;
  best: u32;
}

// of the word that is looked for
let query: usize = 0;
let queryLength: u32 = 0;
let budget: u32 = 0;

/** Room for the code points of a query, u32 each; `length`: at most so many. */
export function queryCreate(length: u32): usize {
  const bytes = (<usize>(length + 2 * MARGIN)) << 2;
  const room = alloc(bytes);
  memory.fill(room, 0xff, bytes);
  return room + ((<usize>MARGIN) << 2);
}

/** The level of no code points, with room for so many after it. `edits`: 1 or 2, those that are looked for. */
export function levelsOf(codePoints: usize, length: u32, edits: u32, depth: u32): Level {
  query = codePoints;
  queryLength = length;
  budget = edits;
  // the level before the first one is read, but says nothing
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

/** Places that the query has among those that are told at a depth. */
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

/** The level after one more code point, of so many bytes. No level may follow a dead one. */
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
  // the last two code points of the query and of the word, the other way round
  const swapped = (matches << 1) & (level.matches >>> 1);
  const zero = level.zero & matches;
  const one = ((level.one & matches) | level.zero | (level.zero >>> 1) | (zero << 1) | (before.zero & swapped)) & places;
  next.zero = zero;
  next.one = one;
  next.two =
    budget === 1 ? 0 : ((level.two & matches) | level.one | (level.one >>> 1) | (one << 1) | (before.one & swapped)) & places;
  next.whole = wholeAt(next);
  next.best = min<u32>(level.best, next.whole);
  return next;
}

/** No continuation of what was read can come within the budget. */
export function isDead(level: Level): bool {
  const before = levelBefore(level);
  return budget === 1 ? (level.one | before.zero) === 0 : (level.two | before.one) === 0;
}
