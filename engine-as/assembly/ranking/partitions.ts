/** Documents by what it costs them, at best, to hold a word of a run of terms: partitions that are kept from query to query. */
import {
  postingsBegin,
  postingsDoc,
  postingsNext,
  postingsOrInto,
  postingsPositions,
  postingsPositionsLength,
} from '../postings/decode';
import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import { bitmapAdd, bitmapAnd, bitmapAndNot, bitmapCount } from '../sets/bitmap';
import { bucketIndex, NEAR_COSTS, nearest, POSITION_COSTS, positionCosts } from './components';
import { Context, contextCreate, Occurrences, occurrencesOf } from './context';
import { decodeCodes, groupAttribute, groupsBegin, groupsNext } from './positions';
import { MaterializedRun, Source } from './sources';

/**
 * Partitions the documents of the terms [from, to) by the best weight of an attribute that holds one: sets for each document its
 * bit (local number) in one of `count` bitmaps of `bytes` bytes that stand one after the other, empty before. `weights`: u16 a
 * field.
 */
export function partitionByWeight(view: usize, from: u32, to: u32, weights: usize, bitmaps: usize, bytes: u32, count: u32): void {
  for (let term = from; term < to; term++) {
    postingsBegin(view, term);
    while (postingsNext()) {
      let best = count - 1;
      groupsBegin(postingsPositions(), postingsPositionsLength());
      while (groupsNext()) {
        const weight: u32 = load<u16>(weights + ((<usize>groupAttribute()) << 1));
        if (weight < best) best = weight;
        if (best === 0) break;
      }
      bitmapAdd(bitmaps + <usize>(best * bytes), postingsDoc());
    }
  }
  leaveBest(bitmaps, bytes, count);
}

/** The same by the cost of the nearest occurrence to a place in the query: one bitmap for each cost from 0 to 10. */
export function partitionByPosition(view: usize, from: u32, to: u32, start: u32, bitmaps: usize, bytes: u32): void {
  const costs = positionCosts(start, 1);
  let codes: usize = 0;
  let room: u32 = 0;
  for (let term = from; term < to; term++) {
    postingsBegin(view, term);
    while (postingsNext()) {
      const length = postingsPositionsLength();
      if (length > room) {
        room = length << 1;
        codes = alloc((<usize>room) << 2);
      }
      const end = decodeCodes(postingsPositions(), length, codes);
      let best: u32 = POSITION_COSTS - 1;
      for (let at = codes; at < end; at += 4) {
        const cost: u32 = load<u16>(costs + ((<usize>bucketIndex(load<u32>(at) & 0xffff)) << 1));
        if (cost < best) best = cost;
      }
      bitmapAdd(bitmaps + <usize>(best * bytes), postingsDoc());
    }
  }
  leaveBest(bitmaps, bytes, POSITION_COSTS);
}

/**
 * Partitions the documents that hold a word of both sources by how near the nearest two stand: bitmaps of the costs 0, 1 and 2,
 * one after the other. `backward`: a right word may also stand before a left one. The sources are of one segment, with base 0.
 */
export function partitionPairs(left: usize, right: usize, bitmaps: usize, bytes: u32, backward: bool): void {
  const mark = arenaMark();
  const both = documentsOf(left, bytes);
  bitmapAnd(both, documentsOf(right, bytes), bytes);
  const context = changetype<Context>(contextCreate(both, bytes, bitmapCount(both, bytes)));
  const leftWords = changetype<Occurrences>(occurrencesOf(changetype<usize>(context), left, 1));
  const rightWords = changetype<Occurrences>(occurrencesOf(changetype<usize>(context), right, 1));
  for (let i: u32 = 0; i < context.count; i++) {
    let cost = nearest(leftWords, rightWords, i) - 1;
    if (backward && cost > 1) cost = min<u32>(cost, nearest(rightWords, leftWords, i));
    if (cost < NEAR_COSTS) bitmapAdd(bitmaps + <usize>(cost * bytes), load<u32>(context.slots + ((<usize>i) << 2)));
  }
  arenaReset(mark);
}

/** A new bitmap of the documents of a source of one segment. */
function documentsOf(sourcePointer: usize, bytes: u32): usize {
  const source = changetype<Source>(sourcePointer);
  const documents = alloc(bytes);
  if (source.materialized) {
    memory.copy(documents, changetype<MaterializedRun>(source.materialized).bitmap, bytes);
    return documents;
  }
  memory.fill(documents, 0, bytes);
  for (let term = source.from; term < source.to; term++) postingsOrInto(source.view, term, documents);
  return documents;
}

/** A document that several terms put into several bitmaps stays in the first. */
function leaveBest(bitmaps: usize, bytes: u32, count: u32): void {
  for (let worse: u32 = 1; worse < count; worse++) {
    for (let better: u32 = 0; better < worse; better++) {
      bitmapAndNot(bitmaps + <usize>(worse * bytes), bitmaps + <usize>(better * bytes), bytes);
    }
  }
}
