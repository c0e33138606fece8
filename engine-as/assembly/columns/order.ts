/**
 * Sorts u32 keys incrementally, because usually only the documents of the first page are wanted. The range of the keys is divided
 * into bins, which are counted once (bucket sort); each step takes as many whole bins as give the requested number of members,
 * and sorts only those. Equal keys are always returned in the same step, in the order of their indices.
 */
import { alloc, allocZeroed, arenaMark, arenaReset } from '../runtime/arena';

const BINS: u32 = 4096;

@unmanaged
export class KeyOrder {
  /** u32[count] */
  keys: usize;
  count: u32;
  smallest: u32;
  shift: u32;
  /** first bin that has not been returned */
  bin: u32;
  /** u32[BINS + 1] number of members of each bin; the last bin is for KEY_NONE, which is far from all other keys */
  bins: usize;
  /** u32[count]: indices of the keys returned by the last step */
  indices: usize;
}

const LAST: u32 = 0xffffffff;

/** Prepares `count` keys, which must stay in place. The result is in scratch memory. */
export function keyOrderBegin(keys: usize, count: u32): usize {
  const order = changetype<KeyOrder>(alloc(offsetof<KeyOrder>()));
  let smallest = LAST;
  let largest: u32 = 0;
  const end = keys + ((<usize>count) << 2);
  for (let at = keys; at < end; at += 4) {
    const key = load<u32>(at);
    smallest = min(smallest, key);
    if (key !== LAST) largest = max(largest, key);
  }
  order.keys = keys;
  order.count = count;
  order.smallest = smallest;
  order.bin = 0;
  order.shift = 0;
  if (smallest !== LAST) while ((largest - smallest) >>> order.shift >= BINS) order.shift++;
  order.bins = allocZeroed((<usize>BINS + 1) << 2);
  order.indices = alloc((<usize>count) << 2);
  for (let at = keys; at < end; at += 4) {
    const bin = order.bins + ((<usize>binOf(order, load<u32>(at))) << 2);
    store<u32>(bin, load<u32>(bin) + 1);
  }
  return changetype<usize>(order);
}

function binOf(order: KeyOrder, key: u32): u32 {
  return key === LAST ? BINS : (key - order.smallest) >>> order.shift;
}

/**
 * The next members in order, at least `want` unless there are fewer. Returns their number, 0 at the end; see {@link
 * keyOrderIndices}.
 */
export function keyOrderNext(pointer: usize, want: u32): u32 {
  const order = changetype<KeyOrder>(pointer);
  const from = order.bin;
  let members: u32 = 0;
  while (order.bin <= BINS && members < want) {
    members += load<u32>(order.bins + ((<usize>order.bin) << 2));
    order.bin++;
  }
  if (members === 0) return 0;
  const mark = arenaMark();
  const entries = alloc((<usize>members) << 3);
  let entry = entries;
  for (let i: u32 = 0; i < order.count; i++) {
    const key = load<u32>(order.keys + ((<usize>i) << 2));
    const bin = binOf(order, key);
    if (bin < from || bin >= order.bin) continue;
    store<u64>(entry, ((<u64>key) << 32) | i);
    entry += 8;
  }
  sortEntries(entries, members);
  for (let i: u32 = 0; i < members; i++) {
    store<u32>(order.indices + ((<usize>i) << 2), load<u32>(entries + ((<usize>i) << 3)));
  }
  arenaReset(mark);
  return members;
}

/** Address of the u32 indices of the last step. */
export function keyOrderIndices(pointer: usize): usize {
  return changetype<KeyOrder>(pointer).indices;
}

/** Entries that insertion sort handles before merging. */
const RUN: u32 = 16;

/** Merge sort of u64 entries: insertion sort of short runs, then merges; runs that are already in order are not merged. */
function sortEntries(entries: usize, count: u32): void {
  for (let start: u32 = 0; start < count; start += RUN) sortRun(entries, start, min(start + RUN, count));
  if (count <= RUN) return;
  const spare = alloc((<usize>count) << 3);
  for (let width = RUN; width < count; width <<= 1) {
    for (let start: u32 = 0; start + width < count; start += width << 1) {
      mergeRuns(entries, start, start + width, min(start + (width << 1), count), spare);
    }
  }
}

function sortRun(entries: usize, start: u32, end: u32): void {
  for (let i = start + 1; i < end; i++) {
    const entry = load<u64>(entries + ((<usize>i) << 3));
    let at = entries + ((<usize>i) << 3);
    const first = entries + ((<usize>start) << 3);
    while (at > first && load<u64>(at - 8) > entry) {
      store<u64>(at, load<u64>(at - 8));
      at -= 8;
    }
    store<u64>(at, entry);
  }
}

function mergeRuns(entries: usize, start: u32, middle: u32, end: u32, spare: usize): void {
  let left = spare;
  const leftEnd = spare + ((<usize>(middle - start)) << 3);
  let right = entries + ((<usize>middle) << 3);
  const rightEnd = entries + ((<usize>end) << 3);
  if (load<u64>(right - 8) <= load<u64>(right)) return;
  let at = entries + ((<usize>start) << 3);
  memory.copy(spare, at, leftEnd - spare);
  while (left < leftEnd && right < rightEnd) {
    if (load<u64>(left) <= load<u64>(right)) {
      store<u64>(at, load<u64>(left));
      left += 8;
    } else {
      store<u64>(at, load<u64>(right));
      right += 8;
    }
    at += 8;
  }
  memory.copy(at, left, leftEnd - left);
}
