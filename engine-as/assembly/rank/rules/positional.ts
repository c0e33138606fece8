/** Rules whose cost is a sum of components read from positions: proximity, attribute rank, word position. */

import { isLarge } from '../../derive/sources';
import { Live, liveCreate, pathAt, pathCount, pushPath, stateAt, termsOf } from '../../graph/interpretations';
import { nodeOf } from '../../graph/state';
import { RULE_ATTRIBUTE_RANK, RULE_PROXIMITY, RULE_WORD_POSITION } from '../../plan/plan';
import { Search } from '../../plan/search';
import { alloc } from '../../runtime/arena';
import { assignmentOf, assignPath, removeDuplicates } from '../assignment';
import { Bucket, bucketOf, rankStep, ruleAt } from '../bucket';
import { EVALUATION_WHOLE, Evaluation } from '../evaluation';
import { areCombinationsFew, arePartitioned, MAX_POSITION_COST, wouldBePartitioned } from '../partitions';
import { BY_POSITION, BY_WEIGHT } from '../run-sets';
import { boundedBegin, canBound } from './bounded-places';
import { CHOOSE_NEARNESS, CHOOSE_PLACES, CHOOSE_WEIGHTS } from './choice-kinds';
import { MAX_SUMMED_PATHS } from './choice-sums';
import { choicesBegin } from './choices';
import { readingBegin } from './cost-reading';
import { isRankedBySets, proximityGreatest } from './proximity';
import { canStage } from './stage-order';
import { stagesBegin } from './staged-proximity';

/**
 * Most combinations of costs of the nodes of a path that are tried with sets of documents, if there are too many paths to add up their
 * costs. With more, positions are read.
 */
const MAX_COMBINATIONS: u32 = 512;

/** All documents have the same cost. */
@unmanaged
class WholeEvaluation extends Evaluation {
  max: u32;
  isTaken: bool;
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

/** Whether a large bucket can be ranked by sets of documents instead of positions. */
function bySets(search: Search, kind: u32, bucket: Bucket, isStaged: bool): bool {
  if (kind === RULE_PROXIMITY) {
    return isRankedBySets(search, bucket, isStaged);
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
  const max = 1 + greatestCost(search, kind, bucket.live);
  if (max === 1 || isNeutral(search, kind, bucket.live)) return wholeBegin(rule, bucket, max);
  if (kind === RULE_WORD_POSITION && canBound(search, bucket)) return boundedBegin(search, rule, bucket, max);
  const evaluation = readingBegin(search, rule, bucket);
  evaluation.max = max;
  return evaluation;
}

/** For a rule by which all documents of a bucket have the same cost, the least: nothing is read. `max`: one more than the greatest cost. */
export function wholeBegin(rule: u32, bucket: Bucket, max: u32): Evaluation {
  const evaluation = changetype<WholeEvaluation>(alloc(offsetof<WholeEvaluation>()));
  evaluation.rule = rule;
  evaluation.kind = EVALUATION_WHOLE;
  evaluation.bucket = bucket;
  evaluation.rest = 0;
  evaluation.max = max;
  evaluation.isTaken = false;
  return evaluation;
}

/** Whether the rule makes no difference: the proximity of a single word. */
function isNeutral(search: Search, kind: u32, live: Live): bool {
  if (kind !== RULE_PROXIMITY || pathCount(live.paths) !== 1) return false;
  const path = pathAt(live.paths, 0);
  return path.count === 1 && nodeOf(search, stateAt(path, 0)).size === 1;
}

/** All documents in one bucket; 0 at the second call. */
export function wholeNext(search: Search, pointer: Evaluation): Bucket {
  const evaluation = changetype<WholeEvaluation>(pointer);
  if (evaluation.isTaken) return changetype<Bucket>(0);
  evaluation.isTaken = true;
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
