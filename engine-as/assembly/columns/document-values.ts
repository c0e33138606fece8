/** The values of a document in a column: as ordinals, unique within the column, and as keys, unique within the index. */
import { Buffer, bufferPush32, bufferPushBytes, bufferRoom } from '../runtime/buffer';
import { NONE } from '../segment/layout';
import { COLUMN_SINGLE_NUMBER, COLUMN_SINGLE_STRING, ColumnHeader } from './layout';
import { numberShift, ordinalAt, stringShift } from './ordinals';

function at32(pointer: usize, index: u32): u32 {
  return load<u32>(pointer + ((<usize>index) << 2));
}

/** Number of distinct values in a column. */
export function valueCount(column: usize): u32 {
  return changetype<ColumnHeader>(column).numberCount + changetype<ColumnHeader>(column).normalizedCount;
}

/** Appends the ordinals (u32) of a document's values to a Buffer: numbers, then normalized texts numbered after all numbers. */
export function pushValueOrdinals(column: usize, local: u32, out: usize): void {
  const header = changetype<ColumnHeader>(column);
  if (header.numberCount > 0) {
    const docs = column + header.numberDocsOffset;
    if (header.flags & COLUMN_SINGLE_NUMBER) {
      const only = ordinalAt(docs, numberShift(header), local);
      if (only !== NONE) bufferPush32(out, only);
    } else {
      const first = at32(docs, local);
      const end = at32(docs, local + 1);
      for (let i = first; i < end; i++) bufferPush32(out, at32(column + header.numberValuesOffset, i));
    }
  }
  if (header.stringCount === 0) return;
  const docs = column + header.stringDocsOffset;
  const normalizedOf = column + header.normalizedOfOffset;
  if (header.flags & COLUMN_SINGLE_STRING) {
    const only = ordinalAt(docs, stringShift(header), local);
    if (only !== NONE) bufferPush32(out, header.numberCount + at32(normalizedOf, only));
    return;
  }
  const first = at32(docs, local);
  const end = at32(docs, local + 1);
  for (let i = first; i < end; i++) {
    bufferPush32(out, header.numberCount + at32(normalizedOf, at32(column + header.stringValuesOffset, i)));
  }
}

/** First byte of a key: the type of the value. */
export const KEY_NUMBER: u8 = 0;
const KEY_TEXT: u8 = 1;

/** Appends the key of a value, by its ordinal, to a Buffer: a length (u32), then the bytes. */
export function pushValueKey(column: usize, ordinal: u32, out: usize): void {
  const header = changetype<ColumnHeader>(column);
  if (ordinal < header.numberCount) {
    bufferPush32(out, 9);
    pushByte(out, KEY_NUMBER);
    // Adding 0 turns -0 into 0.
    store<f64>(bufferRoom(out, 8), load<f64>(column + header.numbersOffset + ((<usize>ordinal) << 3)) + 0);
    changetype<Buffer>(out).length += 8;
    return;
  }
  const starts = column + header.normalizedOffset + ((<usize>(ordinal - header.numberCount)) << 2);
  const from = load<u32>(starts);
  const length = load<u32>(starts, 4) - from;
  bufferPush32(out, length + 1);
  pushByte(out, KEY_TEXT);
  bufferPushBytes(out, column + header.normalizedBytesOffset + from, length);
}

function pushByte(out: usize, byte: u8): void {
  store<u8>(bufferRoom(out, 1), byte);
  changetype<Buffer>(out).length += 1;
}
