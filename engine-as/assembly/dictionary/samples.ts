/**
 * A sample of the terms of a dictionary, SECTION_SAMPLES of a segment. Every step of a binary search through the dictionary itself is a
 * cache miss, so the first eight bytes of each 64th term are stored together, and a search begins with them. The first term of each
 * initial character is stored, too.
 */
import { Samples } from '../segment/layout';

/** Terms per sample; a power of two. */
export const SAMPLED: u32 = 64;
/** Length of keys: the first bytes of terms. */
export const KEY_BYTES: u32 = 8;
/** Dictionaries with fewer terms fit in the processor's caches and are not sampled. */
const MIN_TERMS: u32 = 256;

/** @returns the first {@link KEY_BYTES} bytes of a text as a number, padded with zeros; keys are ordered as their texts */
export function textKey(text: usize, length: u32): u64 {
  if (length === 0) return 0;
  const key = bswap<u64>(load<u64>(text));
  return length >= KEY_BYTES ? key : key & (~(<u64>0) << ((KEY_BYTES - length) << 3));
}

function keyAt(samples: Samples, index: u32): u64 {
  return load<u64>(changetype<usize>(samples) + offsetof<Samples>() + ((<usize>index) << 3));
}

/** Term number `index` of those where another first code point begins. */
export function firstAt(samples: Samples, index: u32): u32 {
  const firsts = changetype<usize>(samples) + offsetof<Samples>() + ((<usize>samples.count) << 3);
  return load<u32>(firsts + ((<usize>index) << 2));
}

/** The first of the samples [from, to) whose key is not below a key; with `above`, the first one above it; `to`: there is none. */
function sampleOf(samples: Samples, key: u64, above: bool, from: u32, to: u32): u32 {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const own = keyAt(samples, middle);
    if (own < key || (above && own === key)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Number of the first sample that is not before a term. */
function sampleFrom(term: u32): u32 {
  return (term + SAMPLED - 1) / SAMPLED;
}

/** Lower bound of the terms of [from, to) with at least a key, by the samples: all terms before it have smaller keys. */
export function lowestTerm(samples: Samples, key: u64, from: u32, to: u32): u32 {
  const begin = sampleFrom(from);
  const least = sampleOf(samples, key, false, begin, sampleFrom(to));
  return least > begin ? (least - 1) * SAMPLED + 1 : from;
}

/** Upper bound of the terms of [from, to) with at most a key, by the samples: it and all terms after it have greater keys. */
export function highestTerm(samples: Samples, key: u64, from: u32, to: u32): u32 {
  const begin = sampleFrom(from);
  const end = sampleFrom(to);
  // Usually the first sample is above the key.
  const above = begin < end && keyAt(samples, begin) > key ? begin : sampleOf(samples, key, true, begin, end);
  return above < end ? above * SAMPLED : to;
}

/** The last sampled term of [from, to), `from` when there is none. */
export function lastSampled(from: u32, to: u32): u32 {
  const end = sampleFrom(to);
  return end > sampleFrom(from) ? (end - 1) * SAMPLED : from;
}

/** Whether a dictionary is large enough to be sampled. */
export function isSampled(termCount: u32): bool {
  return termCount >= MIN_TERMS;
}
