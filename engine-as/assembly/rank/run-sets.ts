/** The documents of one run of terms by cost: stored in its segment, or computed and cached, or kept for this search. */
import { cacheAdd, cacheAdmits, cacheFind, cacheSpend, cacheSpent, isCached } from '../cache/cache';
import { memoAdd, memoFind, UNKNOWN } from '../cache/memo';
import { CACHED_POSITIONS, CACHED_WEIGHTS, MEMO_POSITIONS, MEMO_WEIGHTS } from '../cache/result-kinds';
import { mostBytes, spreadCostSet } from '../costs/cost-sets';
import { positionSets, weightSets } from '../costs/partitions';
import { POSITION_COSTS } from '../costs/position-costs';
import { ATTRIBUTE_SEARCHED } from '../costs/sources';
import { Run } from '../derive/runs';
import { documentsOfRun, localSource, longRunOf, postingsOfRun, runKey } from '../derive/sources';
import { nodeOf } from '../graph/state';
import { Search, segmentBytes, segmentOf, segmentShare } from '../plan/search';
import { attributeAt, attributeOrInto, isWhole, placeOrInto } from '../postings/long-runs';
import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import { bufferPush32 } from '../runtime/buffer';
import { SET_REST } from '../segment/layout';
import { SegmentView } from '../segment/view';

/** Partition by attribute rank: the cost is the weight of an attribute. */
export const BY_WEIGHT: u32 = 0;
/** Partition by word position: the cost is the distance from the position in the query. */
export const BY_POSITION: u32 = 1;

/** Sets of more postings are not made. */
const MOST_POSTINGS: u32 = 1 << 20;

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

/** The sets of a run that are kept for this search; {@link UNKNOWN}: none. */
function keptSets(search: Search, state: u32, kind: u32, run: Run): usize {
  if (kind === BY_WEIGHT) return memoFind(search.memo, MEMO_WEIGHTS, run.segment, run.from, run.to);
  return memoFind(search.memo, MEMO_POSITIONS, placeOwner(search, state, run), run.from, run.to);
}

function keepSets(search: Search, state: u32, kind: u32, run: Run, sets: usize): usize {
  if (kind === BY_WEIGHT) return memoAdd(search.memo, MEMO_WEIGHTS, run.segment, run.from, run.to, sets);
  return memoAdd(search.memo, MEMO_POSITIONS, placeOwner(search, state, run), run.from, run.to, sets);
}

/** Costs by position depend on the segment and on the position of the node in the query. */
function placeOwner(search: Search, state: u32, run: Run): usize {
  return ((<usize>nodeOf(search, state).start) << 16) | run.segment;
}

/** The documents of a run by cost: CostSets, made for this search where the cache has no room for them. */
export function setsOf(search: Search, state: u32, kind: u32, run: Run): usize {
  const key = setsKey(search, state, kind, run);
  const cached = cacheFind(key);
  if (cached !== 0) return cached;
  const kept = keptSets(search, state, kind, run);
  if (kept !== UNKNOWN) return kept;
  const bytes = segmentBytes(search, run.segment);
  const costs = kind === BY_WEIGHT ? search.index.maxWeight + 1 : POSITION_COSTS;
  const most = mostBytes(min<u32>(segmentOf(search, run.segment).docCount, postingsOfRun(search, run)), bytes, costs);
  const room = cacheAdmits(key, most) ? <usize>0 : alloc(most);
  const mark = arenaMark();
  const source = localSource(search, run);
  const made =
    kind === BY_WEIGHT
      ? weightSets(source, bytes, search.weights, costs, areWeightsAscending(search), room)
      : positionSets(source, bytes, nodeOf(search, state).start, room);
  arenaReset(mark);
  return room === 0 ? cacheAdd(key, made) : keepSets(search, state, kind, run, made);
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
export function isStored(search: Search, state: u32, kind: u32, run: Run): bool {
  if (kind === BY_POSITION && nodeOf(search, state).start !== 0) return false;
  const long = longRunOf(search, run);
  return changetype<usize>(long) !== 0 && (kind === BY_WEIGHT || isWhole(long));
}

/**
 * Adds the stored documents of a run with a cost to a bitmap. Returns whether there are any. By weight, documents may also have a
 * lower cost.
 */
export function addStored(search: Search, kind: u32, cost: u32, run: Run, bitmap: usize): bool {
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

/** Whether the sets of a run are known. */
export function areSetsKnown(search: Search, state: u32, kind: u32, run: Run): bool {
  if (isStored(search, state, kind, run) || isCached(setsKey(search, state, kind, run))) return true;
  return keptSets(search, state, kind, run) !== UNKNOWN;
}

/**
 * Whether so many postings make the sets of a run that a search should not wait for them. The first word of a query has no such runs: their
 * sets are stored.
 */
function areTooMany(search: Search, state: u32, kind: u32, run: Run): bool {
  return kind === BY_POSITION && nodeOf(search, state).start > 0 && postingsOfRun(search, run) > MOST_POSTINGS;
}

/** Whether the sets of a run are known, or may be made now that searches spent as much without them. Records what this search spends. */
export function isAdmitted(search: Search, state: u32, kind: u32, run: Run, postings: f64): bool {
  if (areSetsKnown(search, state, kind, run)) return true;
  if (areTooMany(search, state, kind, run)) return false;
  // A run is charged what was read in its own segment.
  return (
    cacheSpend(setsKey(search, state, kind, run), postings * segmentShare(search, run.segment)) >= <f64>postingsOfRun(search, run)
  );
}

/** The same if this search spent `postings`. Records nothing. */
export function wouldBeAdmitted(search: Search, state: u32, kind: u32, run: Run, postings: f64): bool {
  if (areSetsKnown(search, state, kind, run)) return true;
  if (areTooMany(search, state, kind, run)) return false;
  const spent = cacheSpent(setsKey(search, state, kind, run)) + postings * segmentShare(search, run.segment);
  return spent >= <f64>postingsOfRun(search, run);
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
  const cached = cacheFind(setsKey(search, state, BY_POSITION, run));
  const known = cached !== 0 ? cached : keptSets(search, state, BY_POSITION, run);
  if (known !== UNKNOWN) spreadCostSet(known, 0, target);
  return known !== UNKNOWN;
}
