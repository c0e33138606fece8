/** Reading the words of a document in order. A drawing is in segment/layout.ts. */
import { FIRST_SPECIAL, SPECIAL_SKIP, WORD_BYTES } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { bitmapHas } from '../sets/bitmap';

/** Entries that are compared at once, and their bytes. */
const LANES: u32 = 4;
const STEP: usize = <usize>LANES * WORD_BYTES;
const MIN_SIGNED: u32 = 0x80000000;
const ENTRY_MASK: u32 = 0xffffff;
const SPECIAL_PAYLOAD: u32 = 0xffff;

/** Whether the segment stores the words of its documents. */
export function hasDocumentWords(view: SegmentView): bool {
  return view.docWords !== 0;
}

/** Number of entries of a document, an upper bound of its occurrences. */
export function documentWordCount(view: SegmentView, local: u32): u32 {
  const start = view.docWordStarts + ((<usize>local) << 2);
  return load<u32>(start, 4) - load<u32>(start);
}

/** Average number of entries of a document. */
export function averageWordCount(view: SegmentView): u32 {
  return load<u32>(view.docWordStarts + ((<usize>view.docCount) << 2)) / max<u32>(view.docCount, 1);
}

/**
 * Writes the occurrences of the terms [from, to) in a document as codes `attribute << 16 | position`, in document order:
 * ascending within an attribute. `wanted`: bitmap of the terms to include, relative to `from`; 0: all. `out` has room for {@link
 * documentWordCount} codes. Returns the address after the last code.
 */
export function documentCodes(view: SegmentView, local: u32, from: u32, to: u32, wanted: usize, out: usize): usize {
  const start = view.docWordStarts + ((<usize>local) << 2);
  const first = view.docWords + <usize>load<u32>(start) * WORD_BYTES;
  const end = view.docWords + <usize>load<u32>(start, 4) * WORD_BYTES;
  const spread = i8x16(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
  // After subtraction the terms from `from` on are the smallest signed numbers, so one comparison finds those below `to`.
  const low = i32x4.splat(from - MIN_SIGNED);
  const span = i32x4.splat(to - from + MIN_SIGNED);
  const special = i32x4.splat(FIRST_SPECIAL - 1);
  let to32 = out;
  /** code before the first entry of the step, as if all entries were words */
  let code: u32 = 0;
  let attribute: u32 = 0;
  for (let at = first; at < end; at += STEP) {
    // Most entries are neither special nor among the terms, so two steps are tested together.
    while (at + 2 * STEP <= end) {
      const these = i8x16.swizzle(v128.load(at), spread);
      const next = i8x16.swizzle(v128.load(at + STEP), spread);
      const words = v128.or(i32x4.lt_s(i32x4.sub(these, low), span), i32x4.lt_s(i32x4.sub(next, low), span));
      const specials = v128.or(i32x4.gt_s(these, special), i32x4.gt_s(next, special));
      if (v128.any_true(v128.or(words, specials))) break;
      at += 2 * STEP;
      code += 2 * LANES;
    }
    if (at >= end) break;
    const terms = i8x16.swizzle(v128.load(at), spread);
    const found = v128.or(i32x4.lt_s(i32x4.sub(terms, low), span), i32x4.gt_s(terms, special));
    let lanes = i32x4.bitmask(found);
    if (end - at < STEP) lanes &= (1 << (<u32>(end - at) / WORD_BYTES)) - 1;
    for (; lanes !== 0; lanes &= lanes - 1) {
      const lane = ctz<u32>(lanes);
      const entry = load<u32>(at + <usize>(lane * WORD_BYTES)) & ENTRY_MASK;
      if (entry < FIRST_SPECIAL) {
        if (wanted && !bitmapHas(wanted, entry - from)) continue;
        store<u32>(to32, attribute | ((code + lane) & 0xffff));
        to32 += 4;
      } else if (entry < SPECIAL_SKIP) {
        attribute = (entry & SPECIAL_PAYLOAD) << 16;
        code = 0 - lane - 1;
      } else {
        code += (entry & SPECIAL_PAYLOAD) - 1;
      }
    }
    code += LANES;
  }
  return to32;
}

/** Bytes that are loaded into the cache together. */
const CACHE_LINE: usize = 64;

/**
 * Loads the words of a document into the cache. Reading the words of documents all over a segment mostly waits for memory; loads for
 * several documents that do not depend on each other overlap.
 * @returns a sum of bytes, to be stored somewhere: compilers may leave out loads that nothing depends on
 */
export function touchDocumentWords(view: SegmentView, local: u32): u32 {
  const start = view.docWordStarts + ((<usize>local) << 2);
  const end = view.docWords + <usize>load<u32>(start, 4) * WORD_BYTES;
  let sum: u32 = 0;
  for (let at = view.docWords + <usize>load<u32>(start) * WORD_BYTES; at < end; at += CACHE_LINE) sum += load<u8>(at);
  return sum;
}
