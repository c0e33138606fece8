/**
 * The ordinals of a column whose documents have at most one value: an array by document, in as few bytes each as the number of values allows, so
 * that reading many takes little memory. The greatest number of that size stands for documents without a value.
 */
import { NONE } from '../segment/layout';
import { COLUMN_NUMBER_WIDTH, COLUMN_STRING_WIDTH, COLUMN_WIDTH_MASK, ColumnHeader } from './layout';

/** Bytes after the array, because ordinals are read as u32. */
export const ORDINALS_SPARE: usize = 4;

/** Binary logarithm of the bytes of an ordinal below `count`. */
export function ordinalShift(count: u32): u32 {
  return count <= <u32>u8.MAX_VALUE ? 0 : count <= <u32>u16.MAX_VALUE ? 1 : 2;
}

/** The flags of a column for ordinals of this size. */
export function numberWidthFlag(shift: u32): u32 {
  return (1 << shift) << COLUMN_NUMBER_WIDTH;
}

export function stringWidthFlag(shift: u32): u32 {
  return (1 << shift) << COLUMN_STRING_WIDTH;
}

export function numberShift(header: ColumnHeader): u32 {
  return shiftOf((header.flags >>> COLUMN_NUMBER_WIDTH) & COLUMN_WIDTH_MASK);
}

export function stringShift(header: ColumnHeader): u32 {
  return shiftOf((header.flags >>> COLUMN_STRING_WIDTH) & COLUMN_WIDTH_MASK);
}

function shiftOf(width: u32): u32 {
  return width === 0 ? 2 : width >>> 1;
}

/** What an ordinal that was read as u32 is masked with, and the ordinal of documents without a value. */
export function ordinalMask(shift: u32): u32 {
  return NONE >>> (32 - (8 << shift));
}

/** The ordinal of a document; NONE: it has no value. */
export function ordinalAt(ordinals: usize, shift: u32, local: u32): u32 {
  const mask = ordinalMask(shift);
  const ordinal = load<u32>(ordinals + ((<usize>local) << shift)) & mask;
  return ordinal === mask ? NONE : ordinal;
}

export function ordinalSet(ordinals: usize, shift: u32, local: u32, ordinal: u32): void {
  const at = ordinals + ((<usize>local) << shift);
  if (shift === 0) store<u8>(at, <u8>ordinal);
  else if (shift === 1) store<u16>(at, <u16>ordinal);
  else store<u32>(at, ordinal);
}
