/** The bucket loop: each rule divides the buckets of the rule before it, best bucket first, until enough documents are found. */

import { memoMark, memoRelease, moveMark } from '../cache/memo';
import { copyOf } from '../derive/sources';
import {
  RULE_EXACT_ATTRIBUTE,
  RULE_EXACT_WORDS,
  RULE_FIELD,
  RULE_GEO,
  RULE_PROXIMITY,
  RULE_SIMILARITY,
  RULE_TYPO,
  RULE_WORDS,
  SKIPPED_RULE,
  Step,
} from '../plan/plan';
import { isExpired, Search } from '../plan/search';
import { alloc } from '../runtime/arena';
import { bitmapAndNot, bitmapCount, bitmapOr } from '../sets/bitmap';
import { Bucket, rankStep, ruleAt } from './bucket';
import { Collector, setStep, stepAt, takeGroup } from './collect';
import {
  EVALUATION_BOUNDED,
  EVALUATION_CHOICES,
  EVALUATION_EXACT_ATTRIBUTE,
  EVALUATION_FIELD,
  EVALUATION_GEO,
  EVALUATION_NEAREST,
  EVALUATION_POSITIONS,
  EVALUATION_SIMILARITY,
  EVALUATION_STAGES,
  EVALUATION_WORDS,
  Evaluation,
} from './evaluation';
import { enter, isNumbered, leave } from './numbering';
import { boundedNext } from './rules/bounded-places';
import { CHOOSE_EXACT_WORDS, CHOOSE_TYPOS } from './rules/choice-kinds';
import { choicesBegin, choicesNext } from './rules/choices';
import { positionalNext } from './rules/cost-reading';
import { exactAttributeBegin, exactAttributeNext } from './rules/exact-attribute';
import { fieldBegin, fieldNext } from './rules/field';
import { geoBegin, geoNext } from './rules/geo';
import { bucketOfOthers, nearestBegin, nearestNext, othersOf, setOthers } from './rules/nearest';
import { positionalBegin, wholeNext } from './rules/positional';
import { mayBeNearer, similarityBegin, similarityNext } from './rules/similarity';
import { stagesNext } from './rules/staged-proximity';
import { wordsBegin, wordsNext } from './rules/words';

function begin(search: Search, rule: u32, bucket: Bucket): Evaluation {
  switch (ruleAt(search, rule).kind) {
    case RULE_WORDS:
      return wordsBegin(search, rule, bucket);
    case RULE_TYPO:
      return choicesBegin(search, rule, CHOOSE_TYPOS, bucket);
    case RULE_EXACT_ATTRIBUTE:
      return exactAttributeBegin(search, rule, bucket);
    case RULE_EXACT_WORDS:
      return choicesBegin(search, rule, CHOOSE_EXACT_WORDS, bucket);
    case RULE_FIELD:
      return fieldBegin(search, rule, bucket);
    case RULE_GEO:
      return geoBegin(search, rule, bucket);
    case RULE_SIMILARITY:
      return similarityBegin(search, rule, bucket);
    case RULE_PROXIMITY: {
      const nearest = nearestBegin(search, rule, bucket);
      return changetype<usize>(nearest) !== 0 ? nearest : positionalBegin(search, rule, bucket);
    }
    default:
      return positionalBegin(search, rule, bucket);
  }
}

/** The next bucket of an evaluation, or 0 after the last one. */
function next(search: Search, evaluation: Evaluation): Bucket {
  switch (evaluation.kind) {
    case EVALUATION_WORDS:
      return wordsNext(search, evaluation);
    case EVALUATION_CHOICES:
      return choicesNext(search, evaluation);
    case EVALUATION_POSITIONS:
      return positionalNext(search, evaluation);
    case EVALUATION_STAGES:
      return stagesNext(search, evaluation);
    case EVALUATION_BOUNDED:
      return boundedNext(search, evaluation);
    case EVALUATION_EXACT_ATTRIBUTE:
      return exactAttributeNext(search, evaluation);
    case EVALUATION_FIELD:
      return fieldNext(search, evaluation);
    case EVALUATION_GEO:
      return geoNext(search, evaluation);
    case EVALUATION_SIMILARITY:
      return similarityNext(search, evaluation);
    case EVALUATION_NEAREST: {
      const nearest = nearestNext(evaluation);
      return changetype<usize>(nearest) !== 0 ? nearest : nextOfOthers(search, evaluation);
    }
    default:
      return wholeNext(search, evaluation);
  }
}

/** The next bucket of the documents whose words are not adjacent. */
function nextOfOthers(search: Search, evaluation: Evaluation): Bucket {
  if (changetype<usize>(othersOf(evaluation)) === 0) {
    const bucket = bucketOfOthers(search, evaluation);
    if (changetype<usize>(bucket) === 0) return bucket;
    setOthers(evaluation, positionalBegin(search, evaluation.rule, bucket));
  }
  return next(search, othersOf(evaluation));
}

/** A linked list of the buckets read so far. */
@unmanaged
class ReadBucket {
  bitmap: usize;
  before: usize;
}

function readBucket(bitmap: usize, before: usize): usize {
  const read = changetype<ReadBucket>(alloc(offsetof<ReadBucket>()));
  read.bitmap = bitmap;
  read.before = before;
  return changetype<usize>(read);
}

/**
 * Adds the documents of a bucket to the hits, best first. `rule`: index of the rule to apply next. Memory used for a group of
 * tied documents is released before the next group is read. Returns false when there are enough hits.
 */
export function rankBucket(search: Search, collector: Collector, bucket: Bucket, rule: u32): bool {
  const isSettled = rule === search.plan.ruleCount || (bucket.count === 1 && !search.plan.detailed);
  if (isSettled) return takeGroup(search, collector, bucket.bitmap, bucket.count, bucket.slots, rule);
  if (isExpired(search, bucket.count)) return skip(search, collector, bucket.bitmap, bucket.count, rule);
  if (!isNumbered(search, bucket)) return divideBucket(search, collector, bucket, rule);
  const needsMore = divideBucket(search, collector, enter(search, bucket), rule);
  leave(search);
  return needsMore;
}

/** Divides a bucket by a rule and ranks the parts. */
function divideBucket(search: Search, collector: Collector, bucket: Bucket, rule: u32): bool {
  const evaluation = begin(search, rule, bucket);
  const mark = memoMark(search.memo);
  let read: usize = 0;
  while (true) {
    const inner = next(search, evaluation);
    if (changetype<usize>(inner) === 0) return true;
    setStep(collector, rule, inner.step);
    if (isBelow(search, collector, rule + 1)) {
      remove(search, inner.bitmap);
      if (mayBeNearer(evaluation)) continue;
      remove(search, unread(search, evaluation, read));
      return true;
    }
    if (evaluation.rest === 0) read = readBucket(inner.bitmap, read);
    moveMark(search.memo, mark);
    if (!rankBucket(search, collector, inner, rule + 1)) return false;
    memoRelease(search.memo, mark);
    if (isExpired(search, bucket.count)) {
      const rest = unread(search, evaluation, read);
      const count = bitmapCount(rest, search.bytes);
      return count === 0 || skip(search, collector, rest, count, rule);
    }
  }
}

/** A new bitmap of the documents of a bucket that are in none of the inner buckets read so far. */
function unread(search: Search, evaluation: Evaluation, read: usize): usize {
  if (evaluation.rest !== 0) return evaluation.rest;
  const rest = copyOf(search, evaluation.bucket.bitmap);
  for (let at = read; at !== 0; at = changetype<ReadBucket>(at).before) {
    bitmapAndNot(rest, changetype<ReadBucket>(at).bitmap, search.bytes);
  }
  return rest;
}

/** Adds the documents that are not ranked any further because the time limit has passed. */
function skip(search: Search, collector: Collector, bitmap: usize, count: u32, rule: u32): bool {
  search.degraded = true;
  const step = rankStep(SKIPPED_RULE, 0, 1);
  setStep(collector, rule, step);
  if (!isBelow(search, collector, rule + 1)) return takeGroup(search, collector, bitmap, count, 0, rule + 1);
  remove(search, bitmap);
  return true;
}

function remove(search: Search, bitmap: usize): void {
  bitmapOr(search.removed, bitmap, search.bytes);
}

function isSimilarity(search: Search, step: Step): bool {
  return step.rule !== SKIPPED_RULE && ruleAt(search, step.rule).kind === RULE_SIMILARITY;
}

/** Whether the score by the steps so far is below the threshold. Further steps can only lower it. */
function isBelow(search: Search, collector: Collector, depth: u32): bool {
  if (search.plan.threshold < 0) return false;
  let rank: f64 = 1;
  let max: f64 = 1;
  let isRanked = false;
  for (let i: u32 = 0; i < depth; i++) {
    const step = stepAt(collector, i);
    // with a similarity nothing else is scored
    if (isSimilarity(search, step)) return step.number < search.plan.threshold;
    if (step.max === 0) continue;
    isRanked = true;
    rank = (rank - 1) * <f64>step.max + <f64>step.rank;
    max *= <f64>step.max;
  }
  return isRanked && rank / max < search.plan.threshold;
}
