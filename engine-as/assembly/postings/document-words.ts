/** Reading the words of a document in order. A drawing is in segment/layout.ts, one of the vectors in segment/words-code.ts. */
import { SegmentView } from '../segment/view';
import { LANE_BITS, LANES, Lanes } from '../segment/words-code';
import { bitmapHas } from '../sets/bitmap';

const MIN_SIGNED: u32 = 0x80000000;

/** Whether the segment stores the words of its documents. */
export function hasDocumentWords(view: SegmentView): bool {
  return view.docWords !== 0;
}

/** Number of entries of a document, an upper bound of its occurrences. */
export function documentWordCount(view: SegmentView, local: u32): u32 {
  const start = view.docWordStarts + ((<usize>local) << 2);
  return (((load<u32>(start, 4) - load<u32>(start)) * view.docWordsUnit) << 3) / view.docWordsWidth;
}

/** Average number of entries of a document. */
export function averageWordCount(view: SegmentView): u32 {
  const bytes = <u64>load<u32>(view.docWordStarts + ((<usize>view.docCount) << 2)) * view.docWordsUnit;
  return <u32>((bytes << 3) / view.docWordsWidth / max<u32>(view.docCount, 1));
}

/**
 * Writes the occurrences of the terms [from, to) in a document as codes `attribute << 16 | position`, in document order:
 * ascending within an attribute. `wanted`: bitmap of the terms to include, relative to `from`; 0: all. `out` has room for {@link
 * documentWordCount} codes. Returns the address after the last code.
 */
export function documentCodes(view: SegmentView, local: u32, from: u32, to: u32, wanted: usize, out: usize): usize {
  const start = view.docWordStarts + ((<usize>local) << 2);
  const first = view.docWords + <usize>load<u32>(start) * view.docWordsUnit;
  const end = view.docWords + <usize>load<u32>(start, 4) * view.docWordsUnit;
  const width = view.docWordsWidth;
  const step = <usize>width;
  const down = LANE_BITS - width;
  const lowBits = Lanes.bits(width, 0, 0);
  const lowBytes = Lanes.bytes(lowBits);
  const lowFactors = Lanes.factors(lowBits, down);
  const highStart = <usize>(width >>> 1);
  const highBits = Lanes.bits(width, LANES, <u32>highStart);
  const highBytes = Lanes.bytes(highBits);
  const highFactors = Lanes.factors(highBits, down);
  const firstAttribute = view.docWordsAttribute;
  const firstSkip = view.docWordsSkip;
  // After subtraction the terms from `from` on are the smallest signed numbers, so one comparison finds those below `to`.
  const least = i32x4.splat(from - MIN_SIGNED);
  const span = i32x4.splat(to - from + MIN_SIGNED);
  const lastTerm = i32x4.splat(firstAttribute - 1);
  let to32 = out;
  /** code before the first entry of the group, as if all entries were words */
  let place: u32 = 0;
  let attribute: u32 = 0;
  for (let at = first; at < end; at += step) {
    const low = i32x4.shr_u(i32x4.mul(i8x16.swizzle(v128.load(at), lowBytes), lowFactors), down);
    const high = i32x4.shr_u(i32x4.mul(i8x16.swizzle(v128.load(at + highStart), highBytes), highFactors), down);
    // Most entries are neither special nor among the terms.
    const foundLow = v128.or(i32x4.lt_s(i32x4.sub(low, least), span), i32x4.gt_s(low, lastTerm));
    const foundHigh = v128.or(i32x4.lt_s(i32x4.sub(high, least), span), i32x4.gt_s(high, lastTerm));
    if (v128.any_true(v128.or(foundLow, foundHigh))) {
      let lanes = i32x4.bitmask(foundLow) | (i32x4.bitmask(foundHigh) << LANES);
      if (end - at < step) lanes &= (1 << (((<u32>(end - at)) << 3) / width)) - 1;
      for (; lanes !== 0; lanes &= lanes - 1) {
        const lane = ctz<u32>(lanes);
        const bit = lane * width;
        const entry = (load<u32>(at + (bit >>> 3)) << (down - (bit & 7))) >>> down;
        if (entry < firstAttribute) {
          if (wanted && !bitmapHas(wanted, entry - from)) continue;
          store<u32>(to32, attribute | ((place + lane) & 0xffff));
          to32 += 4;
        } else if (entry < firstSkip) {
          attribute = (entry - firstAttribute) << 16;
          place = 0 - lane - 1;
        } else {
          place += entry - firstSkip - 1;
        }
      }
    }
    place += 2 * LANES;
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
  const end = view.docWords + <usize>load<u32>(start, 4) * view.docWordsUnit;
  let sum: u32 = 0;
  for (let at = view.docWords + <usize>load<u32>(start) * view.docWordsUnit; at < end; at += CACHE_LINE) sum += load<u8>(at);
  return sum;
}
