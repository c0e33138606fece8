/** Writes the sections of columns (ColumnHeader) from their values. */
import { Buffer, bufferCreate, bufferPush32 } from '../runtime/buffer';
import { bitmapBytes } from '../segment/layout';
import { SECTION_COLUMN, SECTION_VALUE_DOCUMENTS } from '../segment/section-kinds';
import { sectionOf } from '../segment/writer';
import { columnNumbersBegin, writeNumbers } from './column-numbers';
import { at, columnSectionBegin, columnSectionsBegin, docCount, header, reserve, section } from './column-section';
import { writeStrings } from './column-strings';
import { ColumnValues, columnAt, columnCount } from './column-values';
import { FIELD_LONGITUDE, fieldState } from './fields';
import { valueDocumentsBegin, valueDocumentsWrite } from './value-documents-write';

/** Columns of the fields that documents have, by ascending field, then the documents of their values. */
export function writeColumns(documents: u32): void {
  columnSectionsBegin(documents);
  columnNumbersBegin(documents);
  valueDocumentsBegin(documents);
  /** u32 pairs: a field, and the Buffer of its section */
  const inverted = bufferCreate(256);
  for (let i: u32 = 0; i < columnCount(); i++) {
    const column = columnAt(i);
    if (changetype<Buffer>(column.exists).length === 0) continue;
    const section = columnWrite(column);
    sectionOf(SECTION_COLUMN, column.field, changetype<Buffer>(section).data, changetype<Buffer>(section).length);
    // The documents of each longitude are never needed.
    if (fieldState(column.field).flags & FIELD_LONGITUDE) continue;
    bufferPush32(inverted, column.field);
    bufferPush32(inverted, <u32>valueDocumentsWrite(changetype<Buffer>(section).data));
  }
  const end = changetype<Buffer>(inverted).data + changetype<Buffer>(inverted).length;
  for (let at = changetype<Buffer>(inverted).data; at < end; at += 8) {
    const section = changetype<Buffer>(<usize>load<u32>(at, 4));
    sectionOf(SECTION_VALUE_DOCUMENTS, load<u32>(at), section.data, section.length);
  }
}

/** A Buffer with the section of a column, valid until the next call. */
function columnWrite(column: ColumnValues): usize {
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

/** Writes a bitmap, which may end with its last member, at full length. */
function writeBitmap(bitmap: usize): u32 {
  const bytes: usize = bitmapBytes(docCount);
  const offset = reserve(bytes, 16);
  const known = changetype<Buffer>(bitmap);
  memory.copy(at(offset), known.data, known.length);
  memory.fill(at(offset) + known.length, 0, bytes - known.length);
  return offset;
}
