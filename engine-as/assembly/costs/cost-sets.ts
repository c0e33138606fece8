/**
 * Documents of a segment by what they cost: one set for each cost, as a bitmap or as a list of local numbers, whichever is shorter.
 * A document is in one set at most. Worked out once and kept from query to query.
 */

import { keptAlloc } from '../rank/kept';
import { bitmapAddAll, bitmapCount, bitmapOr, bitmapSlots } from '../sets/bitmap';

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

/** Keeps `costs` bitmaps that stand one after the other; answers the address of CostSets, 0 when there is no room. */
export function keepCostSets(bitmaps: usize, bytes: u32, costs: u32): usize {
  const head = (offsetof<CostSets>() + <usize>costs * offsetof<CostSet>() + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
  let room: usize = ALIGNMENT + head;
  for (let cost: u32 = 0; cost < costs; cost++) room += dataBytes(bitmapCount(bitmaps + <usize>(cost * bytes), bytes), bytes);
  const reserved = keptAlloc(room);
  if (reserved === 0) return 0;
  const sets = changetype<CostSets>((reserved + ALIGNMENT - 1) & ~(ALIGNMENT - 1));
  sets.bytes = bytes;
  sets.costs = costs;
  let data = changetype<usize>(sets) + head;
  for (let cost: u32 = 0; cost < costs; cost++) {
    const bitmap = bitmaps + <usize>(cost * bytes);
    const set = setOf(sets, cost);
    set.count = bitmapCount(bitmap, bytes);
    set.listed = set.count << 2 < bytes;
    set.data = data;
    if (set.listed) bitmapSlots(bitmap, bytes, data);
    else memory.copy(data, bitmap, bytes);
    data += dataBytes(set.count, bytes);
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
