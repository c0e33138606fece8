/**
 * The documents of a state by cost, combined from the sets of each run of its words. The sets of long runs are stored in segments;
 * those of other runs are computed and cached.
 */

import { cacheAdd, cacheAdmits, cacheFind, cacheSpend, isCached } from '../cache/cache';
import { memoAdd, memoFind, UNKNOWN } from '../cache/memo';
import { CACHED_POSITIONS, CACHED_WEIGHTS, MEMO_COST } from '../cache/result-kinds';
import { Context } from '../costs/context';
import { addCostSet, spreadCostSet } from '../costs/cost-sets';
import { positionSets, weightSets } from '../costs/partitions';
import { POSITION_COSTS } from '../costs/position-costs';
import { SetsComponent, setsComponentAdd, setsComponentCreate } from '../costs/sets-component';
import { ATTRIBUTE_SEARCHED } from '../costs/sources';
import { Run, runAt, runCount } from '../derive/runs';
import { documentsOfRun, isLarge, localSource, longRunOf, newBitmap, postingsOfRun, runKey } from '../derive/sources';
import { Path, stateAt } from '../graph/interpretations';
import { phraseAt, phraseCount } from '../graph/node';
import { nodeOf } from '../graph/state';
import { Search, segmentBytes, segmentOf, segmentShare } from '../plan/search';
import { attributeAt, attributeOrInto, isWhole, placeOrInto } from '../postings/long-runs';
import { arenaMark, arenaReset } from '../runtime/arena';
import { bufferPush32 } from '../runtime/buffer';
import { SET_REST } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { bitmapAnd, bitmapAndNot, bitmapOr } from '../sets/bitmap';
import { leadingRuns, ROLE_LEADING, represents, wordInRole, wordRuns } from './roles';

/** With more weights than this, documents are not partitioned by weight: computing the sets takes a bitmap for each weight. */
const MAX_PARTITION_WEIGHTS: u32 = 64;
/** Each run of terms is partitioned separately; with more runs than this in each segment it does not pay off. */
const MAX_PARTITIONED_RUNS: u32 = 16;
/** The greatest cost of a word by the word position rule. */
export const MAX_POSITION_COST: u32 = POSITION_COSTS - 1;
/** Bytes per member of a set of documents, at most. */
const BYTES_PER_MEMBER: u32 = 4;

/** Partition by attribute rank: the cost is the weight of an attribute. */
export const BY_WEIGHT: u32 = 0;
/** Partition by word position: the cost is the distance from the position in the query. */
export const BY_POSITION: u32 = 1;

/** Number of costs of a state; 0: its documents cannot be partitioned. */
export function costsOf(search: Search, state: u32, kind: u32): u32 {
  if (kind === BY_POSITION) return nodeOf(search, state).size === 1 ? POSITION_COSTS : 0;
  const most = search.index.maxWeight;
  return most > 0 && most < MAX_PARTITION_WEIGHTS ? most + 1 : 0;
}

/** Whether the nodes of a path have at most this many combinations of costs: their number grows exponentially with the nodes. */
export function areCombinationsFew(search: Search, path: Path, kind: u32, most: u32): bool {
  let combinations: u32 = 1;
  for (let i: u32 = 0; i < path.count && combinations <= most; i++) combinations *= costsOf(search, stateAt(path, i), kind);
  return combinations <= most;
}

/** The cache key of the sets of a run. */
function setsKey(search: Search, state: u32, kind: u32, run: Run): usize {
  const key = runKey(search, kind === BY_WEIGHT ? CACHED_WEIGHTS : CACHED_POSITIONS, run);
  bufferPush32(key, kind === BY_WEIGHT ? search.index.scheme : nodeOf(search, state).start);
  if (kind === BY_WEIGHT && search.plan.restricted) pushSearched(search, key);
  return key;
}

/** Adds the numbers of the searched attributes to a key. */
function pushSearched(search: Search, key: usize): void {
  for (let field: u32 = 0; field < search.index.fieldCount; field++) {
    if (load<u8>(search.plan.fieldFlags + field) & ATTRIBUTE_SEARCHED) bufferPush32(key, field);
  }
}

/** The documents of a run by cost: CostSets, 0 when there is no room for them. */
function setsOf(search: Search, state: u32, kind: u32, run: Run): usize {
  const key = setsKey(search, state, kind, run);
  const known = cacheFind(key);
  if (known !== 0) return known;
  const docCount = segmentOf(search, run.segment).docCount;
  if (!cacheAdmits(key, <usize>(BYTES_PER_MEMBER * min<u32>(docCount, postingsOfRun(search, run))))) return 0;
  const mark = arenaMark();
  const source = localSource(search, run);
  const bytes = segmentBytes(search, run.segment);
  const made =
    kind === BY_WEIGHT
      ? weightSets(source, bytes, search.weights, search.index.maxWeight + 1, areWeightsAscending(search))
      : positionSets(source, bytes, nodeOf(search, state).start);
  arenaReset(mark);
  return cacheAdd(key, made);
}

/**
 * Whether the weights of fields never decrease from one field to the next. Then the first attribute that contains a word is its
 * best one.
 */
function areWeightsAscending(search: Search): bool {
  let before: u32 = 0;
  for (let field: u32 = 0; field < search.index.fieldCount; field++) {
    const weight: u32 = load<u16>(search.weights + ((<usize>field) << 1));
    if (weight < before) return false;
    before = weight;
  }
  return true;
}

/** Whether the segment of a run stores its documents by cost. By position: only for whole runs and the first word of a query. */
function isStored(search: Search, state: u32, kind: u32, run: Run): bool {
  if (kind === BY_POSITION && nodeOf(search, state).start !== 0) return false;
  const long = longRunOf(search, run);
  return changetype<usize>(long) !== 0 && (kind === BY_WEIGHT || isWhole(long));
}

/**
 * Adds the stored documents of a run with a cost to a bitmap. Returns whether there are any. By weight, documents may also have a
 * lower cost.
 */
function addStored(search: Search, kind: u32, cost: u32, run: Run, bitmap: usize): bool {
  const view = changetype<SegmentView>(segmentOf(search, run.segment).view);
  const long = longRunOf(search, run);
  if (kind === BY_POSITION) return placeOrInto(view, long, cost, bitmap);
  let any = false;
  for (let i: u32 = 0; i < long.attributeCount; i++) {
    const part = attributeAt(view, long, i);
    if (load<u16>(search.weights + ((<usize>part.attribute) << 1)) !== cost) continue;
    attributeOrInto(view, long, part, bitmap, part.form === SET_REST ? documentsOfRun(search, run) : 0);
    any = true;
  }
  return any;
}

function isAdmitted(search: Search, state: u32, kind: u32, run: Run, postings: f64): bool {
  if (isStored(search, state, kind, run)) return true;
  const key = setsKey(search, state, kind, run);
  // A run is charged what was read in its own segment.
  return isCached(key) || cacheSpend(key, postings * segmentShare(search, run.segment)) >= <f64>postingsOfRun(search, run);
}

/**
 * Adds the documents in which a word of a run is at the position of the node. False: they are not known without reading its postings.
 */
export function addInPlace(search: Search, state: u32, run: Run, bitmap: usize): bool {
  const target = bitmap + (segmentOf(search, run.segment).base >>> 3);
  if (isStored(search, state, BY_POSITION, run)) {
    addStored(search, BY_POSITION, 0, run, target);
    return true;
  }
  const known = cacheFind(setsKey(search, state, BY_POSITION, run));
  if (known !== 0) spreadCostSet(known, 0, target);
  return known !== 0;
}

/** The documents of a state with a cost but with no lower one; 0: none. */
export function documentsOfCost(search: Search, state: u32, kind: u32, cost: u32): usize {
  const known = memoFind(search.memo, MEMO_COST, kind, state, cost);
  return known !== UNKNOWN ? known : memoAdd(search.memo, MEMO_COST, kind, state, cost, makeDocuments(search, state, kind, cost));
}

function makeDocuments(search: Search, state: u32, kind: u32, cost: u32): usize {
  const all = newBitmap(search);
  const words = wordRuns(search, state, false);
  let any = spreadRuns(search, state, kind, cost, words, all);
  let areDisjoint = areSetsDisjoint(search, state, kind, words);
  let parts = runCount(words);
  const node = nodeOf(search, state);
  for (let i: u32 = 0; i < phraseCount(node); i++) {
    // The first word of a phrase counts only in documents that match the phrase.
    const phrase = phraseAt(node, i);
    const runs: usize = represents(phrase, state) ? wordInRole(phrase, ROLE_LEADING) : 0;
    if (runs === 0) continue;
    const own = newBitmap(search);
    any = spreadRuns(search, state, kind, cost, runs, own) || any;
    areDisjoint = areSetsDisjoint(search, state, kind, runs) && areDisjoint;
    parts += runCount(runs);
    bitmapAnd(own, phrase.documents, search.bytes);
    bitmapOr(all, own, search.bytes);
  }
  if (!any) return 0;
  for (let better: u32 = 0; better < cost && (parts > 1 || !areDisjoint); better++) {
    const documents = documentsOfCost(search, state, kind, better);
    if (documents !== 0) bitmapAndNot(all, documents, search.bytes);
  }
  return all;
}

/** Whether the sets of each run are disjoint. Stored sets by weight are not: a document may have words in several attributes. */
function areSetsDisjoint(search: Search, state: u32, kind: u32, runs: usize): bool {
  if (kind !== BY_WEIGHT) return true;
  for (let i: u32 = 0; i < runCount(runs); i++) if (isStored(search, state, kind, runAt(runs, i))) return false;
  return true;
}

function spreadRuns(search: Search, state: u32, kind: u32, cost: u32, runs: usize, bitmap: usize): bool {
  let any = false;
  for (let i: u32 = 0; i < runCount(runs); i++) {
    const run = runAt(runs, i);
    const target = bitmap + (segmentOf(search, run.segment).base >>> 3);
    if (isStored(search, state, kind, run)) any = addStored(search, kind, cost, run, target) || any;
    else any = spreadCostSet(setsOf(search, state, kind, run), cost, target) > 0 || any;
  }
  return any;
}

/**
 * Whether the documents of all states of a path are partitioned by cost. Missing sets are computed if that has become worthwhile.
 * `postings`: number of postings that this search reads when a set is missing.
 */
export function arePartitioned(search: Search, path: Path, kind: u32, postings: f64): bool {
  if (!search.inOneMemory || path.count === 0) return false;
  let parts: u32 = 0;
  for (let i: u32 = 0; i < path.count; i++) {
    if (costsOf(search, stateAt(path, i), kind) === 0) return false;
    parts += runCount(leadingRuns(search, stateAt(path, i)));
  }
  if (parts > mostRuns(search)) return false;
  let admitted = true;
  // Spending is recorded for every run, even if another run is still too expensive.
  for (let i: u32 = 0; i < path.count; i++) if (!areAdmitted(search, stateAt(path, i), kind, postings)) admitted = false;
  for (let i: u32 = 0; i < path.count && admitted; i++) admitted = areMade(search, stateAt(path, i), kind);
  return admitted;
}

function isPartitioned(search: Search, state: u32, kind: u32, postings: f64): bool {
  if (!search.inOneMemory || costsOf(search, state, kind) === 0) return false;
  if (runCount(leadingRuns(search, state)) > mostRuns(search)) return false;
  return areAdmitted(search, state, kind, postings) && areMade(search, state, kind);
}

function mostRuns(search: Search): u32 {
  return MAX_PARTITIONED_RUNS * search.plan.segments.count;
}

function areAdmitted(search: Search, state: u32, kind: u32, postings: f64): bool {
  const runs = leadingRuns(search, state);
  let admitted = true;
  for (let k: u32 = 0; k < runCount(runs); k++) if (!isAdmitted(search, state, kind, runAt(runs, k), postings)) admitted = false;
  return admitted;
}

function areMade(search: Search, state: u32, kind: u32): bool {
  const runs = leadingRuns(search, state);
  for (let k: u32 = 0; k < runCount(runs); k++) {
    const run = runAt(runs, k);
    if (!isStored(search, state, kind, run) && setsOf(search, state, kind, run) === 0) return false;
  }
  return true;
}

/** The cost of a state for the documents of a context, `unit` per cost: a component. 0 when it must be read from positions. */
export function partitionedComponent(search: Search, context: Context, state: u32, kind: u32, unit: u32): usize {
  const postings = <f64>context.count * <f64>search.plan.postingsPerDocument;
  if (!isLarge(search, context.count) || !isPartitioned(search, state, kind, postings)) return 0;
  const component = setsComponentCreate(changetype<usize>(context));
  const areStored = isAnyStored(search, state, kind);
  for (let cost: u32 = 0; cost < costsOf(search, state, kind) && component.left > 0; cost++) {
    if (!areStored && memoFind(search.memo, MEMO_COST, kind, state, cost) === UNKNOWN) {
      addStateSets(search, state, kind, cost, component, cost * unit);
      continue;
    }
    const documents = documentsOfCost(search, state, kind, cost);
    if (documents !== 0) setsComponentAdd(component, documents, search.bytes, 0, cost * unit, 0);
  }
  return component.costs;
}

/** Whether the segment of any run of a state stores its documents by cost. */
function isAnyStored(search: Search, state: u32, kind: u32): bool {
  const runs = leadingRuns(search, state);
  for (let i: u32 = 0; i < runCount(runs); i++) if (isStored(search, state, kind, runAt(runs, i))) return true;
  return false;
}

/** Adds the documents of a state with a cost, from the sets of its runs, without making a bitmap of them. */
function addStateSets(search: Search, state: u32, kind: u32, cost: u32, component: SetsComponent, added: u32): void {
  addRunSets(search, state, kind, cost, wordRuns(search, state, false), component, added, 0);
  const node = nodeOf(search, state);
  for (let i: u32 = 0; i < phraseCount(node); i++) {
    const phrase = phraseAt(node, i);
    const runs: usize = represents(phrase, state) ? wordInRole(phrase, ROLE_LEADING) : 0;
    if (runs !== 0) addRunSets(search, state, kind, cost, runs, component, added, phrase.documents);
  }
}

function addRunSets(
  search: Search,
  state: u32,
  kind: u32,
  cost: u32,
  runs: usize,
  component: SetsComponent,
  added: u32,
  within: usize,
): void {
  for (let i: u32 = 0; i < runCount(runs); i++) {
    const run = runAt(runs, i);
    addCostSet(setsOf(search, state, kind, run), cost, component, segmentOf(search, run.segment).base, added, within);
  }
}
