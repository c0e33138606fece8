/**
 * Proximity in a large bucket, from the words beside frequent ones that segments store: documents where all neighbours of the
 * query are adjacent come first. The others are only evaluated if the page needs them.
 */
import { readsDistances } from '../../derive/pairs';
import { copyOf, isLarge } from '../../derive/sources';
import { pathAt, pathCount, stateAt } from '../../graph/interpretations';
import { Search } from '../../plan/search';
import { alloc } from '../../runtime/arena';
import { bitmapAnd, bitmapAndNot, bitmapCount } from '../../sets/bitmap';
import { Bucket, bucketOf, rankStep } from '../bucket';
import { EVALUATION_NEAREST, Evaluation } from '../evaluation';
import { adjacentOf } from './adjacent';
import { arePlainWords, proximityGreatest, statesFollow } from './proximity';
import { mostPostings } from './proximity-bounds';

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

/** Returns 0 when segments do not store which of these words are adjacent. */
export function nearestBegin(search: Search, rule: u32, bucket: Bucket): Evaluation {
  const none = changetype<Evaluation>(0);
  if (!readsDistances(search) || !isLarge(search, bucket.count) || pathCount(bucket.live.paths) !== 1) return none;
  const path = pathAt(bucket.live.paths, 0);
  if (!arePlainWords(search, path)) return none;
  const nearest = copyOf(search, bucket.bitmap);
  for (let k: u32 = 1; k < path.count; k++) {
    if (!statesFollow(search, stateAt(path, k - 1), stateAt(path, k))) continue;
    const adjacent = adjacentOf(search, stateAt(path, k - 1), stateAt(path, k), mostPostings(bucket));
    if (!adjacent.isExact) return none;
    bitmapAnd(nearest, adjacent.certain, search.bytes);
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
