/** The costs of the documents of a bucket by a rule whose cost is a sum of components, read from positions. */
import { combineComponents, costBucket, IMPOSSIBLE, leastCost } from '../../costs/components';
import { Context, contextIndices } from '../../costs/context';
import { isLarge, newBitmap } from '../../derive/sources';
import { liveCreate, Path, pathAt, pathCount, pathsCreate, pushPath, stateAt } from '../../graph/interpretations';
import { RULE_ATTRIBUTE_RANK, RULE_PROXIMITY } from '../../plan/plan';
import { Search } from '../../plan/search';
import { alloc, allocZeroed } from '../../runtime/arena';
import { Buffer, bufferCreate, bufferRoom } from '../../runtime/buffer';
import { bitmapCount } from '../../sets/bitmap';
import { bitmapFirst } from '../../sets/members';
import { Bucket, bucketOf, rankStep, ruleAt } from '../bucket';
import { EVALUATION_POSITIONS, Evaluation } from '../evaluation';
import { contextOfBucket, pushTogether, readTogether } from '../positions';
import { ROLE_LEADING } from '../roles';
import { weightComponent } from './attribute-rank';
import { proximityComponents, pushNeighbours } from './proximity';
import { placeComponent } from './word-position';

@unmanaged
export class PositionEvaluation extends Evaluation {
  /** one more than the greatest cost, if ranks are needed */
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

/** Reads the costs of all documents of a bucket. */
export function readingBegin(search: Search, rule: u32, bucket: Bucket): PositionEvaluation {
  const evaluation = changetype<PositionEvaluation>(alloc(offsetof<PositionEvaluation>()));
  evaluation.rule = rule;
  evaluation.kind = EVALUATION_POSITIONS;
  evaluation.bucket = bucket;
  evaluation.rest = 0;
  evaluation.max = 0;
  readCosts(search, evaluation);
  return evaluation;
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

function readCosts(search: Search, evaluation: PositionEvaluation): void {
  const bucket = evaluation.bucket;
  const kind = ruleAt(search, evaluation.rule).kind;
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

/** Adds the documents with the next cost to a bitmap, and their interpretations to a list; moves on to the cost after it. */
export function takeCost(search: Search, evaluation: PositionEvaluation, bitmap: usize, into: usize): void {
  const paths = pathCount(evaluation.paths);
  const marks = allocZeroed(<usize>paths + 16);
  const count = evaluation.bucket.count;
  evaluation.cost = costBucket(
    evaluation.slots,
    evaluation.costs,
    evaluation.chosen,
    count,
    evaluation.cost,
    bitmap,
    marks,
    search.duplicates,
  );
  for (let i: u32 = 0; i < paths; i++) if (load<u8>(marks + i)) pushPath(into, pathAt(evaluation.paths, i));
}

export function positionalNext(search: Search, pointer: Evaluation): Bucket {
  const evaluation = changetype<PositionEvaluation>(pointer);
  while (evaluation.cost !== IMPOSSIBLE) {
    const cost = evaluation.cost;
    const bitmap = newBitmap(search);
    const live = liveCreate(false);
    takeCost(search, evaluation, bitmap, live.paths);
    const count = bitmapCount(bitmap, search.bytes);
    if (count === 0) continue;
    return bucketOf(bitmap, count, live, evaluation.context, rankStep(evaluation.rule, evaluation.max - cost, evaluation.max));
  }
  return changetype<Bucket>(0);
}
