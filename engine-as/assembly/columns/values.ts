/**
 * Ordinals of the values of a column: numbers ascend by value, normalized texts by bytes, originals by (normalized, original)
 * bytes. Conditions on values are first translated to ranges of ordinals of numbers and of normalized texts.
 */
import { ColumnHeader } from './layout';

/** First ordinal of a number of at least `value`; the number of numbers when there is none. */
export function columnNumberFloor(column: usize, value: f64): u32 {
  const header = changetype<ColumnHeader>(column);
  const numbers = column + header.numbersOffset;
  let low: u32 = 0;
  let high = header.numberCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (load<f64>(numbers + ((<usize>middle) << 3)) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** First ordinal whose number is above `value`. */
export function columnNumberCeiling(column: usize, value: f64): u32 {
  const header = changetype<ColumnHeader>(column);
  const numbers = column + header.numbersOffset;
  let low: u32 = 0;
  let high = header.numberCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (load<f64>(numbers + ((<usize>middle) << 3)) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Ways of comparing for the binary search. */
const FLOOR: i32 = 0;
const CEILING: i32 = 1;
const PREFIX_END: i32 = 2;

/** First ordinal of a normalized text not less than a text (UTF-8 bytes). */
export function columnTextFloor(column: usize, text: usize, length: u32): u32 {
  return normalizedBound(column, text, length, FLOOR);
}

/** First ordinal of a normalized text greater than a text. */
export function columnTextCeiling(column: usize, text: usize, length: u32): u32 {
  return normalizedBound(column, text, length, CEILING);
}

/** First ordinal of a normalized text after all that begin with a text. */
export function columnTextPrefixEnd(column: usize, text: usize, length: u32): u32 {
  return normalizedBound(column, text, length, PREFIX_END);
}

function normalizedBound(column: usize, text: usize, length: u32, kind: i32): u32 {
  const header = changetype<ColumnHeader>(column);
  const starts = column + header.normalizedOffset;
  const bytes = column + header.normalizedBytesOffset;
  let low: u32 = 0;
  let high = header.normalizedCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const from = load<u32>(starts + ((<usize>middle) << 2));
    const size = load<u32>(starts + ((<usize>middle) << 2), 4) - from;
    let order = memory.compare(bytes + from, text, min(size, length));
    if (order === 0 && !(kind === PREFIX_END && size >= length)) order = <i32>size - <i32>length;
    if (order < 0 || (order === 0 && kind !== FLOOR)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Number of originals whose normalized text has a smaller ordinal. */
export function originalsBefore(column: usize, normalized: u32): u32 {
  const header = changetype<ColumnHeader>(column);
  const normalizedOf = column + header.normalizedOfOffset;
  let low: u32 = 0;
  let high = header.stringCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (load<u32>(normalizedOf + ((<usize>middle) << 2)) < normalized) low = middle + 1;
    else high = middle;
  }
  return low;
}
