/** Collects the values of one field, document by document; {@link columnWrite} turns them into a section. */
import { Buffer, bufferCreateLasting, bufferPush32, bufferPush64, bufferRoom } from '../runtime/buffer';
import { poolAlloc } from '../runtime/pool';
import { isText, textIntern } from './texts';

@unmanaged
export class ColumnValues {
  field: u32;
  /** Buffers of u32: documents of the numbers, documents of the strings, addresses of these strings' Text */
  numberDocs: usize;
  stringDocs: usize;
  strings: usize;
  /** the Text added last, or 0 */
  last: usize;
  /** Buffer of f64 */
  numbers: usize;
  /** Buffers of bitmaps, up to the last member: documents that have the field, with null, with an empty value */
  exists: usize;
  nulls: usize;
  empties: usize;
}

/** Buffer of u32 addresses, in the order of the fields */
let columns: usize = 0;

export function columnsBegin(): void {
  columns = bufferCreateLasting(256);
}

export function columnCreate(field: u32): usize {
  const column = changetype<ColumnValues>(poolAlloc(offsetof<ColumnValues>()));
  column.field = field;
  column.numberDocs = bufferCreateLasting(64);
  column.stringDocs = bufferCreateLasting(64);
  column.strings = bufferCreateLasting(64);
  column.last = 0;
  column.numbers = bufferCreateLasting(64);
  column.exists = bufferCreateLasting(64);
  column.nulls = bufferCreateLasting(64);
  column.empties = bufferCreateLasting(64);
  bufferPush32(columns, <u32>changetype<usize>(column));
  return changetype<usize>(column);
}

/** Columns in the order of their fields. */
export function columnCount(): u32 {
  return <u32>(changetype<Buffer>(columns).length >> 2);
}

export function columnAt(index: u32): ColumnValues {
  return changetype<ColumnValues>(<usize>load<u32>(changetype<Buffer>(columns).data + ((<usize>index) << 2)));
}

/** Adds a document to a bitmap. */
function addTo(bitmap: usize, document: u32): void {
  const buffer = changetype<Buffer>(bitmap);
  const byte = <usize>(document >>> 3);
  if (byte >= buffer.length) {
    const more = byte + 1 - buffer.length;
    memory.fill(bufferRoom(bitmap, more), 0, more);
    buffer.length += more;
  }
  store<u8>(buffer.data + byte, <u32>load<u8>(buffer.data + byte) | (1 << (document & 7)));
}

export function columnExists(column: ColumnValues, document: u32): void {
  addTo(column.exists, document);
}

export function columnNull(column: ColumnValues, document: u32): void {
  addTo(column.nulls, document);
}

export function columnEmpty(column: ColumnValues, document: u32): void {
  addTo(column.empties, document);
}

export function columnNumber(column: ColumnValues, document: u32, value: f64): void {
  bufferPush32(column.numberDocs, document);
  bufferPush64(column.numbers, reinterpret<u64>(value));
}

/** A text of at least one byte. */
export function columnString(column: ColumnValues, document: u32, text: usize, length: u32): void {
  bufferPush32(column.stringDocs, document);
  // Neighbouring documents often have the same value.
  if (column.last === 0 || !isText(column.last, text, length)) column.last = textIntern(text, length);
  bufferPush32(column.strings, <u32>column.last);
}
