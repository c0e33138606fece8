/** The terms of a segment under construction by text: a hash table. Texts must be readable for 8 bytes after their ends. */
import { grownLastingSlots, newSlots } from '../runtime/hash-slots';
import { hashText, sameText } from '../runtime/text-bytes';
import { Term, termText } from './term';

/** Longer words are not indexed. */
export const MAX_WORD_BYTES: u32 = 250;

const FIRST_MASK: u32 = (1 << 14) - 1;

/** of terms: see runtime/hash-slots.ts */
let slots: usize = 0;
let mask: u32 = 0;
let count: u32 = 0;
/** of all terms */
let textBytes: u32 = 0;

export function wordTableBegin(): void {
  mask = FIRST_MASK;
  slots = newSlots(mask);
  count = 0;
  textBytes = 0;
}

export function wordCount(): u32 {
  return count;
}

/** Bytes of the texts of all terms. */
export function wordTextBytes(): u32 {
  return textBytes;
}

/** Size of the hash table: each slot has a term or 0. */
export function wordSlots(): u32 {
  return mask + 1;
}

/** Term of a slot, or 0. */
export function wordAt(slot: u32): usize {
  return termIn(slots + ((<usize>slot) << 3));
}

/** Term in the slot at an address, or 0. */
export function termIn(slot: usize): usize {
  return <usize>(<u32>load<u64>(slot));
}

/** Address of the slot where the search for a hash begins. */
export function firstSlot(hash: u32): usize {
  return slots + ((<usize>(hash & mask)) << 3);
}

/** Address of the slot of a word, or of the free slot for it. */
export function slotOf(text: usize, length: u32, hash: u32): usize {
  let slot = hash & mask;
  while (true) {
    const at = slots + ((<usize>slot) << 3);
    const entry = load<u64>(at);
    if (entry === 0) return at;
    if (<u32>(entry >> 32) === hash) {
      const term = changetype<Term>(<usize>(<u32>entry));
      if (term.length === length && sameText(termText(term), text, length)) return at;
    }
    slot = (slot + 1) & mask;
  }
}

/** Address of the Term of a word, 0 when there is none. */
export function findWord(text: usize, length: u32): usize {
  return termIn(slotOf(text, length, hashText(text, length)));
}

/** Puts a new term into the free slot that {@link slotOf} returned. */
export function fillSlot(slot: usize, hash: u32, term: Term): void {
  store<u64>(slot, ((<u64>hash) << 32) | <u64>changetype<usize>(term));
  textBytes += term.length;
  if (++count << 1 <= mask) return;
  const wider = (mask << 1) | 1;
  slots = grownLastingSlots(slots, mask, wider);
  mask = wider;
}
