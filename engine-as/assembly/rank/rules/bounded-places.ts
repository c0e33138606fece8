/**
 * Word position in a large bucket, evaluated only as far as the page needs. Where the costs of some words are known from sets, their sum is a
 * lower bound of the cost of a document. The positions of the other words, mostly of a prefix with many postings, are read in the order of this
 * bound, and those of documents with a greater bound than the page needs are not read.
 */
import { IMPOSSIBLE } from '../../costs/components';
import { Context } from '../../costs/context';
import { isLarge, newBitmap } from '../../derive/sources';
import { hasPath, Live, liveCreate, pathAt, pathCount, pathsCreate, pushPath } from '../../graph/interpretations';
import { Search } from '../../plan/search';
import { alloc } from '../../runtime/arena';
import { Buffer, bufferCreate, bufferPush32 } from '../../runtime/buffer';
import { bitmapCount, bitmapOr } from '../../sets/bitmap';
import { Bucket, bucketOf, rankStep } from '../bucket';
import { EVALUATION_BOUNDED, Evaluation } from '../evaluation';
import { partitionCheapest } from '../partitions';
import { BY_POSITION } from '../run-sets';
import { CHOOSE_KNOWN_PLACES } from './choice-kinds';
import { MAX_SUMMED_PATHS } from './choice-sums';
import { choicesBegin, choicesNext, costOfRest } from './choices';
import { PositionEvaluation, readingBegin, takeCost } from './cost-reading';

@unmanaged
class BoundedEvaluation extends Evaluation {
  max: u32;
  /** generates the documents by their bounds, and the least bound of those that have not been read; IMPOSSIBLE: all have been */
  bounds: Evaluation;
  least: u32;
  /** number of documents that have been read */
  read: u32;
  /** Buffer of u32: PositionEvaluation of documents that were read together */
  parts: usize;
}

/**
 * Whether the costs of any word are known for the documents of a bucket, or worth making known. Sets that are not known yet are made, if that
 * has become worthwhile.
 */
export function canBound(search: Search, bucket: Bucket): bool {
  const paths = bucket.live.paths;
  if (!isLarge(search, bucket.count) || pathCount(paths) > MAX_SUMMED_PATHS) return false;
  const postings = <f64>bucket.count * <f64>search.plan.postingsPerDocument;
  return partitionCheapest(search, paths, BY_POSITION, bucket.count, postings);
}

/** `max`: one more than the greatest cost. */
export function boundedBegin(search: Search, rule: u32, bucket: Bucket, max: u32): Evaluation {
  const evaluation = changetype<BoundedEvaluation>(alloc(offsetof<BoundedEvaluation>()));
  evaluation.rule = rule;
  evaluation.kind = EVALUATION_BOUNDED;
  evaluation.bucket = bucket;
  evaluation.rest = 0;
  evaluation.max = max;
  evaluation.bounds = choicesBegin(search, rule, CHOOSE_KNOWN_PLACES, bucket);
  evaluation.least = 0;
  evaluation.read = 0;
  evaluation.parts = bufferCreate(64);
  return evaluation;
}

export function boundedNext(search: Search, pointer: Evaluation): Bucket {
  const evaluation = changetype<BoundedEvaluation>(pointer);
  while (true) {
    const cost = leastRead(evaluation);
    if (evaluation.least <= cost && evaluation.least !== IMPOSSIBLE) {
      readMore(search, evaluation);
      continue;
    }
    if (cost === IMPOSSIBLE) return changetype<Bucket>(0);
    const bitmap = newBitmap(search);
    const live = takeParts(search, evaluation, cost, bitmap);
    const count = bitmapCount(bitmap, search.bytes);
    if (count === 0) continue;
    const step = rankStep(evaluation.rule, evaluation.max - cost, evaluation.max);
    return bucketOf(bitmap, count, live, changetype<Context>(0), step);
  }
}

function partCount(evaluation: BoundedEvaluation): u32 {
  return <u32>(changetype<Buffer>(evaluation.parts).length >> 2);
}

function partAt(evaluation: BoundedEvaluation, index: u32): PositionEvaluation {
  return changetype<PositionEvaluation>(<usize>load<u32>(changetype<Buffer>(evaluation.parts).data + ((<usize>index) << 2)));
}

/** The least cost of a document that was read and is in no bucket yet. */
function leastRead(evaluation: BoundedEvaluation): u32 {
  let least = IMPOSSIBLE;
  for (let i: u32 = 0; i < partCount(evaluation); i++) least = min<u32>(least, partAt(evaluation, i).cost);
  return least;
}

/** Reads the documents with the next bound. Those with further bounds are read with them as long as fewer are read than before. */
function readMore(search: Search, evaluation: BoundedEvaluation): void {
  let documents: usize = 0;
  let count: u32 = 0;
  do {
    const next = choicesNext(search, evaluation.bounds);
    if (changetype<usize>(next) === 0) {
      evaluation.least = IMPOSSIBLE;
      break;
    }
    if (documents === 0) documents = next.bitmap;
    else bitmapOr(documents, next.bitmap, search.bytes);
    count += next.count;
    evaluation.least = costOfRest(evaluation.bounds);
  } while (count < evaluation.read);
  if (count === 0) return;
  evaluation.read += count;
  const bucket = evaluation.bucket;
  const own = bucketOf(documents, count, bucket.live, changetype<Context>(0), bucket.step);
  const part = readingBegin(search, evaluation.rule, own);
  bufferPush32(evaluation.parts, <u32>changetype<usize>(part));
}

/** Adds the documents of all parts with a cost to a bitmap. Returns their interpretations, in the order of those of the bucket. */
function takeParts(search: Search, evaluation: BoundedEvaluation, cost: u32, bitmap: usize): Live {
  const taken = pathsCreate();
  for (let i: u32 = 0; i < partCount(evaluation); i++) {
    const part = partAt(evaluation, i);
    if (part.cost === cost) takeCost(search, part, bitmap, taken);
  }
  const live = liveCreate(false);
  const paths = evaluation.bucket.live.paths;
  for (let i: u32 = 0; i < pathCount(paths); i++) if (hasPath(taken, pathAt(paths, i))) pushPath(live.paths, pathAt(paths, i));
  return live;
}
