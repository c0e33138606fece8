/**
 * Adds the documents of a segment whose values satisfy a condition to a bitmap. If the segment lists the documents of each value,
 * and the lists are short, their documents are added; otherwise every document that matters is checked.
 */

import { alloc } from '../runtime/arena';
import { isTimeOver } from '../runtime/deadline';
import { NONE } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { columnOf } from '../segment/view-parts';
import { bitmapAdd, bitmapHas, bitmapSetRange } from '../sets/bitmap';
import { COLUMN_SINGLE_NUMBER, COLUMN_SINGLE_STRING, ColumnHeader } from './layout';
import { selectSingle } from './ordinal-range';
import { numberShift, ordinalAt, stringShift } from './ordinals';
import { addDocuments, addRange, rangeCost, readValue, ValueDocuments, valueDocuments } from './value-documents';
import { originalsBefore } from './values';

/** A column with the documents of its values. */
@unmanaged
export class OpenColumn {
  /** of the ColumnHeader */
  at: usize;
  docCount: u32;
  /** null: there are no such values, or the segment has no lists of their documents */
  numbers: ValueDocuments;
  texts: ValueDocuments;
  /** bitmap of the documents that matter: whether others are added is left open; and their number */
  within: usize;
  withinCount: u32;

  get header(): ColumnHeader {
    return changetype<ColumnHeader>(this.at);
  }
}

/** null: no document has the field, or it has no column. */
export function openColumn(view: SegmentView, field: u32, within: usize, withinCount: u32): OpenColumn {
  const at = columnOf(changetype<usize>(view), field);
  if (at === 0) return changetype<OpenColumn>(0);
  const column = changetype<OpenColumn>(alloc(offsetof<OpenColumn>()));
  column.at = at;
  column.docCount = view.docCount;
  column.numbers = valueDocuments(view, field, false);
  column.texts = valueDocuments(view, field, true);
  column.within = within;
  column.withinCount = withinCount;
  return column;
}

/**
 * Cost model: this many single-valued documents, which are checked eight at a time and in order, are checked in the time of adding one
 * document of a list.
 */
const CHECKS_PER_ENTRY: u32 = 16;
/** … and so many of them are passed over, as they do not matter. */
const PASSED_PER_ENTRY: u32 = 128;
/** Checking one document by itself takes the time of this many entries: its value is anywhere in the column. */
const ENTRIES_PER_CHECK: u32 = 2;

/** Adds the documents with a number whose ordinal is in [from, end). */
export function selectNumbers(column: OpenColumn, from: u32, end: u32, bitmap: usize): void {
  const header = column.header;
  const isSingle = (header.flags & COLUMN_SINGLE_NUMBER) !== 0;
  if (from >= end || addListed(column, column.numbers, isSingle, from, end, bitmap)) return;
  const documents = column.at + header.numberDocsOffset;
  if (isSingle) selectSingle(documents, numberShift(header), column.docCount, from, end, column.within, bitmap);
  else selectMany(column, documents, column.at + header.numberValuesOffset, from, end, bitmap);
}

/** Adds the documents with a text whose normalized form has an ordinal in [from, end). */
export function selectTexts(column: OpenColumn, from: u32, end: u32, bitmap: usize): void {
  const header = column.header;
  const isSingle = (header.flags & COLUMN_SINGLE_STRING) !== 0;
  if (from >= end || addListed(column, column.texts, isSingle, from, end, bitmap)) return;
  const documents = column.at + header.stringDocsOffset;
  const first = originalsBefore(column.at, from);
  const last = originalsBefore(column.at, end);
  if (isSingle) selectSingle(documents, stringShift(header), column.docCount, first, last, column.within, bitmap);
  else selectMany(column, documents, column.at + header.stringValuesOffset, first, last, bitmap);
}

/** Adds the documents of the values [from, end) from their lists; false if there are none, or checking the documents that matter costs less. */
function addListed(column: OpenColumn, values: ValueDocuments, isSingle: bool, from: u32, end: u32, bitmap: usize): bool {
  if (changetype<usize>(values) === 0) return false;
  if (rangeCost(values, from, end) > checkingCost(column, isSingle)) return false;
  addRange(values, from, end, bitmap);
  return true;
}

/** Cost of checking the documents that matter, in entries. */
function checkingCost(column: OpenColumn, isSingle: bool): u32 {
  const each = column.docCount / PASSED_PER_ENTRY + column.withinCount * ENTRIES_PER_CHECK;
  return isSingle ? min(each, column.docCount / CHECKS_PER_ENTRY) : each;
}

function selectMany(column: OpenColumn, starts: usize, values: usize, from: u32, end: u32, bitmap: usize): void {
  if (from >= end) return;
  const size = end - from;
  for (let first: u32 = 0; first < column.docCount; first += 64) {
    for (let wanted = load<u64>(column.within + (first >>> 3)); wanted !== 0; wanted &= wanted - 1) {
      const local = first + <u32>ctz(wanted);
      const start = starts + ((<usize>local) << 2);
      const last = values + ((<usize>load<u32>(start, 4)) << 2);
      for (let value = values + ((<usize>load<u32>(start)) << 2); value < last; value += 4) {
        if (load<u32>(value) - from >= size) continue;
        bitmapAdd(bitmap, local);
        break;
      }
    }
  }
}

/** Adds the documents that have a number whose ordinal is a member of the bitmap `ordinals`. */
export function selectNumberSet(column: OpenColumn, ordinals: usize, bitmap: usize): void {
  if (changetype<usize>(column.numbers) !== 0) addMembers(column.numbers, ordinals, bitmap);
  else selectSet(column, false, ordinals, bitmap);
}

/** Adds the documents that have a text whose normalized form has an ordinal that is a member of the bitmap `ordinals`. */
export function selectTextSet(column: OpenColumn, ordinals: usize, bitmap: usize): void {
  if (changetype<usize>(column.texts) !== 0) addMembers(column.texts, ordinals, bitmap);
  else selectSet(column, true, ordinals, bitmap);
}

/** Adds the documents of the values that are members of a bitmap. */
function addMembers(values: ValueDocuments, ordinals: usize, bitmap: usize): void {
  for (let at: u32 = 0; at << 3 < values.valueCount; at += 8) {
    for (let word = load<u64>(ordinals + at); word !== 0; word &= word - 1) {
      readValue(values, (at << 3) + <u32>ctz(word));
      addDocuments(values, bitmap);
    }
  }
}

/** The same from the values of each document. */
function selectSet(column: OpenColumn, areTexts: bool, ordinals: usize, bitmap: usize): void {
  const header = column.header;
  const documents = column.at + (areTexts ? header.stringDocsOffset : header.numberDocsOffset);
  const values = column.at + (areTexts ? header.stringValuesOffset : header.numberValuesOffset);
  const isSingle = (header.flags & (areTexts ? COLUMN_SINGLE_STRING : COLUMN_SINGLE_NUMBER)) !== 0;
  const shift = areTexts ? stringShift(header) : numberShift(header);
  const ordinalOf = areTexts ? column.at + header.normalizedOfOffset : 0;
  for (let local: u32 = 0; local < column.docCount; local++) {
    if (isSingle) {
      const only = ordinalAt(documents, shift, local);
      if (only !== NONE && isMember(only, ordinalOf, ordinals)) bitmapAdd(bitmap, local);
      continue;
    }
    const place = documents + ((<usize>local) << 2);
    const end = load<u32>(place, 4);
    for (let i = load<u32>(place); i < end; i++) {
      if (!isMember(load<u32>(values + ((<usize>i) << 2)), ordinalOf, ordinals)) continue;
      bitmapAdd(bitmap, local);
      break;
    }
  }
}

/** `ordinalOf`: u32 by ordinal of documents, the ordinal to test in the set; 0: the same. */
function isMember(value: u32, ordinalOf: usize, ordinals: usize): bool {
  return bitmapHas(ordinals, ordinalOf === 0 ? value : load<u32>(ordinalOf + ((<usize>value) << 2)));
}

/** Bytes of texts between two checks of the deadline: some tenths of a millisecond. */
const CHECK_EVERY_BYTES: usize = 1 << 18;

/** Adds the ordinals of normalized texts that contain a text (at least one byte) to the bitmap `ordinals`, until the deadline. */
export function columnContaining(column: usize, text: usize, length: u32, ordinals: usize): void {
  const header = changetype<ColumnHeader>(column);
  const starts = column + header.normalizedOffset;
  const bytes = column + header.normalizedBytesOffset;
  let check = bytes + CHECK_EVERY_BYTES;
  for (let normalized: u32 = 0; normalized < header.normalizedCount; normalized++) {
    const from = bytes + load<u32>(starts + ((<usize>normalized) << 2));
    const end = bytes + load<u32>(starts + ((<usize>normalized) << 2), 4);
    if (contains(from, end, text, length)) bitmapSetRange(ordinals, normalized, normalized + 1);
    if (end < check) continue;
    if (isTimeOver()) return;
    check = end + CHECK_EVERY_BYTES;
  }
}

function contains(start: usize, end: usize, text: usize, length: u32): bool {
  if (<u32>(end - start) < length) return false;
  const first = load<u8>(text);
  const last = end - length;
  for (let at = start; at <= last; at++) {
    if (load<u8>(at) === first && memory.compare(at, text, length) === 0) return true;
  }
  return false;
}
