/** The lowest cost of containing a word of a run of terms, computed for all documents of a segment at once. */

import { BLOCK_ROOM, Posting, postingsHeads } from '../postings/decode';
import { alloc, allocZeroed, arenaMark, arenaReset } from '../runtime/arena';
import { keepCostSets, keepListed, NO_COST } from './cost-sets';
import { costsByPosition, POSITION_COSTS } from './position-costs';
import { firstWeight, headsToWeights, leastPositionCost, leastWeight } from './positions';
import { runPostings, Source, sourceBegin, sourceBlock } from './sources';

/** Documents whose costs are compared at once. */
const LANES: u32 = 16;

/** @returns u8 per local number: {@link NO_COST} for every document of a bitmap of `bytes` bytes */
function noCosts(bytes: u32): usize {
  const costs = alloc((<usize>bytes) << 3);
  memory.fill(costs, NO_COST, (<usize>bytes) << 3);
  return costs;
}

/** Caches the documents by cost, each below `limit`. Returns CostSets. */
function keepByCost(costs: usize, bytes: u32, limit: u32): usize {
  const bitmaps = allocZeroed(<usize>(bytes * limit));
  const none = i8x16.splat(<i8>NO_COST);
  for (let at: u32 = 0; at < bytes << 3; at += LANES) {
    const lanes = v128.load(costs + at);
    if (i8x16.all_true(i8x16.eq(lanes, none))) continue;
    let bitmap = bitmaps + (at >>> 3);
    for (let cost: u32 = 0; cost < limit; cost++) {
      store<u16>(bitmap, i8x16.bitmask(i8x16.eq(lanes, i8x16.splat(<i8>cost))));
      bitmap += bytes;
    }
  }
  return keepCostSets(bitmaps, bytes, limit);
}

/**
 * The documents of a source of one segment (base 0) by the least weight of an attribute that contains one of its words.
 * `weights`: u16 per field, all less than `limit`; `ascending`: they never decrease from field to field. Returns cached CostSets,
 * 0 when there is no room.
 */
export function weightSets(source: usize, bytes: u32, weights: usize, limit: u32, ascending: bool): usize {
  return costSets(source, bytes, limit, weights, ascending ? READ_FIRST_WEIGHT : READ_LEAST_WEIGHT, 0);
}

/**
 * What is computed from the positions of a posting: the least weight of its attributes, the weight of the first attribute, the
 * least cost of a position.
 */
const READ_LEAST_WEIGHT: u32 = 0;
const READ_FIRST_WEIGHT: u32 = 1;
const READ_POSITION: u32 = 2;

/** The cost of a posting, or `known` if that is less. */
function costOf(reading: u32, posting: Posting, table: usize, start: u32, known: u32): u32 {
  if (reading === READ_FIRST_WEIGHT) return min<u32>(known, firstWeight(posting.positions, table));
  if (reading === READ_POSITION) return leastPositionCost(posting.positions, posting.positionsLength, table, start, known);
  return leastWeight(posting.positions, posting.positionsLength, table, known);
}

/**
 * The documents of a source by the distance of the nearest occurrence from `start`, the position in the query of a node of one
 * word. Returns cached CostSets, 0 when there is no room.
 */
export function positionSets(source: usize, bytes: u32, start: u32): usize {
  const mark = arenaMark();
  const sets = costSets(source, bytes, POSITION_COSTS, costsByPosition(start), READ_POSITION, start);
  arenaReset(mark);
  return sets;
}

/** `table`: the weights, or the costs of positions. */
function costSets(sourcePointer: usize, bytes: u32, limit: u32, table: usize, reading: u32, start: u32): usize {
  const mark = arenaMark();
  const source = changetype<Source>(sourcePointer);
  const postings = runPostings(source.view, source.from, source.to);
  // If postings are few, their documents are listed as they are found; otherwise they are collected from the array at the end.
  const isListed = postings < bytes;
  if (isListed && source.to === source.from + 1) {
    const sets = setsOfTerm(source, postings, bytes, limit, table, reading, start);
    arenaReset(mark);
    return sets;
  }
  const costs = noCosts(bytes);
  const listed = isListed ? alloc((<usize>postings) << 2) : 0;
  let next = listed;
  const block = alloc(BLOCK_ROOM);
  sourceBegin(source);
  for (let count = sourceBlock(block); count > 0; count = sourceBlock(block)) {
    const end = block + <usize>count * offsetof<Posting>();
    for (let at = block; at < end; at += offsetof<Posting>()) {
      const posting = changetype<Posting>(at);
      const cost = costs + posting.doc;
      const known: u32 = load<u8>(cost);
      if (known === 0) continue;
      store<u8>(cost, costOf(reading, posting, table, start, known));
      if (!isListed || known !== NO_COST) continue;
      store<u32>(next, posting.doc);
      next += 4;
    }
  }
  const sets = isListed ? keepMet(listed, <u32>((next - listed) >> 2), costs, bytes, limit) : keepByCost(costs, bytes, limit);
  arenaReset(mark);
  return sets;
}

/** Caches the documents of a list by cost: u8 by document. */
function keepMet(listed: usize, count: u32, costs: usize, bytes: u32, limit: u32): usize {
  const own = alloc(count);
  for (let i: u32 = 0; i < count; i++) store<u8>(own + i, load<u8>(costs + load<u32>(listed + ((<usize>i) << 2))));
  return keepListed(listed, count, own, bytes, limit);
}

/** The sets of one term, whose postings have each document once. */
function setsOfTerm(source: Source, postings: u32, bytes: u32, limit: u32, table: usize, reading: u32, start: u32): usize {
  const documents = alloc((<usize>postings) << 2);
  const costs = alloc(postings);
  if (reading === READ_FIRST_WEIGHT) {
    postingsHeads(source.view, source.from, documents, costs);
    if (headsToWeights(costs, postings, table)) return keepListed(documents, postings, costs, bytes, limit);
  }
  const block = alloc(BLOCK_ROOM);
  let place: u32 = 0;
  sourceBegin(source);
  for (let count = sourceBlock(block); count > 0; count = sourceBlock(block)) {
    const end = block + <usize>count * offsetof<Posting>();
    for (let at = block; at < end; at += offsetof<Posting>()) {
      const posting = changetype<Posting>(at);
      store<u32>(documents + ((<usize>place) << 2), posting.doc);
      store<u8>(costs + place, costOf(reading, posting, table, start, NO_COST));
      place++;
    }
  }
  return keepListed(documents, place, costs, bytes, limit);
}
