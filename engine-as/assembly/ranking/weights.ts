/** Documents by the best weight of the attributes in which they hold the words of a run of terms. */
import { postingsBegin, postingsDoc, postingsNext, postingsPositions, postingsPositionsLength } from '../postings/decode';
import { bitmapAdd, bitmapAndNot } from '../sets/bitmap';
import { groupAttribute, groupsBegin, groupsNext } from './positions';

/**
 * Sets for every document of the terms [from, to) its bit (local number) in one of `count` bitmaps of `bytes` bytes that stand
 * one after the other: that of its best weight. The bitmaps are empty before. `weights`: u16 a field.
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
  for (let worse: u32 = 1; worse < count; worse++) {
    for (let better: u32 = 0; better < worse; better++) {
      bitmapAndNot(bitmaps + <usize>(worse * bytes), bitmaps + <usize>(better * bytes), bytes);
    }
  }
}
