/** The documents where two neighbours of the query are adjacent, from the followers of frequent words that segments store. */
import { memoAdd, memoFind, UNKNOWN } from '../../cache/memo';
import { MEMO_ADJACENT } from '../../cache/result-kinds';
import { Run, runAt, runCount } from '../../derive/runs';
import { newBitmap } from '../../derive/sources';
import { Search, segmentOf } from '../../plan/search';
import { findFollowed, followersInto } from '../../postings/followers';
import { alloc } from '../../runtime/arena';
import { SegmentView } from '../../segment/view';
import { bitmapSetRange } from '../../sets/bitmap';
import { wordRuns } from '../roles';

const ALL: u32 = 0xffffffff;

@unmanaged
export class Adjacent {
  /** bitmap of the documents where a word of the right node directly follows one of the left node, and of all in the segments below */
  documents: usize;
  /** number of segments that do not store the followers of each word of the left node */
  unknown: u32;
}

/** `left`, `right`: states of two neighbours that represent words only. */
export function adjacentOf(search: Search, left: u32, right: u32): Adjacent {
  const known = memoFind(search.memo, MEMO_ADJACENT, 0, left, right);
  if (known !== UNKNOWN) return changetype<Adjacent>(known);
  const adjacent = changetype<Adjacent>(alloc(offsetof<Adjacent>()));
  adjacent.documents = newBitmap(search);
  adjacent.unknown = 0;
  const from = wordRuns(search, left, false);
  const to = wordRuns(search, right, false);
  for (let number: u32 = 0; number < search.plan.segments.count; number++) {
    if (addFollowing(search, number, from, to, adjacent.documents)) continue;
    const segment = segmentOf(search, number);
    bitmapSetRange(adjacent.documents, segment.base, segment.base + segment.docCount);
    adjacent.unknown++;
  }
  memoAdd(search.memo, MEMO_ADJACENT, 0, left, right, changetype<usize>(adjacent));
  return adjacent;
}

/**
 * Adds the documents of a segment where a word of some runs directly follows one of other runs. Returns false when the segment does not
 * store this.
 */
function addFollowing(search: Search, number: u32, left: usize, right: usize, bitmap: usize): bool {
  const segment = segmentOf(search, number);
  const view = changetype<SegmentView>(segment.view);
  for (let i: u32 = 0; i < runCount(left); i++) {
    const run: Run = runAt(left, i);
    if (run.segment !== number) continue;
    for (let term = run.from; term < run.to; term++) {
      const followed = findFollowed(view, term);
      if (changetype<usize>(followed) === 0) return false;
      for (let k: u32 = 0; k < runCount(right); k++) {
        const next: Run = runAt(right, k);
        if (next.segment === number) followersInto(view, followed, next.from, next.to, segment.base, 0, bitmap, ALL);
      }
    }
  }
  return true;
}
