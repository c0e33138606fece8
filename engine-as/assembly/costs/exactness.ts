/**
 * The exact-attribute part of the exactness rule: whether an attribute begins with the words of the query, or consists of them.
 */
import { alloc } from '../runtime/arena';
import { bitmapAdd } from '../sets/bitmap';
import { Context } from './context';
import { Occurrences } from './occurrences';
import { bucketIndex } from './position-costs';
import { ATTRIBUTE_SEARCHED } from './sources';
import { isSpan } from './word-counts';

export const EXACT_MATCH: u8 = 0;
export const MATCHES_START: u8 = 1;
export const NO_EXACT_MATCH: u8 = 2;

/** A word of the query with its expected position. */
@unmanaged
export class ExpectedWord {
  occurrences: usize;
  position: u32;
}

/** A segment with its range of slots. */
@unmanaged
export class SlotRange {
  base: u32;
  view: usize;
}

function expectedAt(words: usize, index: u32): ExpectedWord {
  return changetype<ExpectedWord>(words + <usize>index * offsetof<ExpectedWord>());
}

/**
 * Adds the documents of a bitmap, which must be in the context, to one of two consecutive bitmaps: those where an attribute
 * equals the query, and those where one begins with it. `span`: number of words of an attribute that equals the query.
 * `segments`: SlotRange[], ascending.
 */
export function exactAttribute(
  contextPointer: usize,
  documents: usize,
  words: usize,
  wordCount: u32,
  span: u32,
  attributes: usize,
  segments: usize,
  segmentCount: u32,
  levels: usize,
): void {
  const context = changetype<Context>(contextPointer);
  const inPlace = alloc(((<usize>context.count) << 2) + 16);
  const end = inPlace + ((<usize>listInPlace(context, documents, words, wordCount, inPlace)) << 2);
  for (let at = inPlace; at < end; at += 4) {
    const index = load<u32>(at);
    const level = bestAttribute(context, index, words, wordCount, span, attributes, segments, segmentCount);
    if (level === NO_EXACT_MATCH) continue;
    bitmapAdd(levels + <usize>(<u32>level * context.bytes), load<u32>(context.members + ((<usize>index) << 2)));
  }
}

/** Lists the indices of the documents of a bitmap where every word is at its position, in any attribute. Returns their number. */
function listInPlace(context: Context, documents: usize, words: usize, wordCount: u32, out: usize): u32 {
  // both ascend
  let index: u32 = 0;
  let count: u32 = 0;
  for (let at: u32 = 0; at < context.bytes; at += 8) {
    for (let bits = load<u64>(documents + at); bits !== 0; bits &= bits - 1) {
      const member = (at << 3) + <u32>ctz<u64>(bits);
      while (load<u32>(context.members + ((<usize>index) << 2)) !== member) index++;
      if (!areInPlace(words, wordCount, index)) continue;
      store<u32>(out + ((<usize>count) << 2), index);
      count++;
    }
  }
  return count;
}

/** Whether every word is at its position, in any attribute. */
function areInPlace(words: usize, wordCount: u32, index: u32): bool {
  for (let w: u32 = 0; w < wordCount; w++) {
    const word = expectedAt(words, w);
    const wanted = bucketIndex(min<u32>(word.position, 65535));
    const occurrences = changetype<Occurrences>(word.occurrences);
    const to = load<u32>(occurrences.starts + ((<usize>(index + 1)) << 2));
    let found = false;
    for (let at = load<u32>(occurrences.starts + ((<usize>index) << 2)); at < to && !found; at++) {
      found = bucketIndex(load<u32>(occurrences.codes + ((<usize>at) << 2)) & 0xffff) === wanted;
    }
    if (!found) return false;
  }
  return true;
}

/** Checks each attribute that contains the first word. */
function bestAttribute(
  context: Context,
  index: u32,
  words: usize,
  wordCount: u32,
  span: u32,
  attributes: usize,
  segments: usize,
  segmentCount: u32,
): u8 {
  const first = changetype<Occurrences>(expectedAt(words, 0).occurrences);
  const to = load<u32>(first.starts + ((<usize>(index + 1)) << 2));
  let level = NO_EXACT_MATCH;
  let last: u32 = 0xffffffff;
  for (let at = load<u32>(first.starts + ((<usize>index) << 2)); at < to && level !== EXACT_MATCH; at++) {
    const attribute = load<u32>(first.codes + ((<usize>at) << 2)) >>> 16;
    if (attribute === last) continue;
    last = attribute;
    if (!(load<u8>(attributes + attribute) & ATTRIBUTE_SEARCHED)) continue;
    if (!containsAll(words, wordCount, index, attribute)) continue;
    const slot = load<u32>(context.slots + ((<usize>index) << 2));
    const range = rangeOf(slot, segments, segmentCount);
    level = isSpan(range.view, slot - range.base, attribute, span) ? EXACT_MATCH : MATCHES_START;
  }
  return level;
}

function containsAll(words: usize, wordCount: u32, index: u32, attribute: u32): bool {
  for (let w: u32 = 1; w < wordCount; w++) {
    const occurrences = changetype<Occurrences>(expectedAt(words, w).occurrences);
    const to = load<u32>(occurrences.starts + ((<usize>(index + 1)) << 2));
    let found = false;
    for (let at = load<u32>(occurrences.starts + ((<usize>index) << 2)); at < to && !found; at++) {
      found = load<u32>(occurrences.codes + ((<usize>at) << 2)) >>> 16 === attribute;
    }
    if (!found) return false;
  }
  return true;
}

/** The segment of a slot. */
function rangeOf(slot: u32, segments: usize, segmentCount: u32): SlotRange {
  let s: u32 = 0;
  while (s + 1 < segmentCount && changetype<SlotRange>(segments + <usize>(s + 1) * offsetof<SlotRange>()).base <= slot) s++;
  return changetype<SlotRange>(segments + <usize>s * offsetof<SlotRange>());
}
