/**
 * Rules whose cost is a sum of choices, one per node, that depend on sets of documents only. The choices of a node are disjoint
 * and tried in ascending order of cost. Once many combinations have been tried, the costs of all documents are added up instead.
 */
import { NO_SUM } from '../../costs/cost-sums';
import {
  Live,
  liveCreate,
  Path,
  pathAt,
  pathCount,
  pathCreate,
  pushNewPath,
  setState,
  stateAt,
} from '../../graph/interpretations';
import { Search } from '../../plan/search';
import { alloc } from '../../runtime/arena';
import { Assignment, assign, assignmentOf, assignNarrowed, beginBucket, narrow, removeDuplicates } from '../assignment';
import { Bucket, bucketOf, rankStep } from '../bucket';
import { EVALUATION_CHOICES, Evaluation } from '../evaluation';
import { choiceDocuments, choicesOf, costOf, greatestCost, isExcluded, keepsStates, nextOf } from './choice-kinds';
import { assignLeast, leastSum, MAX_SUMMED_PATHS, sumsOfPaths } from './choice-sums';
import { NO_STATE } from './proximity';

@unmanaged
class ChoiceEvaluation extends Evaluation {
  /** CHOOSE_… */
  choices: u32;
  /** cost of the next bucket, and the greatest cost */
  cost: u32;
  greatest: u32;
  assignment: Assignment;
  /** number of sets of documents that were intersected so far */
  tried: u32;
  /** see {@link sumsOfPaths}; 0: combinations of choices are tried */
  sums: usize;
  /** states of the current variant for later rules */
  next: Path;
  /** the bucket that is being filled: number of documents and interpretations */
  count: u32;
  live: Live;
}

export function choicesBegin(search: Search, rule: u32, choices: u32, bucket: Bucket): Evaluation {
  const evaluation = changetype<ChoiceEvaluation>(alloc(offsetof<ChoiceEvaluation>()));
  evaluation.rule = rule;
  evaluation.kind = EVALUATION_CHOICES;
  evaluation.bucket = bucket;
  evaluation.rest = 0;
  evaluation.choices = choices;
  evaluation.cost = 0;
  evaluation.greatest = greatestCost(search, choices, bucket.live);
  evaluation.assignment = assignmentOf(bucket.bitmap, bucket.count);
  evaluation.tried = 0;
  evaluation.sums = 0;
  evaluation.next = pathCreate();
  return evaluation;
}

/**
 * Number of intersections after which costs are added up: that takes about as long as a few intersections for each choice of each
 * node. The number of combinations grows exponentially with the nodes, but mostly the page is full after the first ones.
 */
const MOST_TRIED: u32 = 48;

/** All documents that are in no bucket yet cost at least this much. */
export function costOfRest(evaluation: Evaluation): u32 {
  return changetype<ChoiceEvaluation>(evaluation).cost;
}

/** Whether the costs of all documents are to be added up from now on. */
function isSummed(evaluation: ChoiceEvaluation): bool {
  if (evaluation.tried < MOST_TRIED || !keepsStates(evaluation.choices)) return false;
  return pathCount(evaluation.bucket.live.paths) <= MAX_SUMMED_PATHS;
}

export function choicesNext(search: Search, pointer: Evaluation): Bucket {
  const evaluation = changetype<ChoiceEvaluation>(pointer);
  const max = evaluation.greatest + 1;
  const live = evaluation.bucket.live;
  while (evaluation.cost < max) {
    removeDuplicates(search, evaluation.assignment);
    if (evaluation.assignment.count === 0) break;
    beginBucket(search, evaluation.assignment);
    evaluation.count = 0;
    evaluation.live = liveCreate(false);
    if (evaluation.sums === 0 && isSummed(evaluation)) {
      evaluation.sums = sumsOfPaths(search, evaluation.choices, live, evaluation.greatest, evaluation.assignment);
    }
    if (evaluation.sums === 0) fillByTrying(search, evaluation);
    else fillBySums(search, evaluation);
    if (evaluation.count === 0) continue;
    const step = rankStep(evaluation.rule, max - (evaluation.cost - 1), max);
    return bucketOf(evaluation.assignment.filled, evaluation.count, evaluation.live, evaluation.bucket.context, step);
  }
  return changetype<Bucket>(0);
}

/** Assigns the documents of the next cost, which may be none. */
function fillByTrying(search: Search, evaluation: ChoiceEvaluation): void {
  const cost = evaluation.cost++;
  evaluation.next.count = 0;
  visit(search, evaluation, 0, pathCount(evaluation.bucket.live.paths), 0, cost, 0);
}

/** Assigns the documents of the next cost that any has. */
function fillBySums(search: Search, evaluation: ChoiceEvaluation): void {
  const count = pathCount(evaluation.bucket.live.paths);
  const sums = evaluation.sums;
  const assignment = evaluation.assignment;
  const cost = leastSum(sums, count, assignment);
  evaluation.cost = cost === NO_SUM ? cost : cost + 1;
  if (cost === NO_SUM) return;
  evaluation.count = assignLeast(search, sums, count, cost, assignment, evaluation.live.paths);
}

/**
 * Assigns the documents of all variants with one cost. Reads the paths [from, to), which share the states before `index`. `left`:
 * cost that remains for the other nodes; `documents`: bitmap of the choices made so far, 0 for all documents.
 */
function visit(search: Search, evaluation: ChoiceEvaluation, from: u32, to: u32, index: u32, left: u32, documents: usize): void {
  const paths = evaluation.bucket.live.paths;
  for (let first = from; first < to; ) {
    const path = pathAt(paths, first);
    let end = first + 1;
    // Paths with a common beginning are processed together.
    if (evaluation.bucket.live.initial) while (end < to && areAlike(path, pathAt(paths, end), index)) end++;
    if (index === path.count) {
      if (left === 0) assignTo(search, evaluation, index);
    } else {
      choose(search, evaluation, first, end, index, left, documents);
    }
    first = end;
  }
}

function areAlike(path: Path, other: Path, index: u32): bool {
  if (index === path.count || index === other.count) return path.count === other.count;
  return stateAt(path, index) === stateAt(other, index);
}

/** Assigns the documents with the choices made for `places` nodes. */
function assignTo(search: Search, evaluation: ChoiceEvaluation, places: u32): void {
  const assignment = evaluation.assignment;
  const assigned = places === 0 ? assign(search, assignment, 0) : assignNarrowed(search, assignment, places - 1);
  if (assigned === 0) return;
  evaluation.count += assigned;
  pushNewPath(evaluation.live.paths, evaluation.next);
}

function choose(
  search: Search,
  evaluation: ChoiceEvaluation,
  first: u32,
  end: u32,
  index: u32,
  left: u32,
  documents: usize,
): void {
  const kind = evaluation.choices;
  const path = pathAt(evaluation.bucket.live.paths, first);
  const state = stateAt(path, index);
  const before = index > 0 ? stateAt(path, index - 1) : NO_STATE;
  const next = evaluation.next;
  const count = choicesOf(search, kind, state, before);
  for (let choice: u32 = 0; choice < count; choice++) {
    if (isExcluded(kind, state, choice)) continue;
    const cost = costOf(search, kind, state, choice);
    if (cost > left) continue;
    const own = choiceDocuments(search, kind, state, before, choice);
    evaluation.tried++;
    const narrowed = narrow(search, evaluation.assignment, index, documents, own);
    if (narrowed === 0) continue;
    setState(next, index, nextOf(search, kind, state, choice));
    next.count = index + 1;
    visit(search, evaluation, first, end, index + 1, left - cost, narrowed);
    next.count = index;
  }
}
