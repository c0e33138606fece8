/** Writes the section of one column (ColumnHeader) from its values. */
import { Buffer } from '../runtime/buffer';
import { columnNumbersBegin, writeNumbers } from './column-numbers';
import { at, columnSectionBegin, columnSectionsBegin, docCount, header, reserve, section } from './column-section';
import { writeStrings } from './column-strings';
import { ColumnValues } from './column-values';
import { bitmapBytes } from './layout';

export function columnWriteBegin(documents: u32): void {
  columnSectionsBegin(documents);
  columnNumbersBegin(documents);
}

/** Writes the section of a column. Returns the Buffer with its bytes, valid until the next call. */
export function columnWrite(column: ColumnValues): usize {
  columnSectionBegin(column.field);
  const exists = writeBitmap(column.exists);
  header().existsOffset = exists;
  const nulls = writeBitmap(column.nulls);
  header().nullOffset = nulls;
  const empties = writeBitmap(column.empties);
  header().emptyOffset = empties;
  writeNumbers(column);
  writeStrings(column);
  return section;
}

/** Writes a bitmap that ends with its last document. */
function writeBitmap(bitmap: usize): u32 {
  const bytes: usize = bitmapBytes(docCount);
  const offset = reserve(bytes, 16);
  const known = changetype<Buffer>(bitmap);
  memory.copy(at(offset), known.data, known.length);
  memory.fill(at(offset) + known.length, 0, bytes - known.length);
  return offset;
}
