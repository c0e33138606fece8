/** Documents where two words stand near each other, kept from search to search: for phrases and proximity. */

import { spreadCostSet } from '../costs/cost-sets';
import { pairSets } from '../costs/pairs';
import { Search, segmentBytes, segmentOf } from '../plan/search';
import { isKept, keptAdd, keptAdmits, keptFind, keptSpend } from '../rank/kept';
import { KEPT_PAIR } from '../rank/result-kinds';
import { arenaMark, arenaReset } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32, bufferRoom } from '../runtime/buffer';
import { keyCreate } from '../runtime/key-table';
import { Run, runAt, runCount } from './runs';
import { localSource, newBitmap, postingsOfRun } from './sources';

/** Runs of one segment, and whether the second may stand before the first. */
@unmanaged
export class Pair {
  left: Run;
  right: Run;
  backward: bool;
}

const PAIR_BYTES: usize = offsetof<Pair>();

/** Can costs of pairs be kept: does proximity count words? */
export function canKeepPairs(search: Search): bool {
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
  const key = keyCreate(KEPT_PAIR);
  bufferPush32(key, segmentOf(search, pair.left.segment).id);
  bufferPush32(key, pair.left.from);
  bufferPush32(key, pair.left.to);
  bufferPush32(key, pair.right.from);
  bufferPush32(key, pair.right.to);
  bufferPush32(key, pair.backward ? 1 : 0);
  return key;
}

/** Are two pairs the same one? */
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

/** Documents by how near words of a pair stand: CostSets, 0 when there is no room. */
function setsOf(search: Search, pair: Pair): usize {
  const key = keyOf(search, pair);
  const known = keptFind(key);
  if (known !== 0) return known;
  const bytes = segmentBytes(search, pair.left.segment);
  if (!keptAdmits(key, bytes)) return 0;
  const mark = arenaMark();
  const made = pairSets(localSource(search, pair.left), localSource(search, pair.right), bytes, pair.backward);
  arenaReset(mark);
  return keptAdd(key, made);
}

/** Adds the documents of one cost of a pair to a bitmap over slots; answers how many they are. */
export function spreadPair(search: Search, pair: Pair, cost: u32, bitmap: usize): u32 {
  return spreadCostSet(setsOf(search, pair), cost, bitmap + (segmentOf(search, pair.left.segment).base >>> 3));
}

/** Are the sets of all these pairs kept by now: worth it, where `postings` would be read without them, and is there room? */
export function keepsPairs(search: Search, pairs: usize, postings: f64): bool {
  let earned = true;
  // each pair gathers what it would have saved, whatever the others did
  for (let i: u32 = 0; i < pairCount(pairs); i++) if (!isEarned(search, pairAt(pairs, i), postings)) earned = false;
  for (let i: u32 = 0; i < pairCount(pairs) && earned; i++) earned = setsOf(search, pairAt(pairs, i)) !== 0;
  return earned;
}

/** Notes that `postings` were read for want of these pairs. */
export function spendOnPairs(search: Search, pairs: usize, postings: f64): void {
  for (let i: u32 = 0; i < pairCount(pairs); i++) keptSpend(keyOf(search, pairAt(pairs, i)), postings);
}

function isEarned(search: Search, pair: Pair, postings: f64): bool {
  const key = keyOf(search, pair);
  if (isKept(key)) return true;
  return keptSpend(key, postings) >= <f64>postingsOfRun(search, pair.left) + <f64>postingsOfRun(search, pair.right);
}

/**
 * All documents where a word of the first runs stands at most `distance` before one of the second ones, of kept pairs: a new bitmap; 0
 * when these are not worth their price yet, where `postings` would be read without them.
 */
export function nearDocuments(search: Search, from: usize, to: usize, distance: u32, postings: f64): usize {
  const pairs = pairsCreate();
  for (let i: u32 = 0; i < runCount(from); i++) {
    for (let k: u32 = 0; k < runCount(to); k++) {
      if (runAt(from, i).segment === runAt(to, k).segment) pushPair(pairs, runAt(from, i), runAt(to, k), false);
    }
  }
  if (!keepsPairs(search, pairs, postings)) return 0;
  const near = newBitmap(search);
  for (let i: u32 = 0; i < pairCount(pairs); i++) {
    for (let cost: u32 = 0; cost < distance; cost++) spreadPair(search, pairAt(pairs, i), cost, near);
  }
  return near;
}
