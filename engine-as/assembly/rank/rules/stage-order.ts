/**
 * The order in which proximity reads the documents of a large bucket: that of the rule that follows, as far as it is known from sets. That is
 * attribute rank, or word position where all attributes have the same rank.
 */
import { IMPOSSIBLE } from '../../costs/components';
import { isLarge } from '../../derive/sources';
import { pathAt, pathCount } from '../../graph/interpretations';
import { RULE_ATTRIBUTE_RANK, RULE_WORD_POSITION } from '../../plan/plan';
import { Search } from '../../plan/search';
import { alloc } from '../../runtime/arena';
import { bitmapOr } from '../../sets/bitmap';
import { Bucket, ruleAt } from '../bucket';
import { Evaluation } from '../evaluation';
import { arePartitioned, partitionCheapest } from '../partitions';
import { BY_POSITION, BY_WEIGHT } from '../run-sets';
import { CHOOSE_KNOWN_PLACES, CHOOSE_WEIGHTS } from './choice-kinds';
import { choicesBegin, choicesNext, costOfRest } from './choices';

/** In place of a rule. */
export const NO_RULE: u32 = 0xffffffff;

@unmanaged
export class StageOrder {
  /** generates the documents in ascending order of cost */
  choices: Evaluation;
  /** index of the word position rule if these costs are lower bounds of its costs, otherwise {@link NO_RULE} */
  placeRule: u32;
  /** number of documents so far, and in all */
  documents: u32;
  count: u32;
  /** all documents with costs up to this one were generated; IMPOSSIBLE: all documents */
  reached: u32;
}

/** The rule after `rule` that makes a difference, if the documents of a bucket can be ordered by it; otherwise {@link NO_RULE}. */
function orderingRule(search: Search, rule: u32): u32 {
  let next = rule + 1;
  const count = search.plan.ruleCount;
  if (next < count && ruleAt(search, next).kind === RULE_ATTRIBUTE_RANK && search.index.maxWeight === 0) next++;
  if (next >= count) return NO_RULE;
  const kind = ruleAt(search, next).kind;
  return kind === RULE_ATTRIBUTE_RANK || kind === RULE_WORD_POSITION ? next : NO_RULE;
}

/**
 * Whether the documents of a bucket can be read in stages: it is large, has one interpretation of several nodes, and something is known of
 * their costs by the rule that follows. Missing sets are computed if that has become worthwhile.
 */
export function canStage(search: Search, rule: u32, bucket: Bucket): bool {
  if (!search.inOneMemory || !isLarge(search, bucket.count) || pathCount(bucket.live.paths) !== 1) return false;
  const ordering = orderingRule(search, rule);
  const path = pathAt(bucket.live.paths, 0);
  if (path.count < 2 || ordering === NO_RULE) return false;
  const postings = <f64>bucket.count * <f64>search.plan.postingsPerDocument;
  if (ruleAt(search, ordering).kind === RULE_ATTRIBUTE_RANK) return arePartitioned(search, path, BY_WEIGHT, postings);
  return partitionCheapest(search, bucket.live.paths, BY_POSITION, bucket.count, postings);
}

/** For a bucket that {@link canStage}. */
export function orderBegin(search: Search, rule: u32, bucket: Bucket): StageOrder {
  const order = changetype<StageOrder>(alloc(offsetof<StageOrder>()));
  const ordering = orderingRule(search, rule);
  const isByPlace = ruleAt(search, ordering).kind === RULE_WORD_POSITION;
  order.placeRule = isByPlace ? ordering : NO_RULE;
  order.choices = choicesBegin(search, rule, isByPlace ? CHOOSE_KNOWN_PLACES : CHOOSE_WEIGHTS, bucket);
  order.documents = 0;
  order.count = bucket.count;
  order.reached = 0;
  return order;
}

/**
 * The documents of the next stage as a bitmap, 0 after the last one. Each stage has at least as many documents as all stages before
 * together, because reading a stage may mean reading all postings of the words. Documents of a stage may differ in cost: the next rule orders
 * them.
 */
export function nextStage(search: Search, order: StageOrder): usize {
  let documents: usize = 0;
  let count: u32 = 0;
  do {
    const next = choicesNext(search, order.choices);
    if (changetype<usize>(next) === 0) break;
    if (documents === 0) documents = next.bitmap;
    else bitmapOr(documents, next.bitmap, search.bytes);
    count += next.count;
  } while (count < order.documents);
  order.documents += count;
  const isLast = documents === 0 || order.documents === order.count;
  order.reached = isLast ? IMPOSSIBLE : costOfRest(order.choices) - 1;
  return documents;
}
