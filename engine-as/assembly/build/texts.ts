/** The distinct texts of all columns of a segment under construction, each stored once. */
import { alloc } from '../runtime/arena';
import { grownLastingSlots, newSlots } from '../runtime/hash-slots';
import { poolAlloc, poolCopy } from '../runtime/pool';
import { hashText, sameText } from '../runtime/text-bytes';
import { FACET_ROOM, normalizeFacetInto } from '../text/facet';

@unmanaged
export class Text {
  length: u32;
  bytes: usize;
  /** form for comparisons, computed on first use */
  normalized: usize;
  normalizedLength: u32;
  /** field id + 1 of the column that numbered it last, and its number there */
  column: u32;
  ordinal: u32;
}

const FIRST_MASK: u32 = 1023;

/** of texts: see runtime/hash-slots.ts */
let slots: usize = 0;
let mask: u32 = 0;
let count: u32 = 0;
/** work space of {@link textNormalize} */
let normalizing: usize = 0;

export function textsBegin(): void {
  mask = FIRST_MASK;
  slots = newSlots(mask);
  count = 0;
  normalizing = alloc(FACET_ROOM);
}

export function isText(pointer: usize, bytes: usize, length: u32): bool {
  const text = changetype<Text>(pointer);
  return text.length === length && sameText(text.bytes, bytes, length);
}

/** Address of the Text with these bytes, which must be readable for 8 bytes after their end. */
export function textIntern(bytes: usize, length: u32): usize {
  const hash = hashText(bytes, length);
  let slot = hash & mask;
  while (true) {
    const entry = load<u64>(slots + ((<usize>slot) << 3));
    if (entry === 0) break;
    const pointer = <usize>(<u32>entry);
    if (<u32>(entry >> 32) === hash && isText(pointer, bytes, length)) return pointer;
    slot = (slot + 1) & mask;
  }
  const text = changetype<Text>(poolAlloc(offsetof<Text>()));
  text.length = length;
  text.bytes = poolCopy(bytes, length);
  text.normalized = 0;
  text.normalizedLength = 0;
  text.column = 0;
  text.ordinal = 0;
  store<u64>(slots + ((<usize>slot) << 3), ((<u64>hash) << 32) | <u64>changetype<usize>(text));
  if (++count << 1 > mask) grow();
  return changetype<usize>(text);
}

function grow(): void {
  const wider = (mask << 1) | 1;
  slots = grownLastingSlots(slots, mask, wider);
  mask = wider;
}

/** Computes the normalized form if it is missing. */
export function textNormalize(text: Text): void {
  if (text.normalized) return;
  text.normalizedLength = normalizeFacetInto(text.bytes, text.length, normalizing);
  const isNormal = text.normalizedLength === text.length && sameText(normalizing, text.bytes, text.length);
  text.normalized = isNormal ? text.bytes : poolCopy(normalizing, text.normalizedLength);
}
