/** Looks words up in the sorted dictionary of a segment. */
import { postingsBegin, postingsDoc, postingsNext } from '../postings/decode';
import { Samples } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { mayHaveTerm } from './key-filter';
import { highestTerm, KEY_BYTES, lastSampled, lowestTerm, SAMPLED, textKey } from './samples';

/** Terms per vector. */
const LANES: u32 = 16;
/** Terms that are skipped by their shared bytes before a binary search begins. */
const NEAR: u32 = 8 * LANES;

/** Address of the bytes of a term. */
export function termBegin(view: usize, term: u32): usize {
  const segment = changetype<SegmentView>(view);
  return segment.termBytes + load<u32>(segment.termStarts + ((<usize>term) << 2));
}

export function termLength(view: usize, term: u32): u32 {
  const at = changetype<SegmentView>(view).termStarts + ((<usize>term) << 2);
  return load<u32>(at, 4) - load<u32>(at);
}

/** First term in [from, to) that is not less than a text in byte order; `to` when there is none. */
export function prefixStart(view: usize, text: usize, length: u32, from: u32, to: u32): u32 {
  let low = from;
  let high = to;
  const samples = changetype<Samples>(changetype<SegmentView>(view).samples);
  if (changetype<usize>(samples) !== 0 && high - low > SAMPLED) {
    const key = textKey(text, length);
    low = lowestTerm(samples, key, from, to);
    high = highestTerm(samples, key, low, to);
  }
  while (low < high) {
    const middle = (low + high) >>> 1;
    const termBytes = termLength(view, middle);
    const order = memory.compare(termBegin(view, middle), text, min<u32>(termBytes, length));
    if (order < 0 || (order === 0 && termBytes < length)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function startsWith(view: usize, term: u32, text: usize, length: u32): bool {
  return termLength(view, term) >= length && memory.compare(termBegin(view, term), text, length) === 0;
}

/** The first term of [from, to) that shares fewer than `bytes` bytes with the term before. */
export function sharingEnd(view: usize, from: u32, to: u32, bytes: u32): u32 {
  const lcps = changetype<SegmentView>(view).termLcp;
  const least = i8x16.splat(<i8>bytes);
  for (let term = from; term < to; term += LANES) {
    // The array is followed by others, so whole vectors may be read at its end.
    const fewer = i8x16.bitmask(i8x16.lt_u(v128.load(lcps + term), least));
    if (fewer !== 0) return min<u32>(to, term + <u32>ctz<i32>(fewer));
  }
  return to;
}

/** End (exclusive) of the terms in [from, to) that start with a text; `from` must be its {@link prefixStart}. */
export function prefixEnd(view: usize, text: usize, length: u32, from: u32, to: u32): u32 {
  if (from >= to || !startsWith(view, from, text, length)) return from;
  const stop = min<u32>(to, from + 1 + NEAR);
  const near = sharingEnd(view, from + 1, stop, length);
  if (near < stop || stop === to) return near;
  let low = stop;
  let high = to;
  const samples = changetype<Samples>(changetype<SegmentView>(view).samples);
  if (changetype<usize>(samples) !== 0 && high - low > SAMPLED && length > 0 && length <= KEY_BYTES) {
    // The greatest key of a term that starts with the text.
    const last = textKey(text, length) | (length < KEY_BYTES ? ~(<u64>0) >>> (length << 3) : 0);
    high = highestTerm(samples, last, low, to);
    low = lastSampled(low, high);
  }
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (startsWith(view, middle, text, length)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Number of a term, or -1. */
export function termFind(view: usize, text: usize, length: u32): i32 {
  const segment = changetype<SegmentView>(view);
  if (!mayHaveTerm(segment.keyFilter, text, length)) return -1;
  const count = segment.termCount;
  const at = prefixStart(view, text, length, 0, count);
  if (at === count || termLength(view, at) !== length || memory.compare(termBegin(view, at), text, length) !== 0) return -1;
  return at;
}

/** Whether a live document has the term. `tombstones`: bitmap of the deleted ones. */
export function termIsLive(view: usize, term: u32, tombstones: usize): bool {
  postingsBegin(view, term);
  while (postingsNext()) {
    const doc = postingsDoc();
    if (!((load<u8>(tombstones + (doc >>> 3)) >>> (doc & 7)) & 1)) return true;
  }
  return false;
}

/** Number of terms of a segment. */
export function termCountOf(view: usize): u32 {
  return changetype<SegmentView>(view).termCount;
}
