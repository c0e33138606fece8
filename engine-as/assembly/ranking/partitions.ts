/** Documents by what it costs them, at best, to hold a word of a run of terms: partitions that are kept from query to query. */
import { postingsBegin, postingsDoc, postingsNext, postingsPositions, postingsPositionsLength } from '../postings/decode';
import { alloc } from '../runtime/arena';
import { bitmapAdd, bitmapAndNot } from '../sets/bitmap';
import { bucketIndex, POSITION_COSTS, positionCosts } from './components';
import { decodeCodes, groupAttribute, groupsBegin, groupsNext } from './positions';

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

/** A document that several terms put into several bitmaps stays in the first. */
function leaveBest(bitmaps: usize, bytes: u32, count: u32): void {
  for (let worse: u32 = 1; worse < count; worse++) {
    for (let better: u32 = 0; better < worse; better++) {
      bitmapAndNot(bitmaps + <usize>(worse * bytes), bitmaps + <usize>(better * bytes), bytes);
    }
  }
}
