/** The documents of one bucket. Data from their postings is stored in arrays by index in the context. */

import { alloc } from '../runtime/arena';
import { bitmapFirst, bitmapSlots } from '../sets/members';

@unmanaged
export class Context {
  /** bitmap over slots of the documents; may include others if there are no ranks */
  bitmap: usize;
  /** bytes of the bitmaps that represent the bucket and parts of it */
  bytes: u32;
  count: u32;
  /** u32[count], ascending: the slot of each document, and its number in those bitmaps */
  slots: usize;
  members: usize;
  /** u32 per 64 slots: number of documents before them; 0: the bitmaps of the bucket are not over slots */
  ranks: usize;
  /** what {@link prefetchDocumentWords} returned; never read */
  prefetched: u32;
}

export function contextCreate(bitmap: usize, bytes: u32, count: u32): usize {
  const context = changetype<Context>(alloc(offsetof<Context>()));
  context.prefetched = 0;
  context.bitmap = bitmap;
  context.bytes = bytes;
  context.count = count;
  context.slots = alloc(((<usize>count) << 2) + 16);
  bitmapFirst(bitmap, bytes, count, context.slots);
  context.members = context.slots;
  context.ranks = alloc(((<usize>bytes >> 3) << 2) + 16);
  let before: u32 = 0;
  for (let word: u32 = 0; word < bytes >>> 3; word++) {
    store<u32>(context.ranks + ((<usize>word) << 2), before);
    before += <u32>popcnt<u64>(load<u64>(bitmap + ((<usize>word) << 3)));
  }
  return changetype<usize>(context);
}

/**
 * A context for documents with dense numbers. `bitmap`, `bytes`, `count`: of the numbers; `slotOf`: u32 per number, ascending;
 * `within`: bitmap over slots that contains the documents.
 */
export function contextOfMembers(bitmap: usize, bytes: u32, count: u32, slotOf: usize, within: usize): Context {
  const context = changetype<Context>(alloc(offsetof<Context>()));
  context.prefetched = 0;
  context.bitmap = within;
  context.bytes = bytes;
  context.count = count;
  context.members = alloc(((<usize>count) << 2) + 16);
  context.slots = alloc(((<usize>count) << 2) + 16);
  bitmapFirst(bitmap, bytes, count, context.members);
  for (let at: usize = 0; at < (<usize>count) << 2; at += 4) {
    store<u32>(context.slots + at, load<u32>(slotOf + ((<usize>load<u32>(context.members + at)) << 2)));
  }
  context.ranks = 0;
  return context;
}

/** Number of documents with slots [from, to). */
export function contextCount(context: Context, from: u32, to: u32): u32 {
  return contextFirst(context, to) - contextFirst(context, from);
}

/** Index of the first document whose slot is not less than `slot`. */
export function contextFirst(context: Context, slot: u32): u32 {
  let low: u32 = 0;
  let high = context.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (load<u32>(context.slots + ((<usize>middle) << 2)) < slot) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returned for a slot whose document is not in the context. */
export const ABSENT: u32 = 0xffffffff;

/**
 * Index in the context of the document with a slot, which must be in the bitmap; {@link ABSENT} when it is not in the context.
 */
export function contextIndex(context: Context, slot: u32): u32 {
  if (context.ranks !== 0) return contextIndexIn(context, slot >>> 6, slot & 63);
  const low = contextFirst(context, slot);
  return low < context.count && load<u32>(context.slots + ((<usize>low) << 2)) === slot ? low : ABSENT;
}

/** The same for a bit of a 64-bit word of the bitmap. */
export function contextIndexIn(context: Context, word: u32, bit: u64): u32 {
  const below = load<u64>(context.bitmap + ((<usize>word) << 3)) & (((<u64>1) << bit) - 1);
  return load<u32>(context.ranks + ((<usize>word) << 2)) + <u32>popcnt<u64>(below);
}

/** Writes the indices of the documents of a bitmap. Returns their number. */
export function contextIndices(contextPointer: usize, subset: usize, out: usize): u32 {
  const context = changetype<Context>(contextPointer);
  const count = bitmapSlots(subset, context.bytes, out);
  // Both ascend.
  let place: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const at = out + ((<usize>i) << 2);
    const member = load<u32>(at);
    while (load<u32>(context.members + ((<usize>place) << 2)) !== member) place++;
    store<u32>(at, place);
  }
  return count;
}
