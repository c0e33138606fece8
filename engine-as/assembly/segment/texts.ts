/** The distinct texts of all columns of a segment under construction, each stored once. */
import { alloc } from '../runtime/arena';
import { poolAlloc, poolCopy } from '../runtime/pool';
import { FACET_ROOM, normalizeFacetInto } from '../text/facet';

@unmanaged
export class Text {
  hash: u32;
  length: u32;
  bytes: usize;
  /** form for comparisons, made when it is first asked for */
  normalized: usize;
  normalizedLength: u32;
  /** field id + 1 of the column that numbered it last, and its number there */
  column: u32;
  ordinal: u32;
}

const FIRST_MASK: u32 = 1023;

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

function newSlots(newMask: u32): usize {
  const bytes = (<usize>newMask + 1) << 2;
  const at = alloc(bytes);
  memory.fill(at, 0, bytes);
  return at;
}

function hashText(bytes: usize, length: u32): u32 {
  let hash: u64 = <u64>length;
  let at = bytes;
  const end = bytes + length;
  for (; at + 8 <= end; at += 8) {
    hash = (hash ^ load<u64>(at)) * 0x9fb21c651e98df25;
    hash ^= hash >> 32;
  }
  for (; at < end; at++) hash = (hash ^ load<u8>(at)) * 0x100000001b3;
  hash *= 0x9fb21c651e98df25;
  return <u32>(hash >> 32);
}

/** Address of the Text with these bytes. */
export function textIntern(bytes: usize, length: u32): usize {
  const hash = hashText(bytes, length);
  let slot = hash & mask;
  while (true) {
    const pointer: usize = load<u32>(slots + ((<usize>slot) << 2));
    if (!pointer) break;
    const text = changetype<Text>(pointer);
    if (text.hash === hash && text.length === length && memory.compare(text.bytes, bytes, length) === 0) return pointer;
    slot = (slot + 1) & mask;
  }
  const text = changetype<Text>(poolAlloc(offsetof<Text>()));
  text.hash = hash;
  text.length = length;
  text.bytes = poolCopy(bytes, length);
  text.normalized = 0;
  text.normalizedLength = 0;
  text.column = 0;
  text.ordinal = 0;
  store<u32>(slots + ((<usize>slot) << 2), <u32>changetype<usize>(text));
  if (++count << 1 > mask) grow();
  return changetype<usize>(text);
}

function grow(): void {
  const old = slots;
  const oldMask = mask;
  mask = (mask << 1) | 1;
  slots = newSlots(mask);
  for (let i: u32 = 0; i <= oldMask; i++) {
    const pointer = load<u32>(old + ((<usize>i) << 2));
    if (!pointer) continue;
    let slot = changetype<Text>(<usize>pointer).hash & mask;
    while (load<u32>(slots + ((<usize>slot) << 2))) slot = (slot + 1) & mask;
    store<u32>(slots + ((<usize>slot) << 2), pointer);
  }
}

/** Computes the normalized form if it is missing. */
export function textNormalize(text: Text): void {
  if (text.normalized) return;
  text.normalizedLength = normalizeFacetInto(text.bytes, text.length, normalizing);
  text.normalized = poolCopy(normalizing, text.normalizedLength);
}
