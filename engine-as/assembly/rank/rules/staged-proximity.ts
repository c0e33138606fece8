/**
 * Proximity in a large bucket, evaluated only as far as the page needs. Documents are read in stages, in the order of the rule that follows:
 * attribute rank, or word position. Documents in less important attributes, or whose first words are far from the beginning, are often not read
 * at all.
 */

import { memoMark, memoRelease } from '../../cache/memo';
import { combineComponents, costBucket, IMPOSSIBLE } from '../../costs/components';
import { Context } from '../../costs/context';
import { spendOnPairs } from '../../derive/pairs';
import { copyOf, newBitmap } from '../../derive/sources';
import { liveCreate, Path, pathAt, pathsCreate, pushPath } from '../../graph/interpretations';
import { Search } from '../../plan/search';
import { alloc, allocZeroed, arenaMark, arenaReset } from '../../runtime/arena';
import { Buffer, bufferCreate, bufferPush32, bufferRoom } from '../../runtime/buffer';
import { bitmapAnd, bitmapCount, bitmapOr } from '../../sets/bitmap';
import { bitmapFirst } from '../../sets/members';
import { Bucket, bucketOf, rankStep } from '../bucket';
import { EVALUATION_STAGES, Evaluation } from '../evaluation';
import { newContext, readTogether } from '../positions';
import { PositionEvaluation, readingBegin, takeCost } from './cost-reading';
import { pairsOfBucket, proximityComponents, proximityGreatest, pushNeighbours } from './proximity';
import { Bounds, boundsOf, documentsOfLevel } from './proximity-bounds';
import { NO_RULE, nextStage, orderBegin, StageOrder } from './stage-order';

/** Documents of a stage that were read together. */
@unmanaged
class Part {
  count: u32;
  /** u32[count] */
  slots: usize;
  /** u16[count]: cost of each by proximity; and u16[count]: its interpretation, always 0 */
  costs: usize;
  chosen: usize;
}

const PART_BYTES: usize = offsetof<Part>();

/** The documents with one or several consecutive costs by the rule that follows, as far as these are known. */
@unmanaged
class Stage {
  documents: usize;
  /** the documents of this stage and of all before it include all with costs up to this one, see {@link StageOrder} */
  reached: u32;
  /** bitmap of those that are known to have the least cost; 0: none */
  nearest: usize;
  /** number of documents that have been read, and of those that must be read to learn their costs */
  read: u32;
  unread: u32;
  /** the lowest level, see {@link Bounds}, whose documents have not been read */
  level: u32;
  /** Buffer of Part */
  parts: usize;
}

const STAGE_BYTES: usize = offsetof<Stage>();

@unmanaged
class StagedEvaluation extends Evaluation {
  max: u32;
  path: Path;
  /** Buffer of Pair, see spendOnPairs; 0: sets of pairs cannot be used */
  pairs: usize;
  bounds: Bounds;
  /** generates the stages */
  order: StageOrder;
  areAllKnown: bool;
  /** Buffer of Stage: the stages so far */
  stages: usize;
  /** index of the next stage from which documents of `cost` are taken */
  place: u32;
  /** Buffer of u32, stages by word position: PositionEvaluation of the documents with `cost` that may have to wait for further stages */
  waiting: usize;
  cost: u32;
  /** smallest cost above `cost` that a document may have, as far as is known */
  nextCost: u32;
}

export function stagesBegin(search: Search, rule: u32, bucket: Bucket): Evaluation {
  const evaluation = changetype<StagedEvaluation>(alloc(offsetof<StagedEvaluation>()));
  evaluation.rule = rule;
  evaluation.kind = EVALUATION_STAGES;
  evaluation.bucket = bucket;
  evaluation.rest = 0;
  evaluation.max = 1 + proximityGreatest(search, bucket.live);
  evaluation.path = pathAt(bucket.live.paths, 0);
  evaluation.pairs = pairsOfBucket(search, bucket);
  evaluation.order = orderBegin(search, rule, bucket);
  evaluation.areAllKnown = false;
  evaluation.waiting = bufferCreate(64);
  evaluation.stages = bufferCreate(4 * STAGE_BYTES);
  evaluation.place = 0;
  const bounds = boundsOf(search, bucket, evaluation.path);
  evaluation.bounds = bounds;
  evaluation.cost = bounds.least;
  if (bounds.nearest === 0) for (let level: u32 = 0; documentsOfLevel(bounds, level) === 0; level++) evaluation.cost++;
  evaluation.nextCost = IMPOSSIBLE;
  return evaluation;
}

/** The documents with the smallest remaining cost, stage by stage. */
export function stagesNext(search: Search, pointer: Evaluation): Bucket {
  const evaluation = changetype<StagedEvaluation>(pointer);
  while (true) {
    if (evaluation.place === stageCount(evaluation)) {
      if (!evaluation.areAllKnown) {
        evaluation.areAllKnown = !addStage(search, evaluation);
      } else {
        const rest = bucketOfWaiting(search, evaluation);
        if (changetype<usize>(rest) !== 0) return rest;
        if (evaluation.nextCost === IMPOSSIBLE) return changetype<Bucket>(0);
        evaluation.cost = evaluation.nextCost;
        evaluation.nextCost = IMPOSSIBLE;
        evaluation.place = 0;
        changetype<Buffer>(evaluation.waiting).length = 0;
      }
      continue;
    }
    const inner = bucketOfStage(search, evaluation, stageAt(evaluation, evaluation.place++));
    if (changetype<usize>(inner) !== 0) return inner;
  }
}

function stageCount(evaluation: StagedEvaluation): u32 {
  return <u32>(changetype<Buffer>(evaluation.stages).length / STAGE_BYTES);
}

function stageAt(evaluation: StagedEvaluation, index: u32): Stage {
  return changetype<Stage>(changetype<Buffer>(evaluation.stages).data + <usize>index * STAGE_BYTES);
}

/** The documents of a stage with the current cost, or 0. */
function bucketOfStage(search: Search, evaluation: StagedEvaluation, stage: Stage): Bucket {
  readLevels(search, evaluation, stage);
  if (stage.unread > 0) evaluation.nextCost = min<u32>(evaluation.nextCost, evaluation.cost + 1);
  const bucket = costOfStage(search, evaluation, stage);
  const placeRule = evaluation.order.placeRule;
  const isLast = stage.reached === IMPOSSIBLE;
  if (placeRule === NO_RULE || (isLast && changetype<Buffer>(evaluation.waiting).length === 0)) return bucket;
  const bitmap = newBitmap(search);
  if (changetype<usize>(bucket) !== 0) {
    if (isLast) bitmapOr(bitmap, bucket.bitmap, search.bytes);
    else bufferPush32(evaluation.waiting, <u32>changetype<usize>(readingBegin(search, placeRule, bucket)));
  }
  takeWaiting(search, evaluation, stage.reached, bitmap);
  return bucketOfCost(search, evaluation, bitmap);
}

/** Adds the waiting documents that cost at most `reached` by word position to a bitmap: no document of further stages precedes them. */
function takeWaiting(search: Search, evaluation: StagedEvaluation, reached: u32, bitmap: usize): void {
  const waiting = changetype<Buffer>(evaluation.waiting);
  const taken = pathsCreate();
  for (let at = waiting.data; at < waiting.data + waiting.length; at += 4) {
    const part = changetype<PositionEvaluation>(<usize>load<u32>(at));
    while (part.cost !== IMPOSSIBLE && part.cost <= reached) takeCost(search, part, bitmap, taken);
  }
}

/** All waiting documents, or 0. */
function bucketOfWaiting(search: Search, evaluation: StagedEvaluation): Bucket {
  if (changetype<Buffer>(evaluation.waiting).length === 0) return changetype<Bucket>(0);
  const bitmap = newBitmap(search);
  takeWaiting(search, evaluation, IMPOSSIBLE, bitmap);
  return bucketOfCost(search, evaluation, bitmap);
}

/** A bucket of documents that have the current cost, or 0 if there are none. */
function bucketOfCost(search: Search, evaluation: StagedEvaluation, bitmap: usize): Bucket {
  const count = bitmapCount(bitmap, search.bytes);
  if (count === 0) return changetype<Bucket>(0);
  const live = liveCreate(false);
  pushPath(live.paths, evaluation.path);
  const step = rankStep(evaluation.rule, evaluation.max - evaluation.cost, evaluation.max);
  return bucketOf(bitmap, count, live, changetype<Context>(0), step);
}

/** The documents of a stage that are known to have the current cost, or 0. */
function costOfStage(search: Search, evaluation: StagedEvaluation, stage: Stage): Bucket {
  const cost = evaluation.cost;
  const parts = changetype<Buffer>(stage.parts);
  const nearest: usize = cost === evaluation.bounds.least ? stage.nearest : 0;
  if (parts.length === 0 && nearest === 0) return changetype<Bucket>(0);
  const mark = arenaMark();
  const bitmap = nearest === 0 ? newBitmap(search) : copyOf(search, nearest);
  // There is one interpretation only.
  const chosen = allocZeroed(1);
  for (let at = parts.data; at < parts.data + parts.length; at += PART_BYTES) {
    const part = changetype<Part>(at);
    const next = costBucket(part.slots, part.costs, part.chosen, part.count, cost, bitmap, chosen, search.duplicates);
    evaluation.nextCost = min<u32>(evaluation.nextCost, next);
  }
  const bucket = bucketOfCost(search, evaluation, bitmap);
  if (changetype<usize>(bucket) === 0) arenaReset(mark);
  return bucket;
}

/** Adds the next stage, none of whose documents have been read. Returns false after the last one. */
function addStage(search: Search, evaluation: StagedEvaluation): bool {
  const documents = nextStage(search, evaluation.order);
  if (documents === 0) return false;
  const stage = changetype<Stage>(bufferRoom(evaluation.stages, STAGE_BYTES));
  changetype<Buffer>(evaluation.stages).length += STAGE_BYTES;
  stage.documents = documents;
  stage.reached = evaluation.order.reached;
  stage.nearest = 0;
  stage.read = 0;
  stage.unread = bitmapCount(documents, search.bytes);
  if (evaluation.bounds.nearest !== 0) {
    const nearest = copyOf(search, evaluation.bounds.nearest);
    bitmapAnd(nearest, documents, search.bytes);
    const count = bitmapCount(nearest, search.bytes);
    if (count > 0) stage.nearest = nearest;
    stage.unread -= count;
  }
  stage.level = 0;
  stage.parts = bufferCreate(2 * PART_BYTES);
  return true;
}

/**
 * Reads the documents of a stage that may have the current cost. Those of further levels are read with them as long as fewer are read than
 * before: this may mean reading all postings of the words.
 */
function readLevels(search: Search, evaluation: StagedEvaluation, stage: Stage): void {
  const bounds = evaluation.bounds;
  let documents: usize = 0;
  let count: u32 = 0;
  while (stage.unread > 0) {
    const isNeeded = bounds.least + stage.level <= evaluation.cost;
    if (!isNeeded && (count === 0 || count >= stage.read)) break;
    const level = documentsOfLevel(bounds, stage.level++);
    if (level === 0) continue;
    const own = copyOf(search, level);
    bitmapAnd(own, stage.documents, search.bytes);
    const found = bitmapCount(own, search.bytes);
    count += found;
    stage.unread -= found;
    if (documents === 0) documents = own;
    else bitmapOr(documents, own, search.bytes);
  }
  if (count === 0) return;
  stage.read += count;
  const part = changetype<Part>(bufferRoom(stage.parts, PART_BYTES));
  changetype<Buffer>(stage.parts).length += PART_BYTES;
  readPart(search, evaluation, documents, count, part);
}

/** Reads documents and computes their costs. */
function readPart(search: Search, evaluation: StagedEvaluation, documents: usize, count: u32, part: Part): void {
  part.count = count;
  part.slots = alloc(((<usize>count) << 2) + 16);
  part.costs = alloc(((<usize>count) << 1) + 16);
  part.chosen = allocZeroed(((<usize>count) << 1) + 16);
  bitmapFirst(documents, search.bytes, count, part.slots);
  // The components are released after their sums are computed.
  const mark = memoMark(search.memo);
  const context = newContext(search, documents, count);
  const path = evaluation.path;
  const plan = alloc(((<usize>path.count) << 2) + 8);
  store<u32>(plan, path.count);
  const words = bufferCreate(64);
  pushNeighbours(search, context, path, true, words);
  readTogether(search, context, words);
  const isPossible = proximityComponents(search, context, path, plan + 4);
  const indices = alloc(((<usize>count) << 2) + 16);
  for (let i: u32 = 0; i < count; i++) store<u32>(indices + ((<usize>i) << 2), i);
  combineComponents(plan, isPossible ? 1 : 0, indices, count, part.costs, part.chosen);
  memoRelease(search.memo, mark);
  if (evaluation.pairs !== 0) spendOnPairs(search, evaluation.pairs, <f64>count * <f64>search.plan.postingsPerDocument);
}
