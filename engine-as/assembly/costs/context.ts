/** The documents of one bucket, numbered densely. */

import { alloc } from '../runtime/arena';
import { bitmapSlots } from '../sets/bitmap';

@unmanaged
export class Context {
  /** over slots */
  bitmap: usize;
  bytes: u32;
  count: u32;
  /** u32[count], ascending */
  slots: usize;
  /** u32 for each 64 slots: documents before them */
  ranks: usize;
}

export function contextCreate(bitmap: usize, bytes: u32, count: u32): usize {
  const context = changetype<Context>(alloc(offsetof<Context>()));
  context.bitmap = bitmap;
  context.bytes = bytes;
  context.count = count;
  context.slots = alloc(((<usize>count) << 2) + 16);
  bitmapSlots(bitmap, bytes, context.slots);
  context.ranks = alloc(((<usize>bytes >> 3) << 2) + 16);
  let before: u32 = 0;
  for (let word: u32 = 0; word < bytes >>> 3; word++) {
    store<u32>(context.ranks + ((<usize>word) << 2), before);
    before += <u32>popcnt<u64>(load<u64>(bitmap + ((<usize>word) << 3)));
  }
  return changetype<usize>(context);
}

/** Number of a document of the context by its slot. */
export function contextIndex(context: Context, slot: u32): u32 {
  return contextIndexIn(context, slot >>> 6, slot & 63);
}

/** The same for a bit of a word of 64 slots. */
export function contextIndexIn(context: Context, word: u32, bit: u64): u32 {
  const below = load<u64>(context.bitmap + ((<usize>word) << 3)) & (((<u64>1) << bit) - 1);
  return load<u32>(context.ranks + ((<usize>word) << 2)) + <u32>popcnt<u64>(below);
}

/** Writes the numbers of some documents of a context, given by a bitmap, and answers how many there are. */
export function contextIndices(contextPointer: usize, subset: usize, out: usize): u32 {
  const context = changetype<Context>(contextPointer);
  const count = bitmapSlots(subset, context.bytes, out);
  for (let i: u32 = 0; i < count; i++) {
    const at = out + ((<usize>i) << 2);
    store<u32>(at, contextIndex(context, load<u32>(at)));
  }
  return count;
}
