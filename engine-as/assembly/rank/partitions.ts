/**
 * The documents of a state by cost, combined from the sets of each run of its words. The sets of long runs are stored in segments;
 * those of other runs are computed and cached.
 */

import { memoAdd, memoFind, UNKNOWN } from '../cache/memo';
import { MEMO_COST } from '../cache/result-kinds';
import { Context } from '../costs/context';
import { addCostSet, spreadCostSet } from '../costs/cost-sets';
import { POSITION_COSTS } from '../costs/position-costs';
import { SetsComponent, setsComponentAdd, setsComponentCreate } from '../costs/sets-component';
import { runAt, runCount } from '../derive/runs';
import { isLarge, newBitmap, postingsOfRun } from '../derive/sources';
import { Path, pathAt, pathCount, stateAt } from '../graph/interpretations';
import { phraseAt, phraseCount } from '../graph/node';
import { nodeOf } from '../graph/state';
import { Search, segmentOf } from '../plan/search';
import { bitmapAnd, bitmapAndNot, bitmapOr } from '../sets/bitmap';
import { leadingRuns, ROLE_LEADING, represents, wordInRole, wordRuns } from './roles';
import { addStored, areSetsKnown, BY_POSITION, BY_WEIGHT, isAdmitted, isStored, setsOf, wouldBeAdmitted } from './run-sets';

/** With more weights than this, documents are not partitioned by weight: computing the sets takes a bitmap for each weight. */
const MAX_PARTITION_WEIGHTS: u32 = 64;
/** Each run of terms is partitioned separately; with more runs than this in each segment it does not pay off. */
const MAX_PARTITIONED_RUNS: u32 = 16;
/** Postings that are read at once for the sets of several words: more take several milliseconds, where fewer documents may be read instead. */
const MOST_POSTINGS: u32 = 1 << 19;
/** In place of a number of postings. */
const IMPOSSIBLE_PARTITION: u32 = 0xffffffff;
/** The greatest cost of a word by the word position rule. */
export const MAX_POSITION_COST: u32 = POSITION_COSTS - 1;

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

/**
 * Whether the documents of all states of a path would be known by cost once `postings` more were spent without them, and few enough postings have
 * to be read for that. Nothing is recorded.
 */
export function wouldBePartitioned(search: Search, path: Path, kind: u32, postings: f64): bool {
  let missing: u32 = 0;
  for (let i: u32 = 0; i < path.count; i++) {
    const state = stateAt(path, i);
    const own = missingPostings(search, state, kind);
    if (own > MOST_POSTINGS - missing) return false;
    missing += own;
    const runs = leadingRuns(search, state);
    for (let k: u32 = 0; k < runCount(runs); k++)
      if (!wouldBeAdmitted(search, state, kind, runAt(runs, k), postings)) return false;
  }
  return true;
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

/** Whether the documents of a state are partitioned by cost, without making anything. */
export function isPartitionKnown(search: Search, state: u32, kind: u32): bool {
  return missingPostings(search, state, kind) === 0;
}

/** Number of postings that have to be read for the documents of a state by cost; {@link IMPOSSIBLE_PARTITION}: they cannot be partitioned. */
function missingPostings(search: Search, state: u32, kind: u32): u32 {
  if (!search.inOneMemory || costsOf(search, state, kind) === 0) return IMPOSSIBLE_PARTITION;
  const runs = leadingRuns(search, state);
  if (runCount(runs) > mostRuns(search)) return IMPOSSIBLE_PARTITION;
  let postings: u32 = 0;
  for (let k: u32 = 0; k < runCount(runs); k++) {
    const run = runAt(runs, k);
    if (!areSetsKnown(search, state, kind, run)) postings += postingsOfRun(search, run);
  }
  return postings;
}

/**
 * Partitions the documents of those states of some paths by cost for which few postings have to be read: not more than there are documents. If
 * there is none, the state with the fewest, at most `postings`. Returns whether any state is partitioned.
 */
export function partitionCheapest(search: Search, paths: usize, kind: u32, documents: u32, postings: f64): bool {
  let fewest = IMPOSSIBLE_PARTITION;
  let cheapest: u32 = 0;
  let isAny = false;
  for (let i: u32 = 0; i < pathCount(paths); i++) {
    const path = pathAt(paths, i);
    for (let k: u32 = 0; k < path.count; k++) {
      const state = stateAt(path, k);
      const missing = missingPostings(search, state, kind);
      if (missing <= documents) isAny = areMade(search, state, kind) || isAny;
      if (missing >= fewest) continue;
      fewest = missing;
      cheapest = state;
    }
  }
  if (isAny || fewest === IMPOSSIBLE_PARTITION) return isAny;
  return <f64>fewest <= postings && areMade(search, cheapest, kind);
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
