/** A cache of the documents where two words are near each other, for the proximity rule. */

import { cacheAdd, cacheAdmits, cacheFind, cacheSpend, isCached } from '../cache/cache';
import { CACHED_PAIR } from '../cache/result-kinds';
import { spreadCostSet } from '../costs/cost-sets';
import { pairSets } from '../costs/pairs';
import { Search, segmentBytes, segmentOf, segmentShare } from '../plan/search';
import { arenaMark, arenaReset } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32, bufferRoom } from '../runtime/buffer';
import { keyCreate } from '../runtime/key-table';
import { Run } from './runs';
import { localSource, postingsOfRun } from './sources';

/** A run of one segment for each word, and whether the second may precede the first. */
@unmanaged
export class Pair {
  left: Run;
  right: Run;
  backward: bool;
}

const PAIR_BYTES: usize = offsetof<Pair>();
/** Comparing words with more postings takes several milliseconds. */
const MOST_POSTINGS: u32 = 1 << 16;

/** Whether distances can be read from postings: proximity is by word, and all segments are in this memory. */
export function readsDistances(search: Search): bool {
  return !search.index.byAttribute && search.inOneMemory;
}

/** A Buffer of Pair. */
export function pairsCreate(): usize {
  return bufferCreate(4 * PAIR_BYTES);
}

export function pairCount(pairs: usize): u32 {
  return <u32>(changetype<Buffer>(pairs).length / PAIR_BYTES);
}

export function pairAt(pairs: usize, index: u32): Pair {
  return changetype<Pair>(changetype<Buffer>(pairs).data + <usize>index * PAIR_BYTES);
}

export function pushPair(pairs: usize, left: Run, right: Run, backward: bool): void {
  const pair = changetype<Pair>(bufferRoom(pairs, PAIR_BYTES));
  pair.left = left;
  pair.right = right;
  pair.backward = backward;
  changetype<Buffer>(pairs).length += PAIR_BYTES;
}

function keyOf(search: Search, pair: Pair): usize {
  const key = keyCreate(CACHED_PAIR);
  bufferPush32(key, segmentOf(search, pair.left.segment).id);
  bufferPush32(key, pair.left.from);
  bufferPush32(key, pair.left.to);
  bufferPush32(key, pair.right.from);
  bufferPush32(key, pair.right.to);
  bufferPush32(key, pair.backward ? 1 : 0);
  return key;
}

/** Whether two pairs are equal. */
export function isSamePair(left: Pair, right: Pair): bool {
  return (
    left.backward === right.backward &&
    left.left.segment === right.left.segment &&
    left.left.from === right.left.from &&
    left.left.to === right.left.to &&
    left.right.from === right.right.from &&
    left.right.to === right.right.to
  );
}

/** Documents by the distance of a pair: CostSets, 0 when there is no room. */
function setsOf(search: Search, pair: Pair): usize {
  const key = keyOf(search, pair);
  const known = cacheFind(key);
  if (known !== 0) return known;
  const bytes = segmentBytes(search, pair.left.segment);
  if (!cacheAdmits(key, bytes)) return 0;
  const mark = arenaMark();
  const made = pairSets(localSource(search, pair.left), localSource(search, pair.right), bytes, pair.backward);
  arenaReset(mark);
  return cacheAdd(key, made);
}

/** Adds the documents with one cost of a pair to a bitmap over slots; returns their number. */
export function spreadPair(search: Search, pair: Pair, cost: u32, bitmap: usize): u32 {
  return spreadCostSet(setsOf(search, pair), cost, bitmap + (segmentOf(search, pair.left.segment).base >>> 3));
}

/**
 * Whether the sets of all these pairs are cached. They are computed now if that has become worthwhile, given that `postings`
 * would be read without them.
 */
export function keepsPairs(search: Search, pairs: usize, postings: f64): bool {
  let admitted = true;
  // Every pair must be charged, so the loop does not end at the first one that is not admitted.
  for (let i: u32 = 0; i < pairCount(pairs); i++) if (!isAdmitted(search, pairAt(pairs, i), postings)) admitted = false;
  for (let i: u32 = 0; i < pairCount(pairs) && admitted; i++) admitted = setsOf(search, pairAt(pairs, i)) !== 0;
  return admitted;
}

/** Whether the words of any pair whose sets are not cached have so many postings that a search should not wait for these sets. */
export function areTooManyPairs(search: Search, pairs: usize): bool {
  for (let i: u32 = 0; i < pairCount(pairs); i++) {
    const pair = pairAt(pairs, i);
    const fewer = min<u32>(postingsOfRun(search, pair.left), postingsOfRun(search, pair.right));
    if (fewer > MOST_POSTINGS && !isCached(keyOf(search, pair))) return true;
  }
  return false;
}

/** Records that `postings` were read because these pairs are not cached. */
export function spendOnPairs(search: Search, pairs: usize, postings: f64): void {
  for (let i: u32 = 0; i < pairCount(pairs); i++) spend(search, pairAt(pairs, i), postings);
}

/** A pair is charged what was read in its own segment. */
function spend(search: Search, pair: Pair, postings: f64): f64 {
  return cacheSpend(keyOf(search, pair), postings * segmentShare(search, pair.left.segment));
}

function isAdmitted(search: Search, pair: Pair, postings: f64): bool {
  if (isCached(keyOf(search, pair))) return true;
  return spend(search, pair, postings) >= <f64>postingsOfRun(search, pair.left) + <f64>postingsOfRun(search, pair.right);
}
