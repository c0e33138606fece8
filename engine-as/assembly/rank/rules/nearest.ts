/**
 * Proximity in a large bucket, from the followers of frequent words that segments store: documents where all neighbours of the
 * query are adjacent come first. The others are only evaluated if the page needs them.
 */
import { readsDistances } from '../../derive/pairs';
import { Run, runAt, runCount } from '../../derive/runs';
import { copyOf, isLarge, newBitmap } from '../../derive/sources';
import { Path, pathAt, pathCount, stateAt } from '../../graph/interpretations';
import { Search, segmentOf } from '../../plan/search';
import { findFollowed, followersInto } from '../../postings/followers';
import { alloc } from '../../runtime/arena';
import { SegmentView } from '../../segment/view';
import { bitmapAnd, bitmapAndNot, bitmapCount } from '../../sets/bitmap';
import { Bucket, bucketOf, rankStep } from '../bucket';
import { EVALUATION_NEAREST, Evaluation } from '../evaluation';
import { wordRuns } from '../roles';
import { arePlainWords, proximityGreatest, statesFollow } from './proximity';

const ALL: u32 = 0xffffffff;

@unmanaged
class NearestEvaluation extends Evaluation {
  /** bitmap of the documents where all neighbours are adjacent */
  nearest: usize;
  count: u32;
  max: u32;
  isTaken: bool;
  /** evaluation of the other documents; 0: not begun */
  others: Evaluation;
}

/** Returns 0 when segments do not store the followers of these words. */
export function nearestBegin(search: Search, rule: u32, bucket: Bucket): Evaluation {
  const none = changetype<Evaluation>(0);
  if (!readsDistances(search) || !isLarge(search, bucket.count) || pathCount(bucket.live.paths) !== 1) return none;
  const path = pathAt(bucket.live.paths, 0);
  if (!arePlainWords(search, path)) return none;
  const nearest = copyOf(search, bucket.bitmap);
  for (let k: u32 = 1; k < path.count; k++) {
    if (statesFollow(search, stateAt(path, k - 1), stateAt(path, k)) && !keepAdjacent(search, path, k, nearest)) return none;
  }
  const count = bitmapCount(nearest, search.bytes);
  if (count === 0) return none;
  const evaluation = changetype<NearestEvaluation>(alloc(offsetof<NearestEvaluation>()));
  evaluation.rule = rule;
  evaluation.kind = EVALUATION_NEAREST;
  evaluation.bucket = bucket;
  evaluation.rest = 0;
  evaluation.nearest = nearest;
  evaluation.count = count;
  evaluation.max = 1 + proximityGreatest(search, bucket.live);
  evaluation.isTaken = false;
  evaluation.others = none;
  return evaluation;
}

/**
 * Removes documents from a bitmap unless a word of the node at `place` directly follows a word of the node before. Returns false
 * when segments do not store this.
 */
function keepAdjacent(search: Search, path: Path, place: u32, bitmap: usize): bool {
  const left = wordRuns(search, stateAt(path, place - 1), false);
  const right = wordRuns(search, stateAt(path, place), false);
  const adjacent = newBitmap(search);
  for (let i: u32 = 0; i < runCount(left); i++) {
    const run: Run = runAt(left, i);
    for (let term = run.from; term < run.to; term++) if (!addFollowing(search, run.segment, term, right, adjacent)) return false;
  }
  bitmapAnd(bitmap, adjacent, search.bytes);
  return true;
}

/**
 * Adds the documents of a segment where a word of some runs directly follows a term. Returns false when the segment does not
 * store this.
 */
function addFollowing(search: Search, number: u32, term: u32, runs: usize, bitmap: usize): bool {
  const segment = segmentOf(search, number);
  const view = changetype<SegmentView>(segment.view);
  const followed = findFollowed(view, term);
  if (changetype<usize>(followed) === 0) return false;
  for (let i: u32 = 0; i < runCount(runs); i++) {
    const run: Run = runAt(runs, i);
    if (run.segment === number) followersInto(view, followed, run.from, run.to, segment.base, 0, bitmap, ALL);
  }
  return true;
}

/** The documents where all neighbours are adjacent, or 0 at the second call. */
export function nearestNext(pointer: Evaluation): Bucket {
  const evaluation = changetype<NearestEvaluation>(pointer);
  if (evaluation.isTaken) return changetype<Bucket>(0);
  evaluation.isTaken = true;
  const bucket = evaluation.bucket;
  return bucketOf(
    evaluation.nearest,
    evaluation.count,
    bucket.live,
    bucket.context,
    rankStep(evaluation.rule, evaluation.max, evaluation.max),
  );
}

/** The evaluation of the other documents, or 0 if it has not begun. */
export function othersOf(pointer: Evaluation): Evaluation {
  return changetype<NearestEvaluation>(pointer).others;
}

export function setOthers(pointer: Evaluation, others: Evaluation): void {
  changetype<NearestEvaluation>(pointer).others = others;
}

/** The other documents, or 0 if there are none. */
export function bucketOfOthers(search: Search, pointer: Evaluation): Bucket {
  const evaluation = changetype<NearestEvaluation>(pointer);
  const bucket = evaluation.bucket;
  const others = copyOf(search, bucket.bitmap);
  bitmapAndNot(others, evaluation.nearest, search.bytes);
  const count = bitmapCount(others, search.bytes);
  return count === 0 ? changetype<Bucket>(0) : bucketOf(others, count, bucket.live, bucket.context, bucket.step);
}
