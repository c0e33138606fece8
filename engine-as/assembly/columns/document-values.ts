/** The values of a document in a column: ordinals that tell them apart within the column, and keys that do so in all of an index. */
import { Buffer, bufferPush32, bufferPushBytes, bufferRoom } from '../runtime/buffer';
import { COLUMN_SINGLE_NUMBER, COLUMN_SINGLE_STRING, ColumnHeader, NONE } from '../segment/layout';

function at32(pointer: usize, index: u32): u32 {
  return load<u32>(pointer + ((<usize>index) << 2));
}

/** How many different values the documents of a column have. */
export function valueCount(column: usize): u32 {
  return changetype<ColumnHeader>(column).numberCount + changetype<ColumnHeader>(column).normalizedCount;
}

/** Appends the u32 ordinals of the values of a document to a Buffer: numbers, then normalized texts behind all numbers. */
export function pushValueOrdinals(column: usize, local: u32, out: usize): void {
  const header = changetype<ColumnHeader>(column);
  if (header.numberCount > 0) {
    const docs = column + header.numberDocsOffset;
    const first = at32(docs, local);
    if (header.flags & COLUMN_SINGLE_NUMBER) {
      if (first !== NONE) bufferPush32(out, first);
    } else {
      const end = at32(docs, local + 1);
      for (let i = first; i < end; i++) bufferPush32(out, at32(column + header.numberValuesOffset, i));
    }
  }
  if (header.stringCount === 0) return;
  const docs = column + header.stringDocsOffset;
  const normalizedOf = column + header.normalizedOfOffset;
  const first = at32(docs, local);
  if (header.flags & COLUMN_SINGLE_STRING) {
    if (first !== NONE) bufferPush32(out, header.numberCount + at32(normalizedOf, first));
    return;
  }
  const end = at32(docs, local + 1);
  for (let i = first; i < end; i++) {
    bufferPush32(out, header.numberCount + at32(normalizedOf, at32(column + header.stringValuesOffset, i)));
  }
}

/** First byte of a key: of what kind the value is. */
const KEY_NUMBER: u8 = 0;
const KEY_TEXT: u8 = 1;

/** Appends the key of a value, by its ordinal, to a Buffer: a length (u32), then the bytes. */
export function pushValueKey(column: usize, ordinal: u32, out: usize): void {
  const header = changetype<ColumnHeader>(column);
  if (ordinal < header.numberCount) {
    bufferPush32(out, 9);
    pushByte(out, KEY_NUMBER);
    // both zeros are one number
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
