/** Counts candidate documents by value, for facets. */
import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import { isTimeOver } from '../runtime/deadline';
import { NONE } from '../segment/layout';
import { bitmapFirstIn } from '../sets/bitmap';
import { COLUMN_SINGLE_NUMBER, COLUMN_SINGLE_STRING, ColumnHeader } from './layout';
import { numberShift, ordinalAt, ordinalMask, stringShift } from './ordinals';

/** Counts for a normalized text: an array by ordinal, initially zero. */
@unmanaged
export class TextCount {
  /** candidates that have it */
  documents: u32;
  /** original text to show: the last one in the first candidate */
  original: u32;
  /** the first candidate (local number) */
  first: u32;
  /** the candidate counted last, plus 1 */
  last: u32;
}

/** Bytes of a bitmap between two checks of the deadline: some tenths of a millisecond when documents have few values. */
const CHECK_EVERY_BYTES: usize = 4096;
/** Bytes of a bitmap whose members are listed before they are counted: a list that stays in the first cache of a processor. */
const LISTED_BYTES: usize = 512;

/** Adds 1 to counts[ordinal] (u32) for every number of every candidate. False: the deadline passed first. */
export function columnCountNumbers(column: usize, candidates: usize, bytes: usize, counts: usize): bool {
  for (let from: usize = 0; from < bytes; from += CHECK_EVERY_BYTES) {
    countNumbersIn(column, candidates, from, min<usize>(bytes, from + CHECK_EVERY_BYTES), counts);
    if (isTimeOver()) return false;
  }
  return true;
}

function countNumbersIn(column: usize, candidates: usize, from: usize, to: usize, counts: usize): void {
  const header = changetype<ColumnHeader>(column);
  if (header.numberCount === 0) return;
  const documents = column + header.numberDocsOffset;
  const values = column + header.numberValuesOffset;
  const single = (header.flags & COLUMN_SINGLE_NUMBER) !== 0;
  const shift = numberShift(header);
  for (let at = from; at < to; at += 8) {
    let word = load<u64>(candidates + at);
    while (word) {
      const local = (at << 3) + <usize>ctz(word);
      word &= word - 1;
      if (single) {
        const ordinal = ordinalAt(documents, shift, <u32>local);
        if (ordinal !== NONE) increment(counts, ordinal);
        continue;
      }
      const place = documents + (local << 2);
      const end = load<u32>(place, 4);
      for (let i = load<u32>(place); i < end; i++) increment(counts, load<u32>(values + ((<usize>i) << 2)));
    }
  }
}

function increment(counts: usize, ordinal: u32): void {
  const at = counts + ((<usize>ordinal) << 2);
  store<u32>(at, load<u32>(at) + 1);
}

/** Fills the TextCount[] of the normalized texts of candidates. False: the deadline passed first. */
export function columnCountStrings(column: usize, candidates: usize, bytes: usize, counts: usize): bool {
  for (let from: usize = 0; from < bytes; from += CHECK_EVERY_BYTES) {
    countStringsIn(column, candidates, from, min<usize>(bytes, from + CHECK_EVERY_BYTES), counts);
    if (isTimeOver()) return false;
  }
  return true;
}

function countStringsIn(column: usize, candidates: usize, from: usize, to: usize, counts: usize): void {
  const header = changetype<ColumnHeader>(column);
  if (header.stringCount === 0) return;
  const documents = column + header.stringDocsOffset;
  const values = column + header.stringValuesOffset;
  const normalizedOf = column + header.normalizedOfOffset;
  if (header.flags & COLUMN_SINGLE_STRING) {
    countSinglesIn(header, documents, normalizedOf, candidates, from, to, counts);
    return;
  }
  for (let at = from; at < to; at += 8) {
    let word = load<u64>(candidates + at);
    while (word) {
      const local = <u32>(at << 3) + <u32>ctz(word);
      const place = documents + ((<usize>local) << 2);
      word &= word - 1;
      const end = load<u32>(place, 4);
      for (let i = load<u32>(place); i < end; i++) countText(counts, normalizedOf, load<u32>(values + ((<usize>i) << 2)), local);
    }
  }
}

/** The same where each document has at most one text, so that none is counted twice. */
function countSinglesIn(
  header: ColumnHeader,
  documents: usize,
  normalizedOf: usize,
  candidates: usize,
  from: usize,
  to: usize,
  counts: usize,
): void {
  const texts = header.stringCount;
  const areNormalized = header.normalizedCount === texts;
  const shift = stringShift(header);
  const mask = ordinalMask(shift);
  const mark = arenaMark();
  const members = alloc(LISTED_BYTES << 5);
  for (let at = from; at < to; at += LISTED_BYTES) {
    const listed = bitmapFirstIn(candidates, at, min<usize>(to, at + LISTED_BYTES), (<u32>LISTED_BYTES) << 3, members);
    const end = members + ((<usize>listed) << 2);
    for (let member = members; member < end; member += 4) {
      const local = load<u32>(member);
      const original = load<u32>(documents + ((<usize>local) << shift)) & mask;
      if (original >= texts) continue;
      const normalized = areNormalized ? original : load<u32>(normalizedOf + ((<usize>original) << 2));
      const count = changetype<TextCount>(counts + <usize>normalized * offsetof<TextCount>());
      if (count.documents++ !== 0) continue;
      count.first = local;
      count.original = original;
    }
  }
  arenaReset(mark);
}

function countText(counts: usize, normalizedOf: usize, original: u32, local: u32): void {
  const normalized = load<u32>(normalizedOf + ((<usize>original) << 2));
  const count = changetype<TextCount>(counts + <usize>normalized * offsetof<TextCount>());
  if (count.last !== local + 1) {
    count.last = local + 1;
    count.documents++;
    if (count.documents === 1) count.first = local;
  }
  if (count.documents === 1) count.original = original;
}
