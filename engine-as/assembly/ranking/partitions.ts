/**
 * What it costs documents, at best, to hold a word of a run of terms, or two words near each other, worked out for all documents
 * of a segment at once.
 */

import { postingsBegin, postingsDoc, postingsNext, postingsPositions, postingsPositionsLength } from '../postings/decode';
import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import { bitmapAdd, bitmapAnd, bitmapCount } from '../sets/bitmap';
import { bucketIndex, NEAR_COSTS, nearest, POSITION_COSTS, positionCosts } from './components';
import { Context, contextCreate, contextIndex, Occurrences, occurrencesOf } from './context';
import { keepCostSets } from './cost-sets';
import { decodeCodes, groupAttribute, groupsBegin, groupsNext } from './positions';
import { documentsOfSource, Source } from './sources';

/** In the costs of documents that hold no word. */
const NO_COST: u8 = 0xff;

/** `costs` empty bitmaps, one after the other. */
function emptyBitmaps(bytes: u32, costs: u32): usize {
  const bitmaps = alloc(<usize>(bytes * costs));
  memory.fill(bitmaps, 0, <usize>(bytes * costs));
  return bitmaps;
}

/** Keeps the documents of a context by cost; `costs`: u8[count], each below `limit`. Answers CostSets. */
function keepByCost(context: Context, costs: usize, limit: u32): usize {
  const bitmaps = emptyBitmaps(context.bytes, limit);
  for (let i: u32 = 0; i < context.count; i++) {
    const cost: u32 = load<u8>(costs + i);
    bitmapAdd(bitmaps + <usize>(cost * context.bytes), load<u32>(context.slots + ((<usize>i) << 2)));
  }
  return keepCostSets(bitmaps, context.bytes, limit);
}

/** The documents of a source of one segment (base 0). */
function contextOf(sourcePointer: usize, bytes: u32): Context {
  const documents = documentsOfSource(sourcePointer, bytes);
  return changetype<Context>(contextCreate(documents, bytes, bitmapCount(documents, bytes)));
}

function noCosts(count: u32): usize {
  const costs = alloc(<usize>count);
  memory.fill(costs, NO_COST, <usize>count);
  return costs;
}

/**
 * Documents of a source of one segment (base 0) by the best weight of an attribute that holds one of its words. `weights`: u16 a
 * field, all below `limit`. Answers CostSets in persistent memory, 0 when there is no room.
 */
export function weightSets(sourcePointer: usize, bytes: u32, weights: usize, limit: u32): usize {
  const mark = arenaMark();
  const source = changetype<Source>(sourcePointer);
  const context = contextOf(sourcePointer, bytes);
  const best = noCosts(context.count);
  for (let term = source.from; term < source.to; term++) {
    postingsBegin(source.view, term);
    while (postingsNext()) {
      const at = best + contextIndex(context, postingsDoc());
      const weight = bestWeight(postingsPositions(), postingsPositionsLength(), weights);
      if (weight < load<u8>(at)) store<u8>(at, weight);
    }
  }
  const sets = keepByCost(context, best, limit);
  arenaReset(mark);
  return sets;
}

function bestWeight(positions: usize, length: u32, weights: usize): u8 {
  let best: u32 = NO_COST;
  groupsBegin(positions, length);
  while (best > 0 && groupsNext()) best = min<u32>(best, load<u16>(weights + ((<usize>groupAttribute()) << 1)));
  return <u8>best;
}

/**
 * The same by how far the nearest occurrence is from the place of the node in the query, which starts at `start` and counts one
 * word.
 */
export function positionSets(sourcePointer: usize, bytes: u32, start: u32): usize {
  const mark = arenaMark();
  const source = changetype<Source>(sourcePointer);
  const context = contextOf(sourcePointer, bytes);
  const best = noCosts(context.count);
  const byBucket = positionCosts(start, 1);
  for (let term = source.from; term < source.to; term++) {
    const termMark = arenaMark();
    let codes: usize = 0;
    let room: u32 = 0;
    postingsBegin(source.view, term);
    while (postingsNext()) {
      const length = postingsPositionsLength();
      if (length > room) {
        room = length << 1;
        codes = alloc((<usize>room) << 2);
      }
      const end = decodeCodes(postingsPositions(), length, codes);
      const at = best + contextIndex(context, postingsDoc());
      let cost: u32 = load<u8>(at);
      for (let code = codes; code < end; code += 4) {
        cost = min<u32>(cost, load<u16>(byBucket + ((<usize>bucketIndex(load<u32>(code) & 0xffff)) << 1)));
      }
      store<u8>(at, <u8>cost);
    }
    arenaReset(termMark);
  }
  const sets = keepByCost(context, best, POSITION_COSTS);
  arenaReset(mark);
  return sets;
}

/**
 * Documents where the nearest words of two sources of one segment (base 0) stand near each other: CostSets of the costs 0, 1 and 2.
 * `backward`: a right word may also stand before a left one.
 */
export function pairSets(left: usize, right: usize, bytes: u32, backward: bool): usize {
  const mark = arenaMark();
  const bitmaps = emptyBitmaps(bytes, NEAR_COSTS);
  const both = documentsOfSource(left, bytes);
  bitmapAnd(both, documentsOfSource(right, bytes), bytes);
  const context = changetype<Context>(contextCreate(both, bytes, bitmapCount(both, bytes)));
  const leftWords = changetype<Occurrences>(occurrencesOf(changetype<usize>(context), left, 1));
  const rightWords = changetype<Occurrences>(occurrencesOf(changetype<usize>(context), right, 1));
  for (let i: u32 = 0; i < context.count; i++) {
    let cost = nearest(leftWords, rightWords, i) - 1;
    if (backward && cost > 1) cost = min<u32>(cost, nearest(rightWords, leftWords, i));
    if (cost < NEAR_COSTS) bitmapAdd(bitmaps + <usize>(cost * bytes), load<u32>(context.slots + ((<usize>i) << 2)));
  }
  const sets = keepCostSets(bitmaps, bytes, NEAR_COSTS);
  arenaReset(mark);
  return sets;
}
