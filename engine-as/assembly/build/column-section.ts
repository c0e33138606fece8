/** The section of a column while it is written. */

import { ColumnHeader } from '../columns/layout';
import { ORDINALS_SPARE } from '../columns/ordinals';
import { Buffer, bufferCreate, bufferRoom } from '../runtime/buffer';

/** Buffer: the section being written. Other modules must not replace it. */
export let section: usize = 0;
/** Number of documents of the segment. */
export let docCount: u32 = 0;

const ORDINALS_ALIGNMENT: u32 = 4;

/** Prepares for the columns of a segment. */
export function columnSectionsBegin(documents: u32): void {
  docCount = documents;
  section = bufferCreate(1 << 16);
}

/** Begins a section: an empty header. */
export function columnSectionBegin(field: u32): void {
  const buffer = changetype<Buffer>(section);
  buffer.length = 0;
  memory.fill(bufferRoom(section, offsetof<ColumnHeader>()), 0, offsetof<ColumnHeader>());
  buffer.length = offsetof<ColumnHeader>();
  header().field = field;
}

/** The header moves when the section grows. */
export function header(): ColumnHeader {
  return changetype<ColumnHeader>(changetype<Buffer>(section).data);
}

/** Pads the section and returns its length. */
export function align(alignment: u32): u32 {
  const buffer = changetype<Buffer>(section);
  const rest = <u32>buffer.length & (alignment - 1);
  if (rest) {
    memory.fill(bufferRoom(section, alignment - rest), 0, alignment - rest);
    buffer.length += alignment - rest;
  }
  return <u32>buffer.length;
}

/** Reserves an array of the section, with undefined content. Returns its offset. */
export function reserve(bytes: usize, alignment: u32): u32 {
  const offset = align(alignment);
  bufferRoom(section, bytes);
  changetype<Buffer>(section).length += bytes;
  return offset;
}

/** Reserves the ordinals of all documents, none of which has a value yet. Returns their offset. */
export function reserveOrdinals(shift: u32): u32 {
  const bytes = (<usize>docCount) << shift;
  const offset = reserve(bytes + ORDINALS_SPARE, ORDINALS_ALIGNMENT);
  memory.fill(at(offset), 0xff, bytes + ORDINALS_SPARE);
  return offset;
}

/** Address of an offset in the section; changes when the section grows. */
export function at(offset: u32): usize {
  return changetype<Buffer>(section).data + offset;
}

/** Whether an ascending list has each document at most once. */
export function isSingle(documents: Buffer): bool {
  for (let entry = documents.data + 4; entry < documents.data + documents.length; entry += 4) {
    if (load<u32>(entry) === load<u32>(entry - 4)) return false;
  }
  return true;
}
