/** Slots of a hash table with open addressing: u64[mask + 1], each `hash << 32 | address of the entry`, or 0. */
import { allocZeroed } from './arena';
import { blocksFrom } from './blocks';

const SLOT_BYTES: usize = 8;

/** Slots without entries. */
export function newSlots(mask: u32): usize {
  return allocZeroed((<usize>mask + 1) * SLOT_BYTES);
}

/** Slots of the larger mask, with the entries of those of the smaller one. */
export function grownSlots(old: usize, oldMask: u32, mask: u32): usize {
  const slots = newSlots(mask);
  const end = old + (<usize>oldMask + 1) * SLOT_BYTES;
  for (let at = old; at < end; at += SLOT_BYTES) {
    const entry = load<u64>(at);
    if (entry === 0) continue;
    let slot = <u32>(entry >> 32) & mask;
    while (load<u64>(slots + <usize>slot * SLOT_BYTES)) slot = (slot + 1) & mask;
    store<u64>(slots + <usize>slot * SLOT_BYTES, entry);
  }
  return slots;
}

/** As {@link grownSlots}, for slots that last until the list of free blocks is dropped: the old ones become blocks. */
export function grownLastingSlots(old: usize, oldMask: u32, mask: u32): usize {
  const slots = grownSlots(old, oldMask, mask);
  blocksFrom(old, (<usize>oldMask + 1) * SLOT_BYTES);
  return slots;
}
