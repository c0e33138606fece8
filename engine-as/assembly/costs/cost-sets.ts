/**
 * The documents of a segment by cost: one set per cost, as a bitmap or as a list of local numbers, whichever is shorter. The sets
 * are disjoint; lists are unordered. They are made in the cache, where they stay between searches, or in memory that the caller has.
 */

import { cacheAlloc } from '../cache/cache';
import { alloc } from '../runtime/arena';
import { bitmapAdd, bitmapAddAll, bitmapCount, bitmapOr } from '../sets/bitmap';
import { bitmapFirst } from '../sets/members';
import { SetsComponent, setsComponentAdd, setsComponentAddListed } from './sets-component';

/** In arrays of costs by document: the document is in no set. */
export const NO_COST: u8 = 0xff;

@unmanaged
class CostSets {
  /** bytes of a bitmap over the documents */
  bytes: u32;
  /** number of costs; followed by a CostSet for each */
  costs: u32;
}

@unmanaged
class CostSet {
  count: u32;
  listed: bool;
  /** u32[count], or a bitmap */
  data: usize;
}

const ALIGNMENT: usize = 16;
/** Costs that are compared at once. */
const LANES: usize = 16;

function setOf(sets: CostSets, cost: u32): CostSet {
  return changetype<CostSet>(changetype<usize>(sets) + offsetof<CostSets>() + <usize>cost * offsetof<CostSet>());
}

function headBytes(costs: u32): usize {
  return (offsetof<CostSets>() + <usize>costs * offsetof<CostSet>() + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

/** Upper bound of the bytes of the sets of `documents` documents by cost. */
export function mostBytes(documents: u32, bytes: u32, costs: u32): usize {
  return headBytes(costs) + min<usize>((<usize>documents) << 2, <usize>costs * bytes) + <usize>(costs + 1) * ALIGNMENT;
}

/** Memory in `room`, or in the cache, for sets of the given sizes by cost (u32[costs]); 0 when the cache has none. */
function reserve(counts: usize, bytes: u32, costs: u32, room: usize): CostSets {
  const head = headBytes(costs);
  let needed: usize = ALIGNMENT + head;
  for (let cost: u32 = 0; cost < costs; cost++) needed += dataBytes(countAt(counts, cost), bytes);
  const reserved = room !== 0 ? room : cacheAlloc(needed);
  if (reserved === 0) return changetype<CostSets>(0);
  const sets = changetype<CostSets>((reserved + ALIGNMENT - 1) & ~(ALIGNMENT - 1));
  sets.bytes = bytes;
  sets.costs = costs;
  let data = changetype<usize>(sets) + head;
  for (let cost: u32 = 0; cost < costs; cost++) {
    const set = setOf(sets, cost);
    set.count = countAt(counts, cost);
    set.listed = set.count << 2 < bytes;
    set.data = data;
    data += dataBytes(set.count, bytes);
  }
  return sets;
}

function countAt(counts: usize, cost: u32): u32 {
  return load<u32>(counts + ((<usize>cost) << 2));
}

/**
 * Makes CostSets of `costs` consecutive bitmaps. `room`: memory for them, {@link mostBytes}; 0: they are cached, if there is room. Returns 0 when
 * there is none.
 */
export function setsOfBitmaps(bitmaps: usize, bytes: u32, costs: u32, room: usize): usize {
  const counts = alloc((<usize>costs) << 2);
  for (let cost: u32 = 0; cost < costs; cost++) {
    store<u32>(counts + ((<usize>cost) << 2), bitmapCount(bitmaps + <usize>(cost * bytes), bytes));
  }
  const sets = reserve(counts, bytes, costs, room);
  if (changetype<usize>(sets) === 0) return 0;
  for (let cost: u32 = 0; cost < costs; cost++) {
    const bitmap = bitmaps + <usize>(cost * bytes);
    const set = setOf(sets, cost);
    if (set.listed) bitmapFirst(bitmap, bytes, load<u32>(counts + ((<usize>cost) << 2)), set.data);
    else memory.copy(set.data, bitmap, bytes);
  }
  return changetype<usize>(sets);
}

/** Bytes after an array of costs that may be read, and are overwritten. */
export const COSTS_SPARE: usize = LANES;

/**
 * The same of the documents of a list (u32[count], without duplicates). `costs`: u8 by index in the list, each less than `limit` or
 * {@link NO_COST}, with {@link COSTS_SPARE} bytes after them.
 */
export function setsOfListed(documents: usize, count: u32, costs: usize, bytes: u32, limit: u32, room: usize): usize {
  memory.fill(costs + count, NO_COST, COSTS_SPARE);
  const counts = alloc((<usize>limit) << 2);
  for (let cost: u32 = 0; cost < limit; cost++) store<u32>(counts + ((<usize>cost) << 2), countOf(costs, count, cost));
  const sets = reserve(counts, bytes, limit, room);
  if (changetype<usize>(sets) === 0) return 0;
  /** Where the next document of each cost is written, for costs that get a list. */
  const places = alloc((<usize>limit) << 2);
  for (let cost: u32 = 0; cost < limit; cost++) {
    const set = setOf(sets, cost);
    store<u32>(places + ((<usize>cost) << 2), <u32>set.data);
    if (!set.listed) memory.fill(set.data, 0, bytes);
  }
  for (let i: u32 = 0; i < count; i++) {
    const document = load<u32>(documents + ((<usize>i) << 2));
    const cost: u32 = load<u8>(costs + i);
    if (cost === NO_COST) continue;
    const place = places + ((<usize>cost) << 2);
    const to: usize = load<u32>(place);
    if (setOf(sets, cost).listed) {
      store<u32>(to, document);
      store<u32>(place, <u32>to + 4);
    } else {
      bitmapAdd(to, document);
    }
  }
  return changetype<usize>(sets);
}

/** Number of documents with a cost. */
function countOf(costs: usize, count: u32, cost: u32): u32 {
  const wanted = i8x16.splat(<i8>cost);
  let found: u32 = 0;
  for (let at: usize = 0; at < count; at += LANES) found += popcnt<u32>(i8x16.bitmask(i8x16.eq(v128.load(costs + at), wanted)));
  return found;
}

/** Bytes of a set, a multiple of 16. */
function dataBytes(count: u32, bytes: u32): usize {
  return (<usize>min<u32>(count << 2, bytes) + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

/** Adds the documents with one cost to a bitmap; returns their number. */
export function spreadCostSet(setsPointer: usize, cost: u32, bitmap: usize): u32 {
  const sets = changetype<CostSets>(setsPointer);
  const set = setOf(sets, cost);
  if (set.listed) bitmapAddAll(bitmap, set.data, set.count);
  else bitmapOr(bitmap, set.data, sets.bytes);
  return set.count;
}

/** Adds the documents with a cost to a component, see there, in which they cost `added`. */
export function addCostSet(setsPointer: usize, cost: u32, component: SetsComponent, base: u32, added: u32, within: usize): void {
  const sets = changetype<CostSets>(setsPointer);
  const set = setOf(sets, cost);
  if (set.listed) setsComponentAddListed(component, set.data, set.count, base, added, within);
  else setsComponentAdd(component, set.data, sets.bytes, base, added, within);
}
