/** Counts candidate documents by value, for facets. */
import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import { isTimeOver } from '../runtime/deadline';
import { memberReader, PORTION_ROOM, readMembers } from '../sets/members';
import { COLUMN_SINGLE_NUMBER, COLUMN_SINGLE_STRING, ColumnHeader } from './layout';
import { numberShift, ordinalMask, stringShift } from './ordinals';

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

/** Adds 1 to counts[ordinal] (u32) for every number of every candidate. False: the deadline passed first. */
export function columnCountNumbers(column: usize, candidates: usize, bytes: usize, counts: usize): bool {
  const header = changetype<ColumnHeader>(column);
  if (header.numberCount === 0) return true;
  const isSingle = (header.flags & COLUMN_SINGLE_NUMBER) !== 0;
  const mark = arenaMark();
  const members = alloc(PORTION_ROOM << 2);
  const reader = memberReader(candidates, bytes, members);
  let isInTime = true;
  for (let count = readMembers(reader); count !== 0 && isInTime; count = readMembers(reader)) {
    const end = members + ((<usize>count) << 2);
    if (isSingle) countNumber(column, members, end, counts);
    else countNumbers(column, members, end, counts);
    isInTime = !isTimeOver();
  }
  arenaReset(mark);
  return isInTime;
}

/** The candidates of a list, each with at most one number. */
function countNumber(column: usize, members: usize, end: usize, counts: usize): void {
  const header = changetype<ColumnHeader>(column);
  const documents = column + header.numberDocsOffset;
  const shift = numberShift(header);
  const mask = ordinalMask(shift);
  for (let member = members; member < end; member += 4) {
    const ordinal = load<u32>(documents + ((<usize>load<u32>(member)) << shift)) & mask;
    if (ordinal < header.numberCount) increment(counts, ordinal);
  }
}

/** With any number of them. */
function countNumbers(column: usize, members: usize, end: usize, counts: usize): void {
  const header = changetype<ColumnHeader>(column);
  const documents = column + header.numberDocsOffset;
  const values = column + header.numberValuesOffset;
  for (let member = members; member < end; member += 4) {
    const place = documents + ((<usize>load<u32>(member)) << 2);
    const last = load<u32>(place, 4);
    for (let i = load<u32>(place); i < last; i++) increment(counts, load<u32>(values + ((<usize>i) << 2)));
  }
}

function increment(counts: usize, ordinal: u32): void {
  const at = counts + ((<usize>ordinal) << 2);
  store<u32>(at, load<u32>(at) + 1);
}

/** Fills the TextCount[] of the normalized texts of candidates. False: the deadline passed first. */
export function columnCountStrings(column: usize, candidates: usize, bytes: usize, counts: usize): bool {
  const header = changetype<ColumnHeader>(column);
  if (header.stringCount === 0) return true;
  const isSingle = (header.flags & COLUMN_SINGLE_STRING) !== 0;
  const mark = arenaMark();
  const members = alloc(PORTION_ROOM << 2);
  const reader = memberReader(candidates, bytes, members);
  let isInTime = true;
  for (let count = readMembers(reader); count !== 0 && isInTime; count = readMembers(reader)) {
    const end = members + ((<usize>count) << 2);
    if (isSingle) countText(column, members, end, counts);
    else countTexts(column, members, end, counts);
    isInTime = !isTimeOver();
  }
  arenaReset(mark);
  return isInTime;
}

/** The candidates of a list, each with at most one text, so that none is counted twice. */
function countText(column: usize, members: usize, end: usize, counts: usize): void {
  const header = changetype<ColumnHeader>(column);
  const documents = column + header.stringDocsOffset;
  const normalizedOf = column + header.normalizedOfOffset;
  const texts = header.stringCount;
  const areNormalized = header.normalizedCount === texts;
  const shift = stringShift(header);
  const mask = ordinalMask(shift);
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

/** With any number of them. */
function countTexts(column: usize, members: usize, end: usize, counts: usize): void {
  const header = changetype<ColumnHeader>(column);
  const documents = column + header.stringDocsOffset;
  const values = column + header.stringValuesOffset;
  const normalizedOf = column + header.normalizedOfOffset;
  for (let member = members; member < end; member += 4) {
    const local = load<u32>(member);
    const place = documents + ((<usize>local) << 2);
    const last = load<u32>(place, 4);
    for (let i = load<u32>(place); i < last; i++) {
      const original = load<u32>(values + ((<usize>i) << 2));
      const normalized = load<u32>(normalizedOf + ((<usize>original) << 2));
      const count = changetype<TextCount>(counts + <usize>normalized * offsetof<TextCount>());
      if (count.last !== local + 1) {
        count.last = local + 1;
        count.documents++;
        if (count.documents === 1) count.first = local;
      }
      if (count.documents === 1) count.original = original;
    }
  }
}
