/**
 * A search through the dictionary of a segment misses the caches at each of its steps. So the first bytes of every so many terms are kept
 * one after the other, by which a search begins, and so are the terms where another first character begins.
 */
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32 } from '../runtime/buffer';
import { SegmentView } from '../segment/view';
import { prefixEnd, termBegin, termLength } from './terms';

@unmanaged
export class Samples {
  /** how many; one for every {@link SAMPLED} terms, from the first one on */
  count: u32;
  /** terms with another first code point than the one before */
  firstCount: u32;
  // u64[count]: the first bytes of each sample, then u32[firstCount]: those terms
}

/** Terms to a sample: a power of two. */
export const SAMPLED: u32 = 64;
/** Bytes of a text that are compared at once. */
export const KEY_BYTES: u32 = 8;
/** Smaller dictionaries stay in the caches. */
const FEWEST_TERMS: u32 = 256;

/** The first bytes of a text as a number, zeros after its end: numbers ascend with texts. */
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

/** Is a dictionary large enough to be sampled? */
export function isSampled(view: SegmentView): bool {
  return view.termCount >= FEWEST_TERMS;
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
