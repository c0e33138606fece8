/** Looks words up in the sorted dictionary of a segment. */
import { postingsBegin, postingsDoc, postingsNext } from '../postings/decode';
import { Samples } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { KEY_BYTES, SAMPLED, sampleOf, textKey } from './samples';

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
    // Terms with a common beginning may have the same key.
    const key = textKey(text, length);
    const least = sampleOf(samples, key, false);
    if (least > 0) low = max<u32>(low, (least - 1) * SAMPLED + 1);
    const above = sampleOf(samples, key, true);
    if (above < samples.count) high = max<u32>(low, min<u32>(high, above * SAMPLED));
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

/** End (exclusive) of the terms in [from, to) that start with a text; `from` must be its {@link prefixStart}. */
export function prefixEnd(view: usize, text: usize, length: u32, from: u32, to: u32): u32 {
  let low = from;
  let high = to;
  const samples = changetype<Samples>(changetype<SegmentView>(view).samples);
  if (changetype<usize>(samples) !== 0 && high - low > SAMPLED && length > 0 && length <= KEY_BYTES) {
    // The greatest key of a term that starts with the text.
    const last = textKey(text, length) | (length < KEY_BYTES ? ~(<u64>0) >>> (length << 3) : 0);
    const above = sampleOf(samples, last, true);
    if (above > 0) low = max<u32>(low, (above - 1) * SAMPLED);
    if (above < samples.count) high = max<u32>(low, min<u32>(high, above * SAMPLED));
  }
  while (low < high) {
    const middle = (low + high) >>> 1;
    const termBytes = termLength(view, middle);
    if (termBytes >= length && memory.compare(termBegin(view, middle), text, length) === 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Number of a term, or -1. */
export function termFind(view: usize, text: usize, length: u32): i32 {
  const count = changetype<SegmentView>(view).termCount;
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
