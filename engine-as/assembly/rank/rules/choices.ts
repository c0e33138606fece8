/**
 * Rules whose cost is a sum of choices, one per node, that depend on sets of documents only. The choices of a node are disjoint
 * and tried in ascending order of cost.
 */
import { newBitmap } from '../../derive/sources';
import { nodeAt } from '../../graph/graph';
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
import { ANY_CLASS, stateOf } from '../../graph/state';
import { Search } from '../../plan/search';
import { alloc } from '../../runtime/arena';
import { Bucket, bucketOf, rankStep } from '../bucket';
import { Claims, claimsOf, narrow, removeDead, take } from '../claims';
import { EVALUATION_CHOICES, Evaluation } from '../evaluation';
import { greatestSum } from '../greatest';
import { weightChoices, weightCost, weightDocuments, weightGreatest } from './attribute-rank';
import { EXACT_CHOICES, exactWordsCost, exactWordsDocuments, exactWordsGreatest, exactWordsNext } from './exact-words';
import { NO_STATE, nearChoiceDocuments, nearChoices, proximityGreatest } from './proximity';
import { TYPO_CHOICES, typoAllows, typoCost, typoDocuments, typoGreatest, typoNext } from './typo';
import { placeChoices, placeDocuments, placeGreatest } from './word-position';

export const CHOOSE_TYPOS: u32 = 0;
export const CHOOSE_EXACT_WORDS: u32 = 1;
export const CHOOSE_WEIGHTS: u32 = 2;
export const CHOOSE_PLACES: u32 = 3;
export const CHOOSE_NEARNESS: u32 = 4;

function choicesOf(search: Search, kind: u32, state: u32, left: u32): u32 {
  switch (kind) {
    case CHOOSE_TYPOS:
      return TYPO_CHOICES;
    case CHOOSE_EXACT_WORDS:
      return EXACT_CHOICES;
    case CHOOSE_WEIGHTS:
      return weightChoices(search, state);
    case CHOOSE_PLACES:
      return placeChoices(search, state);
    default:
      return nearChoices(search, state, left);
  }
}

function costOf(search: Search, kind: u32, state: u32, choice: u32): u32 {
  switch (kind) {
    case CHOOSE_TYPOS:
      return typoCost(search, state, choice);
    case CHOOSE_EXACT_WORDS:
      return exactWordsCost(search, state, choice);
    case CHOOSE_WEIGHTS:
      return weightCost(search, state, choice);
    default:
      return choice;
  }
}

/** The documents of a choice as a bitmap, or 0 for none. */
function documentsOf(search: Search, kind: u32, state: u32, left: u32, choice: u32): usize {
  switch (kind) {
    case CHOOSE_TYPOS:
      return typoDocuments(search, state, choice);
    case CHOOSE_EXACT_WORDS:
      return exactWordsDocuments(search, state, choice);
    case CHOOSE_WEIGHTS:
      return weightDocuments(search, state, choice);
    case CHOOSE_PLACES:
      return placeDocuments(search, state, choice);
    default:
      return nearChoiceDocuments(search, state, left, choice);
  }
}

/** The state of the node for later rules. */
function nextOf(search: Search, kind: u32, state: u32, choice: u32): u32 {
  if (kind === CHOOSE_TYPOS) return typoNext(search, state, choice);
  return kind === CHOOSE_EXACT_WORDS ? exactWordsNext(search, state, choice) : state;
}

function greatestOf(search: Search, kind: u32, state: u32): u32 {
  switch (kind) {
    case CHOOSE_TYPOS:
      return typoGreatest(search, state);
    case CHOOSE_EXACT_WORDS:
      return exactWordsGreatest(search, state);
    case CHOOSE_WEIGHTS:
      return weightGreatest(search, state);
    default:
      return placeGreatest(search, state);
  }
}

/** The greatest cost of any interpretation. */
function greatestCost(search: Search, kind: u32, live: Live): u32 {
  if (kind === CHOOSE_NEARNESS) return proximityGreatest(search, live);
  if (live.initial) {
    const graph = search.graph;
    const weights = alloc(((<usize>graph.nodeCount) << 2) + 4);
    for (let id: u32 = 0; id < graph.nodeCount; id++) {
      const state = stateOf(nodeAt(graph, id), ANY_CLASS, false);
      store<u32>(weights + ((<usize>id) << 2), greatestOf(search, kind, state));
    }
    return greatestSum(graph, weights);
  }
  let greatest: u32 = 0;
  for (let i: u32 = 0; i < pathCount(live.paths); i++) {
    const path = pathAt(live.paths, i);
    let sum: u32 = 0;
    for (let k: u32 = 0; k < path.count; k++) sum += greatestOf(search, kind, stateAt(path, k));
    greatest = max<u32>(greatest, sum);
  }
  return greatest;
}

@unmanaged
class ChoiceEvaluation extends Evaluation {
  /** CHOOSE_… */
  choices: u32;
  /** cost of the next bucket, and the greatest cost */
  cost: u32;
  greatest: u32;
  claims: Claims;
  /** states of the current variant for later rules */
  next: Path;
  /** the bucket that is being filled: its bitmap, number of documents and interpretations */
  filled: usize;
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
  evaluation.claims = claimsOf(search, bucket.bitmap, bucket.count);
  evaluation.next = pathCreate();
  return evaluation;
}

export function choicesNext(search: Search, pointer: Evaluation): Bucket {
  const evaluation = changetype<ChoiceEvaluation>(pointer);
  const max = evaluation.greatest + 1;
  const bucket = evaluation.bucket;
  while (evaluation.cost < max) {
    const cost = evaluation.cost++;
    removeDead(search, evaluation.claims);
    if (evaluation.claims.left === 0) break;
    evaluation.filled = newBitmap(search);
    evaluation.count = 0;
    evaluation.live = liveCreate(false);
    evaluation.next.count = 0;
    visit(search, evaluation, 0, pathCount(bucket.live.paths), 0, cost, 0);
    if (evaluation.count === 0) continue;
    const step = rankStep(evaluation.rule, max - cost, max);
    return bucketOf(evaluation.filled, evaluation.count, evaluation.live, bucket.context, step);
  }
  return changetype<Bucket>(0);
}

/**
 * Claims the documents of all variants with one cost. Reads the paths [from, to), which share the states before `index`. `left`:
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
      if (left === 0) claim(search, evaluation, documents);
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

function claim(search: Search, evaluation: ChoiceEvaluation, documents: usize): void {
  const taken = take(search, evaluation.claims, documents, evaluation.filled);
  if (taken === 0) return;
  evaluation.count += taken;
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
    if (kind === CHOOSE_TYPOS && !typoAllows(state, choice)) continue;
    const cost = costOf(search, kind, state, choice);
    if (cost > left) continue;
    const own = documentsOf(search, kind, state, before, choice);
    const narrowed = narrow(search, evaluation.claims, index, documents, own);
    if (narrowed === 0) continue;
    setState(next, index, nextOf(search, kind, state, choice));
    next.count = index + 1;
    visit(search, evaluation, first, end, index + 1, left - cost, narrowed);
    next.count = index;
  }
}
