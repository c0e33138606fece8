/** A reader of the postings of one term that can skip to a document. Several readers can be used in parallel. */
import { alloc } from '../runtime/arena';
import { LONG_POSITIONS, PostingsBlock } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { bitmapHas } from '../sets/bitmap';
import { bitmapOf, blockCountOf, blocksOf } from './decode';

@unmanaged
export class Reader {
  /** bitmap of the documents of the term, with which postings are counted instead of added up; 0: none */
  bitmap: usize;
  /** PostingsBlock: the first one, the next one to be read, and the end */
  first: usize;
  next: usize;
  end: usize;
  /** of the current block: deltas and lengths after those of the current posting, and the number of postings left */
  deltas: usize;
  width: u32;
  lengths: usize;
  left: u32;
  /** number of postings passed since {@link positions} was computed, including the current one */
  passed: u32;
  /** document of the current posting */
  doc: u32;
  /** positions of the current posting, valid after {@link readPositions} */
  positions: usize;
  positionsLength: u32;
}

/** A reader before the first posting of a term. */
export function readerCreate(view: SegmentView, term: u32): Reader {
  const reader = changetype<Reader>(alloc(offsetof<Reader>()));
  readerBegin(reader, view, term);
  return reader;
}

/** Moves a reader before the first posting of a term. */
export function readerBegin(reader: Reader, view: SegmentView, term: u32): void {
  reader.bitmap = bitmapOf(view, term);
  reader.first = blocksOf(view, term);
  reader.next = reader.first;
  reader.end = reader.first + <usize>blockCountOf(view, term) * offsetof<PostingsBlock>();
  reader.left = 0;
  reader.doc = 0xffffffff;
}

/** Moves to the next posting. Returns false after the last one. */
export function readerNext(reader: Reader): bool {
  if (reader.left === 0) {
    if (reader.next === reader.end) return false;
    open(reader, reader.next);
  }
  skipTo(reader, 0);
  return true;
}

/** Opens a block before its first posting. */
function open(reader: Reader, block: usize): void {
  const data = reader.first + changetype<PostingsBlock>(block).dataOffset;
  reader.doc = block === reader.first ? 0xffffffff : changetype<PostingsBlock>(block - offsetof<PostingsBlock>()).lastDoc;
  reader.next = block + offsetof<PostingsBlock>();
  reader.width = load<u8>(data);
  reader.left = <u32>load<u8>(data, 1) + 1;
  reader.deltas = data + 2;
  reader.lengths = reader.deltas + <usize>(reader.left * reader.width);
  reader.positions = reader.lengths + reader.left;
  reader.positionsLength = 0;
  reader.passed = 0;
}

/** Bytes of a vector. */
const LANES: usize = 16;

function sumOfBytes(bytes: v128): u32 {
  return sumOfNumbers(i16x8.extadd_pairwise_i8x16_u(bytes));
}

/** The sum of 8 numbers. */
function sumOfNumbers(numbers: v128): u32 {
  const sums = i32x4.extadd_pairwise_i16x8_u(numbers);
  const halves = i32x4.add(sums, i8x16.shuffle(sums, sums, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  return i32x4.extract_lane(halves, 0) + i32x4.extract_lane(halves, 1);
}

/** Moves to the first posting in the rest of a block whose document is at least `doc`. There must be one. */
function skipTo(reader: Reader, doc: u32): void {
  const width = reader.width;
  let deltas = reader.deltas;
  let member = reader.doc;
  if (width === 1) {
    // Sixteen documents at once, as long as all of them are before `doc`.
    for (const end = deltas + reader.left; deltas + LANES <= end; deltas += LANES) {
      const next = member + sumOfBytes(v128.load(deltas));
      if (next >= doc) break;
      member = next;
    }
    do member += load<u8>(deltas++);
    while (member < doc);
  } else {
    do {
      member += width === 2 ? <u32>load<u16>(deltas) : load<u32>(deltas);
      deltas += width;
    } while (member < doc);
  }
  pass(reader, <u32>(deltas - reader.deltas) / width, member);
}

/** Moves over some postings of a block to that of a document. */
function pass(reader: Reader, postings: u32, doc: u32): void {
  reader.deltas += <usize>(postings * reader.width);
  reader.left -= postings;
  reader.passed += postings;
  reader.doc = doc;
}

/** Number of members of a bitmap from `from` to `to` (inclusive). */
function countBetween(bitmap: usize, from: u32, to: u32): u32 {
  let at = bitmap + ((<usize>(from >>> 6)) << 3);
  const last = bitmap + ((<usize>(to >>> 6)) << 3);
  // Bits before `from` and after `to` are left out.
  let bits = (load<u64>(at) >> (from & 63)) << (from & 63);
  let count: u32 = 0;
  for (; at < last; bits = load<u64>(at)) {
    count += <u32>popcnt<u64>(bits);
    at += 8;
  }
  return count + <u32>popcnt<u64>(bits << (63 - (to & 63)));
}

/** The numbers of the lanes of a vector. */
function laneNumbers(): v128 {
  return i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/**
 * Computes the address of the positions of the current posting. This is done on demand, as most postings are skipped. The positions of a block
 * follow its lengths, so whole vectors may be read at their end.
 */
export function readPositions(reader: Reader): void {
  if (reader.passed === 0) return;
  const last = reader.lengths + reader.passed - 1;
  const at = pastPositions(reader.lengths, last, reader.positions + reader.positionsLength);
  reader.lengths = last + 1;
  reader.passed = 0;
  const length: u32 = load<u8>(last);
  const isLong = length === LONG_POSITIONS;
  reader.positions = isLong ? at + 4 : at;
  reader.positionsLength = isLong ? load<u32>(at) : length;
}

/** The address after the positions at `at` with the lengths [from, last). Whole vectors of lengths are read. */
export function pastPositions(from: usize, last: usize, at: usize): usize {
  let sums = i16x8.splat(0);
  for (let lengths = from; lengths < last; lengths += LANES) {
    const isPassed = i8x16.lt_u(laneNumbers(), i8x16.splat(<i8>min<usize>(last - lengths, LANES)));
    const bytes = v128.and(v128.load(lengths), isPassed);
    if (v128.any_true(i8x16.eq(bytes, i8x16.splat(<i8>LONG_POSITIONS)))) return pastLong(lengths, last, at + sumOfNumbers(sums));
    sums = i16x8.add(sums, i16x8.extadd_pairwise_i8x16_u(bytes));
  }
  return at + sumOfNumbers(sums);
}

/** The address after the positions at `at` with the lengths [lengths, last), some of which may be long. */
function pastLong(lengths: usize, last: usize, at: usize): usize {
  let past = at;
  for (let next = lengths; next < last; next++) {
    const length: u32 = load<u8>(next);
    past += length === LONG_POSITIONS ? load<u32>(past) + 4 : length;
  }
  return past;
}

/**
 * Moves to the posting of a document, which must not be less than those of earlier calls. Returns false when the document does
 * not contain the term.
 */
export function readerSeek(reader: Reader, doc: u32): bool {
  if (reader.bitmap !== 0 && !bitmapHas(reader.bitmap, doc)) return false;
  // Before the first call there is no current posting.
  if (reader.next !== reader.first && reader.doc >= doc) return reader.doc === doc;
  if (reader.left === 0 || changetype<PostingsBlock>(reader.next - offsetof<PostingsBlock>()).lastDoc < doc) {
    const block = blockWith(reader, doc);
    if (block === reader.end) return false;
    open(reader, block);
  }
  if (reader.bitmap !== 0) pass(reader, countBetween(reader.bitmap, reader.doc + 1, doc), doc);
  else skipTo(reader, doc);
  return reader.doc === doc;
}

/** The first of the following blocks whose last document is at least `doc`. Near blocks are tested first. */
function blockWith(reader: Reader, doc: u32): usize {
  let low: u32 = 0;
  let high = <u32>((reader.end - reader.next) / offsetof<PostingsBlock>());
  let step: u32 = 1;
  while (low + step <= high && lastDocAt(reader, low + step - 1) < doc) {
    low += step;
    step <<= 1;
  }
  high = min<u32>(high, low + step - 1);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (lastDocAt(reader, middle) < doc) low = middle + 1;
    else high = middle;
  }
  return reader.next + <usize>low * offsetof<PostingsBlock>();
}

function lastDocAt(reader: Reader, index: u32): u32 {
  return changetype<PostingsBlock>(reader.next + <usize>index * offsetof<PostingsBlock>()).lastDoc;
}
