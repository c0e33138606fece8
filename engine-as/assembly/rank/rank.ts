/** Ranks the documents of one search: from a plan to ordered hits. */

import { cacheBegin } from '../cache/cache';
import { memoCreate } from '../cache/memo';
import { Context } from '../costs/context';
import { cachedDerivationsBegin } from '../derive/cached-derivations';
import { copyOf, newBitmap } from '../derive/sources';
import { filterDocuments } from '../filter/evaluate';
import { FilterPlan } from '../filter/plan';
import { ordinalLists } from '../filter/vector-ordinals';
import { buildGraph } from '../graph/build';
import { interpretations, Live } from '../graph/interpretations';
import { Query, readQuery } from '../graph/query';
import { findGroups } from '../graph/removal';
import { needsNoWords, Plan, PlanRule, Ranked, Step } from '../plan/plan';
import { CLOCK_EVERY, inIndex, Search } from '../plan/search';
import { allDocuments, liveDocuments } from '../remote/documents';
import { alloc } from '../runtime/arena';
import { now } from '../runtime/env';
import { bitmapAndNot, bitmapCount } from '../sets/bitmap';
import { tokenizerCreate } from '../text/tokenizer';
import { bucketOf } from './bucket';
import { candidates, excludeNegatives, hasNegatives } from './candidates';
import { collectorCreate, isDistinct } from './collect';
import { distinctCount } from './distinct';
import { rankBucket } from './loop';
import { matchTerms } from './match-terms';
import { weightsOf } from './rules/attribute-rank';

/**
 * Minimum time for looking up synonyms, in milliseconds, even after the deadline, so that the set of matches can depend on time only if
 * there are very many synonyms.
 */
const MIN_MATCHING_MS: f64 = 150;
/** Minimum time for a filter, however long the query took before it. */
const MIN_FILTERING_MS: f64 = 150;

/**
 * Ranks documents. The result is in scratch memory. Documents that the query excludes are removed from the universe of the plan, if it has one.
 */
export function rank(plan: Plan): Ranked {
  cacheBegin();
  cachedDerivationsBegin();
  const search = begin(plan);
  const query = queryOf(search);
  buildGraph(search, query);
  findGroups(search);
  const isPlaceholder = search.graph.termCount === 0;
  if (isPlaceholder) keepRulesWithoutWords(plan);
  const live = interpretations(search);
  const universe = filtered(search, matching(search, query, live, isPlaceholder));
  const count = bitmapCount(universe, search.bytes);
  const ranked = changetype<Ranked>(alloc(offsetof<Ranked>()));
  ranked.terms = plan.matches && !isPlaceholder ? matchTerms(search) : null;
  const collector = collectorCreate(search, universe, count);
  if (collector.needed > 0) {
    const all = bucketOf(universe, count, live, changetype<Context>(0), changetype<Step>(0));
    rankBucket(search, collector, all, 0);
  }
  if (search.removed !== 0) bitmapAndNot(collector.counted, search.removed, search.bytes);
  if (isDistinct(collector) && plan.exhaustive) distinctCount(search, collector.distinct, collector.counted);
  ranked.hits = collector.hits;
  ranked.hitCount = collector.hitCount;
  ranked.counted = collector.counted;
  ranked.total = collector.counted === universe ? count : bitmapCount(collector.counted, search.bytes);
  ranked.degraded = search.degraded ? 1 : 0;
  return ranked;
}

/** A bitmap of the documents that match the query. */
function matching(search: Search, query: Query, live: Live, isPlaceholder: bool): usize {
  const plan = search.plan;
  // The caller may search a given universe for further documents (hybrid search), so excluded ones are removed from it.
  let documents = plan.universe;
  if (documents === 0) documents = isPlaceholder || hasNegatives(query) ? copyOf(search, search.live) : search.live;
  excludeNegatives(search, query, documents);
  if (isPlaceholder) return plan.universe === 0 ? documents : copyOf(search, documents);
  return plan.searchesNothing ? newBitmap(search) : candidates(search, live, documents);
}

/**
 * Those of the documents that the filter selects. A filter comes after the query because it usually has to examine fewer documents then than
 * the whole index has.
 */
function filtered(search: Search, documents: usize): usize {
  const plan = search.plan;
  if (plan.filter === 0) return documents;
  const filter = changetype<FilterPlan>(plan.filter);
  filter.deadline = max<f64>(filter.deadline, now() + MIN_FILTERING_MS);
  return filterDocuments(plan.segments, search.bytes, filter, documents);
}

function begin(plan: Plan): Search {
  const search = changetype<Search>(alloc(offsetof<Search>()));
  memory.fill(changetype<usize>(search), 0, offsetof<Search>());
  search.deadline = plan.deadline;
  search.unclocked = CLOCK_EVERY;
  search.matchingDeadline = max<f64>(plan.deadline, now() + MIN_MATCHING_MS);
  search.plan = plan;
  search.index = plan.index;
  search.weights = weightsOf(plan);
  search.memo = memoCreate();
  search.bytes = plan.bitmapBytes;
  search.inOneMemory = true;
  for (let number: u32 = 0; number < plan.segments.count; number++) {
    if (!plan.segments.at(number).isHere) search.inOneMemory = false;
    if (plan.segments.at(number).tombstones !== 0) search.hasDeleted = true;
  }
  search.live = search.hasDeleted
    ? liveDocuments(plan.segments, plan.bitmapBytes)
    : allDocuments(plan.segments, plan.bitmapBytes);
  const target = plan.target;
  if (target !== null) search.ordinals = ordinalLists(plan.segments, plan.bitmapBytes, target.embedder);
  search.removed = plan.threshold >= 0 ? newBitmap(search) : 0;
  search.duplicates = plan.isDistinct ? newBitmap(search) : 0;
  return search;
}

function queryOf(search: Search): Query {
  const plan = search.plan;
  const index = search.index;
  const tokenizer =
    plan.textLength > 0 && index.tokenizer !== 0 ? tokenizerCreate(inIndex(index, index.tokenizer), index.tokenizerLength) : 0;
  return readQuery(tokenizer, plan.text, plan.textLength, plan.locales, index.prefixSearch !== 0);
}

/** For a query without terms, keeps only the rules that need no words. */
function keepRulesWithoutWords(plan: Plan): void {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < plan.ruleCount; i++) {
    const rule = plan.rules + <usize>i * offsetof<PlanRule>();
    if (!needsNoWords(changetype<PlanRule>(rule).kind)) continue;
    memory.copy(plan.rules + <usize>kept * offsetof<PlanRule>(), rule, offsetof<PlanRule>());
    kept++;
  }
  plan.ruleCount = kept;
}
