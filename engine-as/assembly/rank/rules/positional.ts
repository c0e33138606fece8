/** Rules whose cost is a sum of components read from positions: proximity, attribute rank, word position. */

import { combineComponents, costBucket, IMPOSSIBLE, leastCost } from '../../costs/components';
import { Context, contextIndices } from '../../costs/context';
import { isLarge, newBitmap } from '../../derive/sources';
import { Live, liveCreate, Path, pathAt, pathCount, pathsCreate, pushPath, stateAt, termsOf } from '../../graph/interpretations';
import { nodeOf } from '../../graph/state';
import { RULE_ATTRIBUTE_RANK, RULE_PROXIMITY, RULE_WORD_POSITION } from '../../plan/plan';
import { Search } from '../../plan/search';
import { alloc, allocZeroed } from '../../runtime/arena';
import { Buffer, bufferCreate, bufferRoom } from '../../runtime/buffer';
import { bitmapCount, bitmapFirst } from '../../sets/bitmap';
import { assignmentOf, assignPath, removeDuplicates } from '../assignment';
import { Bucket, bucketOf, rankStep, ruleAt } from '../bucket';
import { EVALUATION_POSITIONS, EVALUATION_WHOLE, Evaluation } from '../evaluation';
import { areCombinationsFew, arePartitioned, MAX_POSITION_COST, wouldBePartitioned } from '../partitions';
import { contextOfBucket, pushTogether, readTogether } from '../positions';
import { ROLE_LEADING } from '../roles';
import { BY_POSITION, BY_WEIGHT } from '../run-sets';
import { weightComponent } from './attribute-rank';
import { CHOOSE_NEARNESS, CHOOSE_PLACES, CHOOSE_WEIGHTS } from './choice-kinds';
import { MAX_SUMMED_PATHS } from './choice-sums';
import { choicesBegin } from './choices';
import { isRankedBySets, proximityComponents, proximityGreatest, pushNeighbours } from './proximity';
import { canStage, stagesBegin } from './staged-proximity';
import { placeComponent } from './word-position';

/**
 * Most combinations of costs of the nodes of a path that are tried with sets of documents, if there are too many paths to add up their
 * costs. With more, positions are read.
 */
const MAX_COMBINATIONS: u32 = 512;

@unmanaged
export class PositionEvaluation extends Evaluation {
  max: u32;
  context: Context;
  /** Buffer of Path: interpretations that a document may satisfy */
  paths: usize;
  /** by document of the bucket: u32 slots, u16 costs, u16 index of the first interpretation with this cost */
  slots: usize;
  costs: usize;
  chosen: usize;
  /** cost of the next bucket */
  cost: u32;
}

/** The greatest cost of any interpretation. */
function greatestCost(search: Search, kind: u32, live: Live): u32 {
  if (kind === RULE_PROXIMITY) return proximityGreatest(search, live);
  let terms: u32 = live.initial ? search.graph.termCount : 0;
  for (let i: u32 = 0; !live.initial && i < pathCount(live.paths); i++) {
    terms = max<u32>(terms, termsOf(search, pathAt(live.paths, i)));
  }
  return terms * (kind === RULE_ATTRIBUTE_RANK ? search.index.maxWeight : MAX_POSITION_COST);
}

/** Writes the addresses of the components of an interpretation (u32 each). Returns false when no document satisfies it. */
function componentsOf(search: Search, kind: u32, context: Context, path: Path, out: usize): bool {
  if (kind === RULE_PROXIMITY) return proximityComponents(search, context, path, out);
  for (let k: u32 = 0; k < path.count; k++) {
    const state = stateAt(path, k);
    const component =
      kind === RULE_ATTRIBUTE_RANK ? weightComponent(search, context, state) : placeComponent(search, context, state);
    if (component === 0) return false;
    store<u32>(out + ((<usize>k) << 2), <u32>component);
  }
  return true;
}

/** Whether a large bucket can be ranked by sets of documents instead of positions. */
function bySets(search: Search, kind: u32, bucket: Bucket, isStaged: bool): bool {
  if (kind === RULE_PROXIMITY) {
    // Spending on stages is recorded as they are read.
    return isRankedBySets(search, bucket, isStaged ? 0 : <f64>bucket.count * <f64>search.plan.postingsPerDocument);
  }
  if (!isLarge(search, bucket.count)) return false;
  const partition = kind === RULE_ATTRIBUTE_RANK ? BY_WEIGHT : BY_POSITION;
  const postings = <f64>bucket.count * <f64>search.plan.postingsPerDocument;
  const paths = bucket.live.paths;
  const areAdded = pathCount(paths) <= MAX_SUMMED_PATHS;
  for (let i: u32 = 0; i < pathCount(paths); i++) {
    const path = pathAt(paths, i);
    if (!areAdded && !areCombinationsFew(search, path, partition, MAX_COMBINATIONS)) return false;
    // Spending on several words is recorded as they are read, unless nothing of them is read any more.
    const isSpent = path.count === 1 || wouldBePartitioned(search, path, partition, postings);
    if (!arePartitioned(search, path, partition, isSpent ? postings : 0)) return false;
  }
  return true;
}

function choicesFor(kind: u32): u32 {
  if (kind === RULE_PROXIMITY) return CHOOSE_NEARNESS;
  return kind === RULE_WORD_POSITION ? CHOOSE_PLACES : CHOOSE_WEIGHTS;
}

export function positionalBegin(search: Search, rule: u32, bucket: Bucket): Evaluation {
  const kind = ruleAt(search, rule).kind;
  const isStaged = kind === RULE_PROXIMITY && canStage(search, rule, bucket);
  if (bySets(search, kind, bucket, isStaged)) return choicesBegin(search, rule, choicesFor(kind), bucket);
  if (isStaged) return stagesBegin(search, rule, bucket);
  const evaluation = wholeBegin(rule, bucket, 1 + greatestCost(search, kind, bucket.live));
  if (evaluation.max === 1 || isNeutral(search, kind, bucket.live)) return evaluation;
  evaluation.kind = EVALUATION_POSITIONS;
  readCosts(search, kind, evaluation);
  return evaluation;
}

/** For a rule by which all documents of a bucket have the same cost, the least: nothing is read. `max`: one more than the greatest cost. */
export function wholeBegin(rule: u32, bucket: Bucket, max: u32): PositionEvaluation {
  const evaluation = changetype<PositionEvaluation>(alloc(offsetof<PositionEvaluation>()));
  evaluation.rule = rule;
  evaluation.kind = EVALUATION_WHOLE;
  evaluation.bucket = bucket;
  evaluation.rest = 0;
  evaluation.max = max;
  evaluation.cost = 0;
  return evaluation;
}

/** Whether the rule makes no difference: the proximity of a single word. */
function isNeutral(search: Search, kind: u32, live: Live): bool {
  if (kind !== RULE_PROXIMITY || pathCount(live.paths) !== 1) return false;
  const path = pathAt(live.paths, 0);
  return path.count === 1 && nodeOf(search, stateAt(path, 0)).size === 1;
}

/** Reads the positions that all interpretations need, each document once. */
function readPositions(search: Search, kind: u32, context: Context, paths: usize): void {
  // The costs of many documents may be known from sets.
  if (kind !== RULE_PROXIMITY && isLarge(search, context.count)) return;
  const list = bufferCreate(64);
  for (let i: u32 = 0; i < pathCount(paths); i++) {
    const path = pathAt(paths, i);
    if (kind === RULE_PROXIMITY) pushNeighbours(search, context, path, false, list);
    else for (let k: u32 = 0; k < path.count; k++) pushTogether(search, context, stateAt(path, k), ROLE_LEADING, false, list);
  }
  readTogether(search, context, list);
}

function readCosts(search: Search, kind: u32, evaluation: PositionEvaluation): void {
  const bucket = evaluation.bucket;
  const count: usize = bucket.count;
  const context = contextOfBucket(search, bucket);
  evaluation.context = context;
  evaluation.paths = pathsCreate();
  readPositions(search, kind, context, bucket.live.paths);
  const plan = bufferCreate(64);
  for (let i: u32 = 0; i < pathCount(bucket.live.paths); i++) {
    const path = pathAt(bucket.live.paths, i);
    const components = alloc(((<usize>path.count) << 2) + 4);
    if (!componentsOf(search, kind, context, path, components)) continue;
    pushPath(evaluation.paths, path);
    const bytes = ((<usize>path.count) << 2) + 4;
    const entry = bufferRoom(plan, bytes);
    store<u32>(entry, path.count);
    memory.copy(entry + 4, components, bytes - 4);
    changetype<Buffer>(plan).length += bytes;
  }
  evaluation.slots = alloc((count << 2) + 16);
  evaluation.costs = alloc((count << 1) + 16);
  evaluation.chosen = alloc((count << 1) + 16);
  const indices = alloc((count << 2) + 16);
  bitmapFirst(bucket.bitmap, search.bytes, bucket.count, evaluation.slots);
  contextIndices(changetype<usize>(context), bucket.bitmap, indices);
  const data = changetype<Buffer>(plan).data;
  combineComponents(data, pathCount(evaluation.paths), indices, bucket.count, evaluation.costs, evaluation.chosen);
  evaluation.cost = leastCost(evaluation.costs, bucket.count);
}

export function positionalNext(search: Search, pointer: Evaluation): Bucket {
  const evaluation = changetype<PositionEvaluation>(pointer);
  const bucket = evaluation.bucket;
  while (evaluation.cost !== IMPOSSIBLE) {
    const cost = evaluation.cost;
    const bitmap = newBitmap(search);
    const paths = pathCount(evaluation.paths);
    const marks = allocZeroed(<usize>paths + 16);
    const duplicates = search.duplicates;
    evaluation.cost = costBucket(
      evaluation.slots,
      evaluation.costs,
      evaluation.chosen,
      bucket.count,
      cost,
      bitmap,
      marks,
      duplicates,
    );
    const count = bitmapCount(bitmap, search.bytes);
    if (count === 0) continue;
    const live = liveCreate(false);
    for (let i: u32 = 0; i < paths; i++) if (load<u8>(marks + i)) pushPath(live.paths, pathAt(evaluation.paths, i));
    return bucketOf(bitmap, count, live, evaluation.context, rankStep(evaluation.rule, evaluation.max - cost, evaluation.max));
  }
  return changetype<Bucket>(0);
}

/** All documents in one bucket; 0 at the second call. */
export function wholeNext(search: Search, pointer: Evaluation): Bucket {
  const evaluation = changetype<PositionEvaluation>(pointer);
  if (evaluation.cost !== 0) return changetype<Bucket>(0);
  evaluation.cost = 1;
  const bucket = evaluation.bucket;
  const step = rankStep(evaluation.rule, evaluation.max, evaluation.max);
  return bucketOf(bucket.bitmap, bucket.count, interpretationsOf(search, bucket), bucket.context, step);
}

/** The interpretations to which a document of the bucket is assigned. */
function interpretationsOf(search: Search, bucket: Bucket): Live {
  const live = liveCreate(false);
  const paths = bucket.live.paths;
  if (pathCount(paths) <= 1) {
    if (pathCount(paths) === 1) pushPath(live.paths, pathAt(paths, 0));
    return live;
  }
  const assignment = assignmentOf(bucket.bitmap, bucket.count);
  removeDuplicates(search, assignment);
  for (let i: u32 = 0; i < pathCount(paths); i++) {
    if (assignPath(search, assignment, pathAt(paths, i)) > 0) pushPath(live.paths, pathAt(paths, i));
  }
  return live;
}
