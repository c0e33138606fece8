/**
 * Documents of a segment by what they cost: one set for each cost, as a bitmap or as a list of local numbers, whichever is shorter.
 * A document is in one set at most; lists are in no order. Worked out once and kept from query to query.
 */

import { keptAlloc } from '../rank/kept';
import { alloc, allocZeroed } from '../runtime/arena';
import { bitmapAdd, bitmapAddAll, bitmapCount, bitmapOr, bitmapSlots } from '../sets/bitmap';

/** Where costs are listed by document: in no set. */
export const NO_COST: u8 = 0xff;

@unmanaged
class CostSets {
  /** of a bitmap */
  bytes: u32;
  /** how many costs there are; a CostSet for each follows */
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

function setOf(sets: CostSets, cost: u32): CostSet {
  return changetype<CostSet>(changetype<usize>(sets) + offsetof<CostSets>() + <usize>cost * offsetof<CostSet>());
}

/** Room for sets of so many documents by cost (u32[costs]), which are still to be written; 0 when there is none. */
function reserve(counts: usize, bytes: u32, costs: u32): CostSets {
  const head = (offsetof<CostSets>() + <usize>costs * offsetof<CostSet>() + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
  let room: usize = ALIGNMENT + head;
  for (let cost: u32 = 0; cost < costs; cost++) room += dataBytes(countAt(counts, cost), bytes);
  const reserved = keptAlloc(room);
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

/** Keeps `costs` bitmaps that stand one after the other; answers the address of CostSets, 0 when there is no room. */
export function keepCostSets(bitmaps: usize, bytes: u32, costs: u32): usize {
  const counts = alloc((<usize>costs) << 2);
  for (let cost: u32 = 0; cost < costs; cost++) {
    store<u32>(counts + ((<usize>cost) << 2), bitmapCount(bitmaps + <usize>(cost * bytes), bytes));
  }
  const sets = reserve(counts, bytes, costs);
  if (changetype<usize>(sets) === 0) return 0;
  for (let cost: u32 = 0; cost < costs; cost++) {
    const bitmap = bitmaps + <usize>(cost * bytes);
    const set = setOf(sets, cost);
    if (set.listed) bitmapSlots(bitmap, bytes, set.data);
    else memory.copy(set.data, bitmap, bytes);
  }
  return changetype<usize>(sets);
}

/** Keeps the documents of a list (u32[count]), each once, by their costs: u8 by document, below `limit`. Answers CostSets, 0 without room. */
export function keepListed(documents: usize, count: u32, costs: usize, bytes: u32, limit: u32): usize {
  const counts = allocZeroed((<usize>limit) << 2);
  const end = documents + ((<usize>count) << 2);
  for (let at = documents; at < end; at += 4) {
    const place = counts + ((<usize>load<u8>(costs + load<u32>(at))) << 2);
    store<u32>(place, load<u32>(place) + 1);
  }
  const sets = reserve(counts, bytes, limit);
  if (changetype<usize>(sets) === 0) return 0;
  /** where the next document of each cost goes, as far as they are listed */
  const places = alloc((<usize>limit) << 2);
  for (let cost: u32 = 0; cost < limit; cost++) {
    const set = setOf(sets, cost);
    store<u32>(places + ((<usize>cost) << 2), <u32>set.data);
    if (!set.listed) memory.fill(set.data, 0, bytes);
  }
  for (let at = documents; at < end; at += 4) {
    const document = load<u32>(at);
    const cost: u32 = load<u8>(costs + document);
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

/** Bytes of a set, a multiple of 16. */
function dataBytes(count: u32, bytes: u32): usize {
  return (<usize>min<u32>(count << 2, bytes) + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

/** Adds the documents of one cost to a bitmap; answers how many they are. */
export function spreadCostSet(setsPointer: usize, cost: u32, bitmap: usize): u32 {
  const sets = changetype<CostSets>(setsPointer);
  const set = setOf(sets, cost);
  if (set.listed) bitmapAddAll(bitmap, set.data, set.count);
  else bitmapOr(bitmap, set.data, sets.bytes);
  return set.count;
}
