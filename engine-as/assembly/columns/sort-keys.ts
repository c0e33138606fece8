/**
 * Keys for sorting documents by a field: u32, ascending in sort order. Numbers come before strings, and documents without a value
 * (KEY_NONE) last, in both directions; of several values the best number counts, otherwise the best string.
 *
 *   [0, numberCount) numbers · [numberCount, numberCount + normalizedCount) strings · KEY_NONE
 */

import { NONE } from '../segment/layout';
import { columnOf } from '../segment/view-parts';
import { COLUMN_SINGLE_NUMBER, COLUMN_SINGLE_STRING, ColumnHeader } from './layout';
import { numberShift, ordinalAt, stringShift } from './ordinals';

export const KEY_NONE: u32 = NONE;

/** Writes the key of each of `count` documents (u32 local numbers) to `out`. */
export function sortKeysInto(view: usize, field: u32, ascending: bool, locals: usize, count: u32, out: usize): void {
  const column = columnOf(view, field);
  const bytes = (<usize>count) << 2;
  if (column === 0) {
    memory.fill(out, 0xff, bytes);
    return;
  }
  for (let at: usize = 0; at < bytes; at += 4) store<u32>(out + at, columnSortKey(column, load<u32>(locals + at), ascending));
}

/** The key of one document (local number). */
function columnSortKey(column: usize, local: u32, ascending: bool): u32 {
  const header = changetype<ColumnHeader>(column);
  const number = bestNumber(column, local, ascending);
  if (number !== NONE) return ascending ? number : header.numberCount - 1 - number;
  const text = bestText(column, local, ascending);
  if (text === NONE) return KEY_NONE;
  return header.numberCount + (ascending ? text : header.normalizedCount - 1 - text);
}

function bestNumber(column: usize, local: u32, ascending: bool): u32 {
  const header = changetype<ColumnHeader>(column);
  if (header.numberCount === 0) return NONE;
  const documents = column + header.numberDocsOffset;
  if (header.flags & COLUMN_SINGLE_NUMBER) return ordinalAt(documents, numberShift(header), local);
  const place = documents + ((<usize>local) << 2);
  const first = load<u32>(place);
  const end = load<u32>(place, 4);
  if (first === end) return NONE;
  // The ordinals of a document are ascending.
  return load<u32>(column + header.numberValuesOffset + ((<usize>(ascending ? first : end - 1)) << 2));
}

function bestText(column: usize, local: u32, ascending: bool): u32 {
  const header = changetype<ColumnHeader>(column);
  if (header.stringCount === 0) return NONE;
  const documents = column + header.stringDocsOffset;
  let original: u32 = NONE;
  if (header.flags & COLUMN_SINGLE_STRING) {
    original = ordinalAt(documents, stringShift(header), local);
    if (original === NONE) return NONE;
  } else {
    const place = documents + ((<usize>local) << 2);
    original = load<u32>(place);
    const values = column + header.stringValuesOffset;
    const end = load<u32>(place, 4);
    if (original === end) return NONE;
    let best = load<u32>(values + ((<usize>original) << 2));
    for (let i = original + 1; i < end; i++) {
      const other = load<u32>(values + ((<usize>i) << 2));
      best = ascending ? min(best, other) : max(best, other);
    }
    original = best;
  }
  return load<u32>(column + header.normalizedOfOffset + ((<usize>original) << 2));
}

export const SORT_NONE: u32 = 0;
export const SORT_NUMBER: u32 = 1;
export const SORT_TEXT: u32 = 2;

/** The value that a key stands for. */
@unmanaged
export class SortValue {
  number: f64;
  /** SORT_… */
  kind: u32;
  /** UTF-8 of a normalized text */
  text: usize;
  length: u32;
}

/** Writes the value of a key of a column (0: no document has the field). */
export function sortValueInto(column: usize, key: u32, ascending: bool, value: SortValue): void {
  value.kind = SORT_NONE;
  value.number = 0;
  value.text = 0;
  value.length = 0;
  if (column === 0 || key === KEY_NONE) return;
  const header = changetype<ColumnHeader>(column);
  if (key < header.numberCount) {
    const ordinal = ascending ? key : header.numberCount - 1 - key;
    value.kind = SORT_NUMBER;
    value.number = load<f64>(column + header.numbersOffset + ((<usize>ordinal) << 3));
    return;
  }
  const place = key - header.numberCount;
  const ordinal = ascending ? place : header.normalizedCount - 1 - place;
  const starts = column + header.normalizedOffset + ((<usize>ordinal) << 2);
  value.kind = SORT_TEXT;
  value.text = column + header.normalizedBytesOffset + load<u32>(starts);
  value.length = load<u32>(starts, 4) - load<u32>(starts);
}
