/** Documents of a state by cost, put together from sets of each run of its words: those of its segment, or kept ones. */

import { setsComponent } from '../costs/components';
import { Context } from '../costs/context';
import { spreadCostSet } from '../costs/cost-sets';
import { positionSets, weightSets } from '../costs/partitions';
import { POSITION_COSTS } from '../costs/position-costs';
import { Run, runAt, runCount } from '../derive/runs';
import { isLarge, localSource, longRunOf, newBitmap, postingsOfRun, runKey } from '../derive/sources';
import { Path, stateAt } from '../graph/interpretations';
import { phraseAt, phraseCount } from '../graph/node';
import { nodeOf } from '../graph/state';
import { Search, segmentBytes, segmentOf } from '../plan/search';
import { attributeAt, attributeOrInto, placeOrInto } from '../postings/long-runs';
import { arenaMark, arenaReset } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32 } from '../runtime/buffer';
import { SegmentView } from '../segment/view';
import { bitmapAnd, bitmapAndNot, bitmapOr } from '../sets/bitmap';
import { isKept, keptAdd, keptAdmits, keptFind, keptSpend } from './kept';
import { memoAdd, memoFind, UNKNOWN } from './memo';
import { KEPT_POSITIONS, KEPT_WEIGHTS, MEMO_COST } from './result-kinds';
import { leadingRuns, ROLE_LEADING, standsFor, wordInRole, wordRuns } from './roles';

/** Most weights for which the documents of a word are kept by weight. */
const MAX_PARTITION_WEIGHTS: u32 = 8;
/** Each run of terms is partitioned on its own: few are worth it. */
const MAX_PARTITIONED_RUNS: u32 = 16;
/** Terms of a state from which its occurrences are expensive to read. */
const MANY_TERMS: u32 = 1024;
/** The greatest cost of one word by the word position rule. */
export const MAX_POSITION_COST: u32 = POSITION_COSTS - 1;
/** What a member of a set of documents takes, at most. */
const BYTES_PER_MEMBER: u32 = 4;

/** By attribute rank: the weights of one word. */
export const BY_WEIGHT: u32 = 0;
/** By word position: how far one word is from where the query has it. */
export const BY_POSITION: u32 = 1;

/** How many costs a state has; 0: its documents cannot be parted. */
export function costsOf(search: Search, state: u32, kind: u32): u32 {
  if (kind === BY_POSITION) return nodeOf(search, state).size === 1 ? POSITION_COSTS : 0;
  const most = search.index.maxWeight;
  return !search.plan.restricted && most > 0 && most < MAX_PARTITION_WEIGHTS ? most + 1 : 0;
}

/** Key of the sets of a run. */
function setsKey(search: Search, state: u32, kind: u32, run: Run): usize {
  const key = runKey(search, kind === BY_WEIGHT ? KEPT_WEIGHTS : KEPT_POSITIONS, run);
  bufferPush32(key, kind === BY_WEIGHT ? search.index.scheme : nodeOf(search, state).start);
  return key;
}

/** Documents of a run by cost: CostSets, 0 when there is no room. */
function setsOf(search: Search, state: u32, kind: u32, run: Run): usize {
  const key = setsKey(search, state, kind, run);
  const known = keptFind(key);
  if (known !== 0) return known;
  const docCount = segmentOf(search, run.segment).docCount;
  if (!keptAdmits(key, <usize>(BYTES_PER_MEMBER * min<u32>(docCount, postingsOfRun(search, run))))) return 0;
  const mark = arenaMark();
  const source = localSource(search, run);
  const bytes = segmentBytes(search, run.segment);
  const made =
    kind === BY_WEIGHT
      ? weightSets(source, bytes, search.weights, search.index.maxWeight + 1, areWeightsAscending(search))
      : positionSets(source, bytes, nodeOf(search, state).start);
  arenaReset(mark);
  return keptAdd(key, made);
}

/** Do the weights of fields never fall from one field to the next? The first attribute that holds a word is the best one then. */
function areWeightsAscending(search: Search): bool {
  let before: u32 = 0;
  for (let field: u32 = 0; field < search.index.fieldCount; field++) {
    const weight: u32 = load<u16>(search.weights + ((<usize>field) << 1));
    if (weight < before) return false;
    before = weight;
  }
  return true;
}

/** Has the segment of a run the documents of each cost? What a position costs it knows for the first word of a query. */
function isWritten(search: Search, state: u32, kind: u32, run: Run): bool {
  if (kind === BY_POSITION && nodeOf(search, state).start !== 0) return false;
  return changetype<usize>(longRunOf(search, run)) !== 0;
}

/** Adds the documents of a cost that the segment of a run has; answers whether there are any. By weight they may have a lower cost too. */
function spreadWritten(search: Search, kind: u32, cost: u32, run: Run, bitmap: usize): bool {
  const view = changetype<SegmentView>(segmentOf(search, run.segment).view);
  const long = longRunOf(search, run);
  if (kind === BY_POSITION) return placeOrInto(view, long, cost, bitmap);
  let any = false;
  for (let i: u32 = 0; i < long.attributeCount; i++) {
    const part = attributeAt(view, long, i);
    if (load<u16>(search.weights + ((<usize>part.attribute) << 1)) !== cost) continue;
    attributeOrInto(view, part, bitmap);
    any = true;
  }
  return any;
}

function isEarned(search: Search, state: u32, kind: u32, run: Run, postings: f64): bool {
  if (isWritten(search, state, kind, run)) return true;
  const key = setsKey(search, state, kind, run);
  return isKept(key) || keptSpend(key, postings) >= <f64>postingsOfRun(search, run);
}

/** Documents of a state with a cost, those of lower costs left out; 0: none. */
export function documentsOfCost(search: Search, state: u32, kind: u32, cost: u32): usize {
  const known = memoFind(search.memo, MEMO_COST, kind, state, cost);
  return known !== UNKNOWN ? known : memoAdd(search.memo, MEMO_COST, kind, state, cost, makeDocuments(search, state, kind, cost));
}

function makeDocuments(search: Search, state: u32, kind: u32, cost: u32): usize {
  const all = newBitmap(search);
  const words = wordRuns(search, state, false);
  let any = spreadRuns(search, state, kind, cost, words, all);
  let areApart = areCostsApart(search, state, kind, words);
  let parts = runCount(words);
  const node = nodeOf(search, state);
  for (let i: u32 = 0; i < phraseCount(node); i++) {
    // the first word of a phrase counts in the documents that match the phrase
    const phrase = phraseAt(node, i);
    const runs: usize = standsFor(phrase, state) ? wordInRole(phrase, ROLE_LEADING) : 0;
    if (runs === 0) continue;
    const own = newBitmap(search);
    any = spreadRuns(search, state, kind, cost, runs, own) || any;
    areApart = areCostsApart(search, state, kind, runs) && areApart;
    parts += runCount(runs);
    bitmapAnd(own, phrase.documents, search.bytes);
    bitmapOr(all, own, search.bytes);
  }
  if (!any) return 0;
  for (let better: u32 = 0; better < cost && (parts > 1 || !areApart); better++) {
    const documents = documentsOfCost(search, state, kind, better);
    if (documents !== 0) bitmapAndNot(all, documents, search.bytes);
  }
  return all;
}

/** Have the sets of one run no document in common? Those of a segment have, by weight. */
function areCostsApart(search: Search, state: u32, kind: u32, runs: usize): bool {
  if (kind !== BY_WEIGHT) return true;
  for (let i: u32 = 0; i < runCount(runs); i++) if (isWritten(search, state, kind, runAt(runs, i))) return false;
  return true;
}

function spreadRuns(search: Search, state: u32, kind: u32, cost: u32, runs: usize, bitmap: usize): bool {
  let any = false;
  for (let i: u32 = 0; i < runCount(runs); i++) {
    const run = runAt(runs, i);
    const target = bitmap + (segmentOf(search, run.segment).base >>> 3);
    if (isWritten(search, state, kind, run)) any = spreadWritten(search, kind, cost, run, target) || any;
    else any = spreadCostSet(setsOf(search, state, kind, run), cost, target) > 0 || any;
  }
  return any;
}

/** Are the occurrences of a state expensive to read, however few the documents are? */
export function hasManyTerms(search: Search, state: u32): bool {
  const runs = leadingRuns(search, state);
  let terms: u32 = 0;
  for (let i: u32 = 0; i < runCount(runs); i++) terms += runAt(runs, i).to - runAt(runs, i).from;
  return terms >= MANY_TERMS;
}

/**
 * Are the documents of the states of a path kept by cost, or worth it by now? Makes the sets that are not there yet. `postings`: what
 * this search reads for want of the sets of a run; Infinity where they are worth making for any search.
 */
export function areParted(search: Search, path: Path, kind: u32, postings: f64): bool {
  if (!search.inOneMemory || path.count === 0) return false;
  let parts: u32 = 0;
  for (let i: u32 = 0; i < path.count; i++) {
    if (costsOf(search, stateAt(path, i), kind) === 0) return false;
    parts += runCount(leadingRuns(search, stateAt(path, i)));
  }
  if (parts > MAX_PARTITIONED_RUNS) return false;
  let earned = true;
  // every run is paid for, also when another one is too expensive yet
  for (let i: u32 = 0; i < path.count; i++) if (!areEarned(search, stateAt(path, i), kind, postings)) earned = false;
  for (let i: u32 = 0; i < path.count && earned; i++) earned = areMade(search, stateAt(path, i), kind);
  return earned;
}

function isParted(search: Search, state: u32, kind: u32, postings: f64): bool {
  if (!search.inOneMemory || costsOf(search, state, kind) === 0) return false;
  if (runCount(leadingRuns(search, state)) > MAX_PARTITIONED_RUNS) return false;
  return areEarned(search, state, kind, postings) && areMade(search, state, kind);
}

function areEarned(search: Search, state: u32, kind: u32, postings: f64): bool {
  const runs = leadingRuns(search, state);
  let earned = true;
  for (let k: u32 = 0; k < runCount(runs); k++) if (!isEarned(search, state, kind, runAt(runs, k), postings)) earned = false;
  return earned;
}

function areMade(search: Search, state: u32, kind: u32): bool {
  const runs = leadingRuns(search, state);
  for (let k: u32 = 0; k < runCount(runs); k++) {
    const run = runAt(runs, k);
    if (!isWritten(search, state, kind, run) && setsOf(search, state, kind, run) === 0) return false;
  }
  return true;
}

/** What a state costs the documents of a context, `unit` a cost: a component; 0 when its positions must be read. */
export function partedComponent(search: Search, context: Context, state: u32, kind: u32, unit: u32): usize {
  const postings = <f64>context.count * <f64>search.plan.postingsADocument;
  if (!isLarge(search, context.count) || !isParted(search, state, kind, postings)) return 0;
  // CostOf[], see costs/components
  const sets = bufferCreate(64);
  for (let cost: u32 = 0; cost < costsOf(search, state, kind); cost++) {
    const documents = documentsOfCost(search, state, kind, cost);
    if (documents === 0) continue;
    bufferPush32(sets, cost * unit);
    bufferPush32(sets, <u32>documents);
  }
  return setsComponent(changetype<usize>(context), changetype<Buffer>(sets).data, <u32>(changetype<Buffer>(sets).length >> 3));
}
