/** Compares the words of one side of a pair, as their postings are read, with the occurrences of the other side. */
import { alloc } from '../runtime/arena';
import { Context } from './context';
import { NO_COST } from './cost-sets';
import { Occurrences } from './occurrences';
import { decodeCodes } from './positions';
import { Source } from './sources';
import { findPostings, postingsOf, TermPostings, termPostingsCreate } from './term-postings';

/** Number of neighbouring codes on each side with which a code is compared. */
const REACH: u32 = 3;
const WINDOW: u32 = 2 * REACH + 1;
const ATTRIBUTE_SHIFT: u32 = 16;
/** Codes that are compared at once, and their bytes. */
const LANE_BYTES: usize = 16;
const FIRST_ROOM: u32 = 1024;

@unmanaged
export class NearWords {
  context: Context;
  /** u8 by document of the context: the least cost of a pair so far, NO_COST without a pair */
  costs: usize;
  /** reads postings; u32[room]: the codes of one of them */
  postings: TermPostings;
  codes: usize;
  room: u32;
}

export function nearWordsCreate(context: Context): NearWords {
  const near = changetype<NearWords>(alloc(offsetof<NearWords>()));
  near.context = context;
  near.costs = alloc(<usize>context.count + LANE_BYTES);
  memory.fill(near.costs, NO_COST, context.count);
  near.postings = termPostingsCreate(context);
  near.room = 0;
  return near;
}

/** Costs of pairs: u8[WINDOW], by the place of the left word in the window around the right one; all NO_COST. */
export function newWindowCosts(): usize {
  const windowCosts = alloc(WINDOW);
  memory.fill(windowCosts, NO_COST, WINDOW);
  return windowCosts;
}

/** Sets the cost of pairs whose right word follows the left one at `distance` words, at most {@link REACH}. */
export function setWindowCost(windowCosts: usize, distance: u32, cost: u32): void {
  store<u8>(windowCosts + (REACH - distance), cost);
}

/** The same for pairs whose right word precedes the left one. */
export function setWindowCostBackward(windowCosts: usize, distance: u32, cost: u32): void {
  store<u8>(windowCosts + (REACH + distance), cost);
}

/** The same costs by the place of the right word in the window around the left one. */
export function reversedWindowCosts(windowCosts: usize): usize {
  const reversed = alloc(WINDOW);
  for (let place: u32 = 0; place < WINDOW; place++) store<u8>(reversed + place, load<u8>(windowCosts + (WINDOW - 1 - place)));
  return reversed;
}

/** Makes room for the codes of positions, which take at least a byte each, and for a vector that is read past them. */
export function codesRoom(near: NearWords, length: u32): usize {
  if (length > near.room) {
    near.room = max<u32>(FIRST_ROOM, 2 * length);
    near.codes = alloc(((<usize>near.room) << 2) + LANE_BYTES);
  }
  return near.codes;
}

/** The least cost of any pair. */
function leastOf(windowCosts: usize): u32 {
  let least: u32 = NO_COST;
  for (let place: u32 = 0; place < WINDOW; place++) least = min<u32>(least, load<u8>(windowCosts + place));
  return least;
}

/** Lowers the costs by the pairs of an indexed word and one of a source. `windowCosts`: as if the indexed word was the left one. */
export function streamSource(near: NearWords, indexed: Occurrences, source: Source, windowCosts: usize): void {
  const least = leastOf(windowCosts);
  const found = near.postings;
  postingsOf(source, found);
  for (let term = source.from; term < source.to; term++) {
    findPostings(term, found);
    for (let at: usize = 0; at < (<usize>found.count) << 2; at += 4) {
      const index = load<u32>(found.indices + at);
      if (load<u8>(near.costs + index) <= least) continue;
      const length = load<u32>(found.lengths + at);
      const codes = codesRoom(near, length);
      compareCodes(near, indexed, index, codes, decodeCodes(load<u32>(found.positions + at), length, codes), windowCosts);
    }
  }
}

/** Lowers the cost of a document of the context by its pairs of an indexed word and one of the codes [codes, end). */
export function compareCodes(
  near: NearWords,
  indexed: Occurrences,
  index: u32,
  codes: usize,
  end: usize,
  windowCosts: usize,
): void {
  const starts = indexed.starts + ((<usize>index) << 2);
  const last = indexed.codes + ((<usize>load<u32>(starts, 4)) << 2);
  for (let at = indexed.codes + ((<usize>load<u32>(starts)) << 2); at < last; at += 4) {
    const own = load<u32>(at);
    const low = i32x4.splat(own - REACH);
    for (let place = codes; place < end; place += LANE_BYTES) {
      const areNear = i32x4.lt_u(i32x4.sub(v128.load(place), low), i32x4.splat(WINDOW));
      if (!v128.any_true(areNear)) continue;
      let lanes = i32x4.bitmask(areNear);
      if (end - place < LANE_BYTES) lanes &= (1 << (<u32>(end - place) >> 2)) - 1;
      for (; lanes !== 0; lanes &= lanes - 1) {
        const other = load<u32>(place + (ctz<u32>(lanes) << 2));
        if (other >>> ATTRIBUTE_SHIFT !== own >>> ATTRIBUTE_SHIFT) continue;
        const cost: u32 = load<u8>(windowCosts + (own - other + REACH));
        if (cost < <u32>load<u8>(near.costs + index)) store<u8>(near.costs + index, cost);
      }
    }
  }
}
