/**
 * What it costs documents, at best, to hold a word of a run of terms, or two words near each other: worked out once for all
 * documents of a segment and kept, in few bytes a document, from query to query.
 */

import { postingsBegin, postingsDoc, postingsNext, postingsPositions, postingsPositionsLength } from '../postings/decode';
import { alloc, allocPersistent, arenaMark, arenaReset } from '../runtime/arena';
import { bitmapAdd, bitmapAnd, bitmapCount, bitmapOr } from '../sets/bitmap';
import { bucketIndex, NEAR_COSTS, nearest, positionCosts } from './components';
import { Context, contextCreate, contextIndex, Occurrences, occurrencesOf } from './context';
import { decodeCodes } from './positions';
import { documentsOfSource, Source } from './sources';

/** Costs of the documents of a run: bytes in the order of their local numbers. */
@unmanaged
class RunCosts {
  /** of local numbers */
  bitmap: usize;
  bytes: u32;
  count: u32;
  /** u8[count]: best weight of an attribute */
  weights: usize;
  /** u8[count]: cost of the nearest occurrence to the start of the node, 0 to 10 */
  positions: usize;
}

/**
 * Works out the costs of a source of one segment (base 0). `weights`: u16 a field; `start`: of the node in the query. Answers the
 * address of RunCosts in persistent memory, 0 when there is no room.
 */
export function runCosts(sourcePointer: usize, bytes: u32, weights: usize, start: u32): usize {
  const mark = arenaMark();
  const source = changetype<Source>(sourcePointer);
  const documents = documentsOfSource(sourcePointer, bytes);
  const context = changetype<Context>(contextCreate(documents, bytes, bitmapCount(documents, bytes)));
  const at = allocPersistent(offsetof<RunCosts>() + 16 + bytes + ((<usize>context.count) << 1));
  if (at !== 0) {
    const costs = changetype<RunCosts>(at);
    costs.bytes = bytes;
    costs.count = context.count;
    costs.bitmap = (at + offsetof<RunCosts>() + 15) & ~(<usize>15);
    costs.weights = costs.bitmap + bytes;
    costs.positions = costs.weights + context.count;
    memory.copy(costs.bitmap, documents, bytes);
    memory.fill(costs.weights, 0xff, (<usize>context.count) << 1);
    for (let term = source.from; term < source.to; term++)
      addTerm(costs, context, source.view, term, weights, positionCosts(start, 1));
  }
  arenaReset(mark);
  return at;
}

function addTerm(costs: RunCosts, context: Context, view: usize, term: u32, weights: usize, byBucket: usize): void {
  const mark = arenaMark();
  let codes: usize = 0;
  let room: u32 = 0;
  postingsBegin(view, term);
  while (postingsNext()) {
    const length = postingsPositionsLength();
    if (length > room) {
      room = length << 1;
      codes = alloc((<usize>room) << 2);
    }
    const end = decodeCodes(postingsPositions(), length, codes);
    const index = contextIndex(context, postingsDoc());
    let weight: u32 = load<u8>(costs.weights + index);
    let position: u32 = load<u8>(costs.positions + index);
    for (let at = codes; at < end; at += 4) {
      const code = load<u32>(at);
      weight = min<u32>(weight, load<u16>(weights + ((<usize>(code >>> 16)) << 1)));
      position = min<u32>(position, load<u16>(byBucket + ((<usize>bucketIndex(code & 0xffff)) << 1)));
    }
    store<u8>(costs.weights + index, <u8>weight);
    store<u8>(costs.positions + index, <u8>position);
  }
  arenaReset(mark);
}

/** The costs that {@link spreadRunCosts} spreads when asked for this kind; any other kind: those of positions. */
const COSTS_BY_WEIGHT: u32 = 0;

/**
 * Adds the documents of a run to bitmaps, one for each cost, `stride` bytes apart; `bitmaps` is where the segment's part of the
 * first one stands.
 */
export function spreadRunCosts(runPointer: usize, kind: u32, bitmaps: usize, stride: u32): void {
  const run = changetype<RunCosts>(runPointer);
  let cost = kind === COSTS_BY_WEIGHT ? run.weights : run.positions;
  for (let at: u32 = 0; at < run.bytes; at += 8) {
    let bits = load<u64>(run.bitmap + at);
    while (bits !== 0) {
      const local = (at << 3) + <u32>ctz<u64>(bits);
      bits &= bits - 1;
      bitmapAdd(bitmaps + <usize>(<u32>load<u8>(cost) * stride), local);
      cost++;
    }
  }
}

/** Documents where two words stand near each other: bitmaps of the costs 0, 1 and 2, or a list where that is shorter. */
@unmanaged
class PairCosts {
  bytes: u32;
  /** members of the list; NO_LIST: bitmaps */
  count: u32;
  /** u32[count] local numbers, then u8[count] costs; or the bitmaps, one after the other */
  data: usize;
}

const NO_LIST: u32 = 0xffffffff;

/**
 * Works out how near the nearest words of two sources of one segment (base 0) stand. `backward`: a right word may also stand before
 * a left one. Answers the address of PairCosts in persistent memory, 0 when there is no room.
 */
export function pairCosts(left: usize, right: usize, bytes: u32, backward: bool): usize {
  const mark = arenaMark();
  const bitmaps = alloc(<usize>(bytes * NEAR_COSTS));
  memory.fill(bitmaps, 0, <usize>(bytes * NEAR_COSTS));
  partitionPairs(left, right, bitmaps, bytes, backward);
  const near = bitmapCount(bitmaps, <usize>(bytes * NEAR_COSTS));
  const listed = near * 5 < bytes * NEAR_COSTS;
  const dataBytes: usize = listed ? <usize>near * 5 : <usize>(bytes * NEAR_COSTS);
  const at = allocPersistent(offsetof<PairCosts>() + 16 + dataBytes);
  if (at !== 0) {
    const costs = changetype<PairCosts>(at);
    costs.bytes = bytes;
    costs.count = listed ? near : NO_LIST;
    costs.data = (at + offsetof<PairCosts>() + 15) & ~(<usize>15);
    if (listed) listMembers(bitmaps, bytes, costs.data, near);
    else memory.copy(costs.data, bitmaps, dataBytes);
  }
  arenaReset(mark);
  return at;
}

function listMembers(bitmaps: usize, bytes: u32, data: usize, count: u32): void {
  let member = data;
  let cost = data + ((<usize>count) << 2);
  for (let wanted: u32 = 0; wanted < NEAR_COSTS; wanted++) {
    for (let at: u32 = 0; at < bytes; at += 8) {
      let bits = load<u64>(bitmaps + <usize>(wanted * bytes + at));
      while (bits !== 0) {
        store<u32>(member, (at << 3) + <u32>ctz<u64>(bits));
        store<u8>(cost, <u8>wanted);
        bits &= bits - 1;
        member += 4;
        cost++;
      }
    }
  }
}

/** Adds the documents of a pair that cost less than `limit` to bitmaps, `stride` bytes apart; see {@link spreadRunCosts}. */
export function spreadPairCosts(pairPointer: usize, bitmaps: usize, stride: u32, limit: u32): void {
  const pair = changetype<PairCosts>(pairPointer);
  if (pair.count === NO_LIST) {
    for (let cost: u32 = 0; cost < limit; cost++) {
      bitmapOr(bitmaps + <usize>(cost * stride), pair.data + <usize>(cost * pair.bytes), pair.bytes);
    }
    return;
  }
  const costs = pair.data + ((<usize>pair.count) << 2);
  for (let i: u32 = 0; i < pair.count; i++) {
    const cost: u32 = load<u8>(costs + i);
    if (cost < limit) bitmapAdd(bitmaps + <usize>(cost * stride), load<u32>(pair.data + ((<usize>i) << 2)));
  }
}

function partitionPairs(left: usize, right: usize, bitmaps: usize, bytes: u32, backward: bool): void {
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
}
