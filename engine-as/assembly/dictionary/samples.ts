/**
 * A sample of the terms of a dictionary. Every step of a binary search through the dictionary itself is a cache miss, so the
 * first eight bytes of each 64th term are stored together, and a search begins with them. The first term of each initial
 * character is stored, too.
 */
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32 } from '../runtime/buffer';
import { SegmentView } from '../segment/view';
import { prefixEnd, termBegin, termLength } from './terms';

@unmanaged
export class Samples {
  /** number of samples: terms 0, {@link SAMPLED}, 2 * {@link SAMPLED} … */
  count: u32;
  /** number of terms whose first code point differs from that of the term before */
  firstCount: u32;
  // followed by u64[count], the keys of the samples, and u32[firstCount], the ordinals of those terms
}

/** Terms per sample; a power of two. */
export const SAMPLED: u32 = 64;
/** Bytes of a term in its key. */
export const KEY_BYTES: u32 = 8;
/** Dictionaries with fewer terms fit in the processor's caches and are not sampled. */
const MIN_TERMS: u32 = 256;

/** @returns the first {@link KEY_BYTES} bytes of a text as a number, padded with zeros; keys are ordered as their texts */
export function textKey(text: usize, length: u32): u64 {
  if (length === 0) return 0;
  const key = bswap<u64>(load<u64>(text));
  return length >= KEY_BYTES ? key : key & (~(<u64>0) << ((KEY_BYTES - length) << 3));
}

function keysOf(samples: Samples): usize {
  return changetype<usize>(samples) + offsetof<Samples>();
}

function keyAt(samples: Samples, index: u32): u64 {
  return load<u64>(keysOf(samples) + ((<usize>index) << 3));
}

/** Term number `index` of those where another first code point begins. */
export function firstAt(samples: Samples, index: u32): u32 {
  return load<u32>(keysOf(samples) + ((<usize>samples.count) << 3) + ((<usize>index) << 2));
}

/** The first sample whose key is not below a key; with `above`, the first one above it. */
export function sampleOf(samples: Samples, key: u64, above: bool): u32 {
  let low: u32 = 0;
  let high = samples.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const own = keyAt(samples, middle);
    if (own < key || (above && own === key)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether a dictionary is large enough to be sampled. */
export function isSampled(view: SegmentView): bool {
  return view.termCount >= MIN_TERMS;
}

/** Terms where another first code point begins: a Buffer of u32. */
export function firstTerms(view: SegmentView): usize {
  const firsts = bufferCreate(256);
  const segment = changetype<usize>(view);
  for (let term: u32 = 0; term < view.termCount; ) {
    bufferPush32(firsts, term);
    const bytes = min<u32>(firstBytes(termBegin(segment, term)), termLength(segment, term));
    term = max<u32>(term + 1, prefixEnd(segment, termBegin(segment, term), bytes, term, view.termCount));
  }
  return firsts;
}

/** Bytes of the code point that begins at an address. */
function firstBytes(at: usize): u32 {
  const byte: u32 = load<u8>(at);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/** Bytes of the samples of a dictionary with these {@link firstTerms}. */
export function samplesBytes(view: SegmentView, firsts: usize): usize {
  const count = (view.termCount + SAMPLED - 1) / SAMPLED;
  return offsetof<Samples>() + ((<usize>count) << 3) + changetype<Buffer>(firsts).length;
}

/** Writes the samples of a dictionary to memory of {@link samplesBytes}. */
export function writeSamples(view: SegmentView, firsts: usize, at: usize): void {
  const samples = changetype<Samples>(at);
  const segment = changetype<usize>(view);
  samples.count = (view.termCount + SAMPLED - 1) / SAMPLED;
  samples.firstCount = <u32>(changetype<Buffer>(firsts).length >> 2);
  for (let index: u32 = 0; index < samples.count; index++) {
    const term = index * SAMPLED;
    store<u64>(keysOf(samples) + ((<usize>index) << 3), textKey(termBegin(segment, term), termLength(segment, term)));
  }
  memory.copy(
    keysOf(samples) + ((<usize>samples.count) << 3),
    changetype<Buffer>(firsts).data,
    changetype<Buffer>(firsts).length,
  );
}

/** Samples of a dictionary in scratch. */
export function samplesCreate(viewPointer: usize): usize {
  const view = changetype<SegmentView>(viewPointer);
  const firsts = firstTerms(view);
  const at = alloc(samplesBytes(view, firsts));
  writeSamples(view, firsts, at);
  return at;
}
