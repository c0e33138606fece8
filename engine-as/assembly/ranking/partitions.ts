/**
 * What it costs documents, at best, to hold a word of a run of terms, or two words near each other, worked out for all documents
 * of a segment at once.
 */

import { BLOCK_ROOM, Posting, postingsBegin, postingsBlock } from '../postings/decode';
import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import { bitmapAdd, bitmapAnd, bitmapCount } from '../sets/bitmap';
import { bucketIndex, NEAR_COSTS, nearest, POSITION_COSTS, positionCosts } from './components';
import { Context, contextCreate } from './context';
import { keepCostSets } from './cost-sets';
import { Occurrences, occurrencesOf } from './occurrences';
import { decodeCodes, groupAttribute, groupsBegin, groupsNext } from './positions';
import { documentsOfSource, Source } from './sources';

/** In the costs of documents that hold no word. */
const NO_COST: u8 = 0xff;
/** Documents whose costs are compared at once. */
const LANES: u32 = 16;

/** `costs` empty bitmaps, one after the other. */
function emptyBitmaps(bytes: u32, costs: u32): usize {
  const bitmaps = alloc(<usize>(bytes * costs));
  memory.fill(bitmaps, 0, <usize>(bytes * costs));
  return bitmaps;
}

/** {@link NO_COST} for every document of bitmaps of so many bytes: u8 by local number. */
function noCosts(bytes: u32): usize {
  const costs = alloc((<usize>bytes) << 3);
  memory.fill(costs, NO_COST, (<usize>bytes) << 3);
  return costs;
}

/** Keeps the documents by cost, each below `limit`. Answers CostSets. */
function keepByCost(costs: usize, bytes: u32, limit: u32): usize {
  const bitmaps = alloc(<usize>(bytes * limit));
  for (let cost: u32 = 0; cost < limit; cost++) {
    const bitmap = bitmaps + <usize>(cost * bytes);
    const wanted = i8x16.splat(<i8>cost);
    for (let at: u32 = 0; at < bytes << 3; at += LANES) {
      store<u16>(bitmap + (at >>> 3), i8x16.bitmask(i8x16.eq(v128.load(costs + at), wanted)));
    }
  }
  return keepCostSets(bitmaps, bytes, limit);
}

/**
 * Documents of a source of one segment (base 0) by the best weight of an attribute that holds one of its words. `weights`: u16 a
 * field, all below `limit`. Answers CostSets in persistent memory, 0 when there is no room.
 */
export function weightSets(source: usize, bytes: u32, weights: usize, limit: u32): usize {
  return costSets(source, bytes, limit, weights, false);
}

/**
 * The same by how far the nearest occurrence is from the place of the node in the query, which starts at `start` and counts one
 * word.
 */
export function positionSets(source: usize, bytes: u32, start: u32): usize {
  const mark = arenaMark();
  const sets = costSets(source, bytes, POSITION_COSTS, positionCosts(start, 1), true);
  arenaReset(mark);
  return sets;
}

/** `table`: u16 costs of the buckets of positions, or of fields. */
function costSets(sourcePointer: usize, bytes: u32, limit: u32, table: usize, byPosition: bool): usize {
  const mark = arenaMark();
  const source = changetype<Source>(sourcePointer);
  const costs = noCosts(bytes);
  const block = alloc(BLOCK_ROOM);
  for (let term = source.from; term < source.to; term++) {
    postingsBegin(source.view, term);
    for (let count = postingsBlock(block); count > 0; count = postingsBlock(block)) {
      const end = block + <usize>count * offsetof<Posting>();
      for (let at = block; at < end; at += offsetof<Posting>()) {
        const posting = changetype<Posting>(at);
        const cost = costs + posting.doc;
        const known: u32 = load<u8>(cost);
        if (known === 0) continue;
        store<u8>(cost, byPosition ? bestPosition(posting, table, known) : bestWeight(posting, table, known));
      }
    }
  }
  const sets = keepByCost(costs, bytes, limit);
  arenaReset(mark);
  return sets;
}

/** The least of a cost that is known and those of the attributes of a posting. */
function bestWeight(posting: Posting, weights: usize, known: u32): u32 {
  let best = known;
  groupsBegin(posting.positions, posting.positionsLength);
  while (best > 0 && groupsNext()) best = min<u32>(best, load<u16>(weights + ((<usize>groupAttribute()) << 1)));
  return best;
}

/** The least of a cost that is known and those of the occurrences of a posting. */
function bestPosition(posting: Posting, byBucket: usize, known: u32): u32 {
  const mark = arenaMark();
  const codes = alloc((<usize>posting.positionsLength) << 2);
  const end = decodeCodes(posting.positions, posting.positionsLength, codes);
  let best = known;
  for (let code = codes; code < end; code += 4) {
    best = min<u32>(best, load<u16>(byBucket + ((<usize>bucketIndex(load<u32>(code) & 0xffff)) << 1)));
  }
  arenaReset(mark);
  return best;
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
