/** Reading the words of a document in order. A drawing of the section is in segment/layout.ts, one of the vectors in segment/words-code.ts. */
import { alloc } from '../runtime/arena';
import { CACHE_LINE } from '../runtime/cache-line';
import { SegmentView } from '../segment/view';
import { LANE_BITS, LANES } from '../segment/words-code';
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

/** Where the four entries of a group from `first` on begin, in bits after byte `start` of the group. */
function laneBits(width: u32, first: u32, start: u32): v128 {
  const entries = i32x4.add(i32x4(0, 1, 2, 3), i32x4.splat(first));
  return i32x4.sub(i32x4.mul(entries, i32x4.splat(width)), i32x4.splat(start << 3));
}

/** For `i8x16.swizzle`: the 4 bytes in which each entry begins. */
function laneBytes(bits: v128): v128 {
  const first = i32x4.mul(i32x4.shr_u(bits, 3), i32x4.splat(0x01010101));
  return i32x4.add(first, i32x4.splat(0x03020100));
}

/** For `i32x4.mul`: shifts each entry to the upper end of its lane. `unused`: bits of a lane beyond those of an entry. */
function laneFactors(bits: v128, unused: u32): v128 {
  // Powers of two by the bit offset of the entry in its byte; indices out of range make the other bytes of a lane 0.
  const powers = i8x16(-128, 64, 32, 16, 8, 4, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0);
  const away = v128.or(v128.and(bits, i32x4.splat(7)), i32x4.splat(0x80808000));
  return i32x4.shl(i8x16.swizzle(powers, away), unused - 7);
}

/** Terms that are looked for in the words of documents, and where their occurrences are written. */
@unmanaged
export class WordSet {
  /** terms [from, to), and a bitmap of those of them to include, relative to `from`; 0: all */
  from: u32;
  to: u32;
  wanted: usize;
  /** what makes one signed comparison find these terms, see {@link wordSetInit} */
  least: u32;
  span: u32;
  /** address for the next code; there must be room for {@link documentWordCount} of them */
  out: usize;
}

export function wordSetInit(set: WordSet, from: u32, to: u32, wanted: usize): void {
  set.from = from;
  set.to = to;
  set.wanted = wanted;
  // After subtraction the terms from `from` on are the smallest signed numbers, so one comparison finds those below `to`.
  set.least = from - MIN_SIGNED;
  set.span = to - from + MIN_SIGNED;
}

/** A list of one set for {@link documentCodesOfOne}. */
export function oneSet(from: u32, to: u32, wanted: usize): usize {
  const set = changetype<WordSet>(alloc(offsetof<WordSet>()));
  wordSetInit(set, from, to, wanted);
  const sets = alloc(4);
  store<u32>(sets, <u32>changetype<usize>(set));
  return sets;
}

/** Writes the occurrences of one set ({@link oneSet}) in a document to `out`; returns the address after the last code. */
export function documentCodesOfOne(view: SegmentView, local: u32, sets: usize, out: usize): usize {
  const set = changetype<WordSet>(<usize>load<u32>(sets));
  set.out = out;
  documentCodes(view, local, sets, 1);
  return set.out;
}

/** Whether entries are in a range, see {@link wordSetInit}. */
function areIn(entries: v128, least: v128, span: v128): v128 {
  return i32x4.lt_s(i32x4.sub(entries, least), span);
}

/** The numbers by which entries that are no attributes advance the position: a word by one, skipped positions by their number, at least one. */
function advances(entries: v128, firstSkip: v128, one: v128): v128 {
  return i32x4.max_s(i32x4.sub(entries, firstSkip), one);
}

function sumOf(numbers: v128): u32 {
  const halves = i32x4.add(numbers, i8x16.shuffle(numbers, numbers, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  return i32x4.extract_lane(halves, 0) + i32x4.extract_lane(halves, 1);
}

/** Sets that are compared in registers; with fewer, one is compared twice. */
const IN_REGISTERS: usize = 2;

/**
 * Writes the occurrences of several sets of terms in a document as codes `attribute << 16 | position`, those of each set in document order:
 * ascending within an attribute. `sets`: u32[count] addresses of WordSet.
 *
 * Groups of eight entries with neither a word of the sets nor the beginning of an attribute only advance the position, without a branch.
 */
export function documentCodes(view: SegmentView, local: u32, sets: usize, count: u32): void {
  const start = view.docWordStarts + ((<usize>local) << 2);
  const first = view.docWords + <usize>load<u32>(start) * view.docWordsUnit;
  const end = view.docWords + <usize>load<u32>(start, 4) * view.docWordsUnit;
  const width = view.docWordsWidth;
  const step = <usize>width;
  const down = LANE_BITS - width;
  const lowBits = laneBits(width, 0, 0);
  const lowBytes = laneBytes(lowBits);
  const lowFactors = laneFactors(lowBits, down);
  const highStart = <usize>(width >>> 1);
  const highBits = laneBits(width, LANES, <u32>highStart);
  const highBytes = laneBytes(highBits);
  const highFactors = laneFactors(highBits, down);
  const firstAttribute = view.docWordsAttribute;
  const firstSkip = view.docWordsSkip;
  const leastAttribute = i32x4.splat(firstAttribute - MIN_SIGNED);
  const attributeSpan = i32x4.splat(firstSkip - firstAttribute + MIN_SIGNED);
  const skips = i32x4.splat(firstSkip);
  const one = i32x4.splat(1);
  const setsEnd = sets + ((<usize>count) << 2);
  const own = changetype<WordSet>(<usize>load<u32>(sets));
  const other = count > 1 ? changetype<WordSet>(<usize>load<u32>(sets, 4)) : own;
  const ownLeast = i32x4.splat(own.least);
  const ownSpan = i32x4.splat(own.span);
  const otherLeast = i32x4.splat(other.least);
  const otherSpan = i32x4.splat(other.span);
  /** what the entries since `place` was determined advance it by */
  let advance = i32x4.splat(0);
  let place: u32 = 0;
  let attribute: u32 = 0;
  for (let at = first; at < end; at += step) {
    const low = i32x4.shr_u(i32x4.mul(i8x16.swizzle(v128.load(at), lowBytes), lowFactors), down);
    const high = i32x4.shr_u(i32x4.mul(i8x16.swizzle(v128.load(at + highStart), highBytes), highFactors), down);
    let foundLow = v128.or(areIn(low, leastAttribute, attributeSpan), areIn(low, ownLeast, ownSpan));
    let foundHigh = v128.or(areIn(high, leastAttribute, attributeSpan), areIn(high, ownLeast, ownSpan));
    foundLow = v128.or(foundLow, areIn(low, otherLeast, otherSpan));
    foundHigh = v128.or(foundHigh, areIn(high, otherLeast, otherSpan));
    for (let next = sets + (IN_REGISTERS << 2); next < setsEnd; next += 4) {
      const set = <usize>load<u32>(next);
      const least = v128.load_splat<u32>(set, offsetof<WordSet>('least'));
      const span = v128.load_splat<u32>(set, offsetof<WordSet>('span'));
      foundLow = v128.or(foundLow, areIn(low, least, span));
      foundHigh = v128.or(foundHigh, areIn(high, least, span));
    }
    if (!v128.any_true(v128.or(foundLow, foundHigh))) {
      advance = i32x4.add(advance, i32x4.add(advances(low, skips, one), advances(high, skips, one)));
      continue;
    }
    place += sumOf(advance);
    advance = i32x4.splat(0);
    // Positions are skipped in this group too.
    foundLow = v128.or(foundLow, i32x4.ge_s(low, skips));
    foundHigh = v128.or(foundHigh, i32x4.ge_s(high, skips));
    let lanes = i32x4.bitmask(foundLow) | (i32x4.bitmask(foundHigh) << LANES);
    if (end - at < step) lanes &= (1 << (((<u32>(end - at)) << 3) / width)) - 1;
    for (; lanes !== 0; lanes &= lanes - 1) {
      const lane = ctz<u32>(lanes);
      const bit = lane * width;
      const entry = (load<u32>(at + (bit >>> 3)) << (down - (bit & 7))) >>> down;
      if (entry < firstAttribute) {
        addCode(sets, setsEnd, entry, attribute | ((place + lane) & 0xffff));
      } else if (entry < firstSkip) {
        attribute = (entry - firstAttribute) << 16;
        place = 0 - lane - 1;
      } else {
        place += entry - firstSkip - 1;
      }
    }
    place += 2 * LANES;
  }
}

/** Writes an occurrence of a term to the sets that have it. */
function addCode(sets: usize, setsEnd: usize, term: u32, code: u32): void {
  for (let at = sets; at < setsEnd; at += 4) {
    const set = changetype<WordSet>(<usize>load<u32>(at));
    const place = term - set.from;
    if (place >= set.to - set.from || (set.wanted !== 0 && !bitmapHas(set.wanted, place))) continue;
    store<u32>(set.out, code);
    set.out += 4;
  }
}

/**
 * Prefetches the words of a document. Reading the words of scattered documents mostly waits for memory; the loads of several documents
 * do not depend on each other, so they overlap.
 * @returns a sum of bytes, to be stored somewhere: compilers may remove loads that nothing depends on
 */
export function prefetchDocumentWords(view: SegmentView, local: u32): u32 {
  const start = view.docWordStarts + ((<usize>local) << 2);
  const end = view.docWords + <usize>load<u32>(start, 4) * view.docWordsUnit;
  let sum: u32 = 0;
  for (let at = view.docWords + <usize>load<u32>(start) * view.docWordsUnit; at < end; at += CACHE_LINE) sum += load<u8>(at);
  return sum;
}
