/** The lowest cost of containing a word of a run of terms, computed for all documents of a segment at once. */

import { Block, blockCreate } from '../postings/block';
import { alloc, allocZeroed, arenaMark, arenaReset } from '../runtime/arena';
import { BLOCK_DOCS } from '../segment/layout';
import { COSTS_SPARE, NO_COST, setsOfBitmaps, setsOfListed } from './cost-sets';
import { costsByPosition, POSITION_COSTS } from './position-costs';
import { firstWeight, leastPositionCost, leastWeight } from './positions';
import { runPostings, Source, sourceBegin, sourceBlock } from './sources';

/** Documents whose costs are compared at once. */
const LANES: u32 = 16;

/** @returns u8 per local number: {@link NO_COST} for every document of a bitmap of `bytes` bytes */
function noCosts(bytes: u32): usize {
  const costs = alloc((<usize>bytes) << 3);
  memory.fill(costs, NO_COST, (<usize>bytes) << 3);
  return costs;
}

/** Makes the sets of an array of costs, each below `limit`. */
function setsOfCosts(costs: usize, bytes: u32, limit: u32, room: usize): usize {
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
  return setsOfBitmaps(bitmaps, bytes, limit, room);
}

/**
 * The documents of a source of one segment (base 0) by the least weight of an attribute that contains one of its words.
 * `weights`: u16 per field, less than `limit`, or at least {@link NO_COST} for attributes that do not count; `ascending`: they never
 * decrease from field to field; `room`: see {@link setsOfBitmaps}. Returns CostSets, 0 when there is no room.
 */
export function weightSets(source: usize, bytes: u32, weights: usize, limit: u32, ascending: bool, room: usize): usize {
  return costSets(source, bytes, limit, weights, ascending ? READ_FIRST_WEIGHT : READ_LEAST_WEIGHT, 0, room);
}

/**
 * What is computed from the positions of a posting: the least weight of its attributes, the weight of the first attribute, the
 * least cost of a position.
 */
const READ_LEAST_WEIGHT: u32 = 0;
const READ_FIRST_WEIGHT: u32 = 1;
const READ_POSITION: u32 = 2;

/** Writes the cost of each posting of a block: u8[count]. `table`: the weights, or the costs of positions. */
function costsOfBlock(reading: u32, block: Block, table: usize, start: u32, out: usize): void {
  const end = out + block.count;
  let at = block.positions;
  let lengths = block.lengths;
  for (let to = out; to < end; to++) {
    const positions: usize = load<u32>(at);
    let cost: u32;
    if (reading === READ_FIRST_WEIGHT) cost = firstWeight(positions, table);
    else if (reading === READ_POSITION) cost = positionCost(positions, load<u32>(lengths), table, start);
    else cost = leastWeight(positions, load<u32>(lengths), table, NO_COST);
    store<u8>(to, cost);
    at += 4;
    lengths += 4;
  }
}

/** Bits of the first byte of a posting: number of positions in the first attribute, 0 when there are more. */
const SHORT_COUNT: u32 = 7;

/** The least cost of the positions of a posting. Most have one attribute, with positions of a byte each. */
function positionCost(positions: usize, length: u32, table: usize, start: u32): u32 {
  const count: u32 = load<u8>(positions) & SHORT_COUNT;
  // Positions ascend, and costs with them from the start on.
  const isFirst = length === count + 1 && (start === 0 || count === 1);
  return isFirst ? load<u8>(table + load<u8>(positions, 1)) : leastPositionCost(positions, length, table, start, NO_COST);
}

/**
 * The documents of a source by the distance of the nearest occurrence from `start`, the position in the query of a node of one
 * word. `room`: see {@link setsOfBitmaps}. Returns CostSets, 0 when there is no room.
 */
export function positionSets(source: usize, bytes: u32, start: u32, room: usize): usize {
  const mark = arenaMark();
  const sets = costSets(source, bytes, POSITION_COSTS, costsByPosition(start), READ_POSITION, start, room);
  arenaReset(mark);
  return sets;
}

/** `table`: the weights, or the costs of positions. */
function costSets(sourcePointer: usize, bytes: u32, limit: u32, table: usize, reading: u32, start: u32, room: usize): usize {
  const mark = arenaMark();
  const source = changetype<Source>(sourcePointer);
  const postings = runPostings(source.view, source.from, source.to);
  // If postings are few, their documents are listed as they are found; otherwise they are collected from an array by document.
  const isListed = postings < bytes;
  const sets =
    isListed && source.to === source.from + 1
      ? setsOfTerm(source, postings, bytes, limit, table, reading, start, room)
      : setsOfTerms(source, isListed ? postings : 0, bytes, limit, table, reading, start, room);
  arenaReset(mark);
  return sets;
}

/** The sets of several terms, which may have documents in common. `most`: number of documents to list at most; 0: none are listed. */
function setsOfTerms(
  source: Source,
  most: u32,
  bytes: u32,
  limit: u32,
  table: usize,
  reading: u32,
  start: u32,
  room: usize,
): usize {
  const costs = noCosts(bytes);
  const listed = alloc((<usize>most) << 2);
  let next = listed;
  const block = blockCreate();
  const own = alloc(BLOCK_DOCS);
  sourceBegin(source);
  while (sourceBlock(block) > 0) {
    costsOfBlock(reading, block, table, start, own);
    const docs = block.docs;
    for (let place: u32 = 0; place < block.count; place++) {
      const doc = load<u32>(docs + ((<usize>place) << 2));
      const known: u32 = load<u8>(costs + doc);
      const cost: u32 = load<u8>(own + place);
      store<u8>(costs + doc, min<u32>(known, cost));
      if (most === 0 || known !== NO_COST || cost === NO_COST) continue;
      store<u32>(next, doc);
      next += 4;
    }
  }
  return most > 0
    ? setsOfDocuments(listed, <u32>((next - listed) >> 2), costs, bytes, limit, room)
    : setsOfCosts(costs, bytes, limit, room);
}

/** Makes the sets of the documents of a list. `costs`: u8 by document. */
function setsOfDocuments(listed: usize, count: u32, costs: usize, bytes: u32, limit: u32, room: usize): usize {
  const own = alloc(<usize>count + COSTS_SPARE);
  for (let i: u32 = 0; i < count; i++) store<u8>(own + i, load<u8>(costs + load<u32>(listed + ((<usize>i) << 2))));
  return setsOfListed(listed, count, own, bytes, limit, room);
}

/** The sets of one term, whose postings have each document once. */
function setsOfTerm(
  source: Source,
  postings: u32,
  bytes: u32,
  limit: u32,
  table: usize,
  reading: u32,
  start: u32,
  room: usize,
): usize {
  const documents = alloc((<usize>postings) << 2);
  const costs = alloc(<usize>postings + COSTS_SPARE);
  const block = blockCreate();
  let first: u32 = 0;
  sourceBegin(source);
  while (sourceBlock(block) > 0) {
    memory.copy(documents + ((<usize>first) << 2), block.docs, (<usize>block.count) << 2);
    costsOfBlock(reading, block, table, start, costs + first);
    first += block.count;
  }
  return setsOfListed(documents, postings, costs, bytes, limit, room);
}
