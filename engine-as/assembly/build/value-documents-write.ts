/** Writes the documents of each value (ValueDocumentsHeader) from the section of a column. */

import {
  COLUMN_SINGLE_NUMBER,
  COLUMN_SINGLE_STRING,
  ColumnHeader,
  documentWidth,
  FrequentValue,
  LIST_SPARE,
  STARTS_DOCUMENTS,
  ValueDocumentsHeader,
  ValueLists,
} from '../columns/layout';
import { numberShift, ordinalAt, stringShift } from '../columns/ordinals';
import { allocZeroed } from '../runtime/arena';
import { Buffer, bufferCreate, bufferRoom } from '../runtime/buffer';
import { bitmapBytes, NONE } from '../segment/layout';
import { bitmapAdd } from '../sets/bitmap';

const LISTS_OFFSET: u32 = <u32>offsetof<ValueDocumentsHeader>();
const ARRAYS_OFFSET: u32 = LISTS_OFFSET + 2 * <u32>offsetof<ValueLists>();
const BITMAP_ALIGNMENT: u32 = 16;

let docCount: u32 = 0;
let width: u32 = 0;
/** Buffer: the section being written */
let section: usize = 0;
/** Buffers by value: u32 places, shifted by one value (see {@link writeLists}); u32 the document added last, plus 1 */
let places: usize = 0;
let seen: usize = 0;

export function valueDocumentsBegin(documents: u32): void {
  docCount = documents;
  width = documentWidth(documents);
  places = bufferCreate(1 << 12);
  seen = bufferCreate(1 << 12);
}

/** A Buffer with the section for the column at an address. */
export function valueDocumentsWrite(column: usize): usize {
  const header = changetype<ColumnHeader>(column);
  section = bufferCreate(ARRAYS_OFFSET + docCount * width + bitmapBytes(docCount));
  reserve(ARRAYS_OFFSET, 4);
  changetype<ValueDocumentsHeader>(at(0)).width = width;
  const singleNumber = (header.flags & COLUMN_SINGLE_NUMBER) !== 0;
  openValues(column, header.numberDocsOffset, header.numberValuesOffset, singleNumber, numberShift(header), 0);
  writeLists(LISTS_OFFSET, header.numberCount);
  const normalizedOf = column + header.normalizedOfOffset;
  openValues(
    column,
    header.stringDocsOffset,
    header.stringValuesOffset,
    (header.flags & COLUMN_SINGLE_STRING) !== 0,
    stringShift(header),
    normalizedOf,
  );
  writeLists(LISTS_OFFSET + <u32>offsetof<ValueLists>(), header.normalizedCount);
  return section;
}

// The values of one kind by document, as the column has them.
let valueDocs: usize = 0;
let valueList: usize = 0;
let isSingle: bool = false;
let shift: u32 = 0;
let normalizedOf: usize = 0;

function openValues(column: usize, docs: u32, values: u32, single: bool, ordinals: u32, normalized: usize): void {
  valueDocs = column + docs;
  valueList = column + values;
  isSingle = single;
  shift = ordinals;
  normalizedOf = normalized;
}

function at(offset: u32): usize {
  return changetype<Buffer>(section).data + offset;
}

function lists(offset: u32): ValueLists {
  return changetype<ValueLists>(at(offset));
}

/** Reserves an array of zeros and returns its offset. */
function reserve(bytes: usize, alignment: u32): u32 {
  const buffer = changetype<Buffer>(section);
  const offset = (<u32>buffer.length + alignment - 1) & ~(alignment - 1);
  const room = offset + <u32>bytes - <u32>buffer.length;
  memory.fill(bufferRoom(section, room), 0, room);
  buffer.length += room;
  return offset;
}

function cleared(buffer: usize, bytes: usize): usize {
  changetype<Buffer>(buffer).length = 0;
  const data = bufferRoom(buffer, bytes);
  memory.fill(data, 0, bytes);
  return data;
}

function writeLists(offset: u32, valueCount: u32): void {
  if (valueCount === 0) return;
  lists(offset).valueCount = valueCount;
  const next = cleared(places, (<usize>valueCount + 2) << 2);
  const last = cleared(seen, (<usize>valueCount) << 2);
  visit(VISIT_COUNT, last, next + 8);
  let total: u32 = 0;
  for (let ordinal: u32 = 0; ordinal < valueCount; ordinal++) total += load<u32>(next + 8 + ((<usize>ordinal) << 2));
  const withStarts = !isSingle || valueCount * STARTS_DOCUMENTS <= total;
  if (withStarts) reserveBitmaps(offset, next + 8, valueCount);
  // Counts become the position of each value's first document, one entry further on: filling moves them to the start of the next
  // value.
  let place: u32 = 0;
  for (let ordinal: u32 = 0; ordinal < valueCount; ordinal++) {
    const cell = next + ((<usize>ordinal + 2) << 2);
    const count = load<u32>(cell);
    store<u32>(cell - 4, place);
    place += count;
  }
  store<u32>(next, 0);
  lists(offset).entryCount = place;
  const documents = reserve(<usize>place * width + LIST_SPARE, 4);
  lists(offset).documentsOffset = documents;
  memory.fill(last, 0, (<usize>valueCount) << 2);
  listOffset = documents;
  frequentAt = offset;
  visit(VISIT_FILL, last, next + 4);
  if (!withStarts) return;
  const starts = reserve((<usize>valueCount + 1) << 2, 4);
  memory.copy(at(starts), next, (<usize>valueCount + 1) << 2);
  lists(offset).startsOffset = starts;
}

/** Gives values a bitmap if that is shorter than their list; their count becomes 0. */
function reserveBitmaps(offset: u32, counts: usize, valueCount: u32): void {
  const bytes = bitmapBytes(docCount);
  let frequent: u32 = 0;
  for (let ordinal: u32 = 0; ordinal < valueCount; ordinal++) {
    if (load<u32>(counts + ((<usize>ordinal) << 2)) * width > bytes) frequent++;
  }
  if (frequent === 0) return;
  const table = reserve(<usize>frequent * offsetof<FrequentValue>(), 4);
  lists(offset).frequentCount = frequent;
  lists(offset).frequentOffset = table;
  bitmapOf = allocZeroed((<usize>valueCount) << 2);
  let index: u32 = 0;
  for (let ordinal: u32 = 0; ordinal < valueCount; ordinal++) {
    const cell = counts + ((<usize>ordinal) << 2);
    const count = load<u32>(cell);
    if (count * width <= bytes) continue;
    const bitmap = reserve(bytes, BITMAP_ALIGNMENT);
    const value = changetype<FrequentValue>(at(table) + <usize>index * offsetof<FrequentValue>());
    value.ordinal = ordinal;
    value.count = count;
    value.bitmapOffset = bitmap;
    store<u32>(bitmapOf + ((<usize>ordinal) << 2), bitmap);
    store<u32>(cell, 0);
    index++;
  }
}

const VISIT_COUNT: u32 = 0;
const VISIT_FILL: u32 = 1;

let listOffset: u32 = 0;
let frequentAt: u32 = 0;
/** u32 by value: offset of its bitmap, 0: none */
let bitmapOf: usize = 0;

/** Visits every document with each of its distinct values. `cells`: counters by value. */
function visit(purpose: u32, last: usize, cells: usize): void {
  for (let document: u32 = 0; document < docCount; document++) {
    if (isSingle) {
      const only = ordinalAt(valueDocs, shift, document);
      if (only !== NONE) visitValue(purpose, document, only, last, cells);
      continue;
    }
    const first = load<u32>(valueDocs + ((<usize>document) << 2));
    const end = load<u32>(valueDocs + ((<usize>document) << 2), 4);
    for (let i = first; i < end; i++) visitValue(purpose, document, load<u32>(valueList + ((<usize>i) << 2)), last, cells);
  }
}

function visitValue(purpose: u32, document: u32, value: u32, last: usize, cells: usize): void {
  const ordinal = normalizedOf === 0 ? value : load<u32>(normalizedOf + ((<usize>value) << 2));
  // Several spellings of a text may occur in a document.
  const before = last + ((<usize>ordinal) << 2);
  if (load<u32>(before) === document + 1) return;
  store<u32>(before, document + 1);
  const cell = cells + ((<usize>ordinal) << 2);
  if (purpose === VISIT_FILL) {
    if (lists(frequentAt).frequentCount > 0) {
      const bitmap = load<u32>(bitmapOf + ((<usize>ordinal) << 2));
      if (bitmap !== 0) {
        bitmapAdd(at(bitmap), document);
        return;
      }
    }
    const place = at(listOffset) + <usize>load<u32>(cell) * width;
    store<u16>(place, <u16>document);
    if (width > 2) store<u8>(place, <u8>(document >>> 16), 2);
    if (width > 3) store<u8>(place, <u8>(document >>> 24), 3);
  }
  store<u32>(cell, load<u32>(cell) + 1);
}
