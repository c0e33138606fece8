/** Writes the numbers of a column: the distinct numbers, and the ordinals of those of each document. */

import { COLUMN_SINGLE_NUMBER } from '../columns/layout';
import { numberWidthFlag, ordinalSet, ordinalShift } from '../columns/ordinals';
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush64, bufferRoom } from '../runtime/buffer';
import { keyNumber, NUMBER_COUNTS_BYTES, NumberEntry, numberKey, sortNumbers } from '../segment/sort';
import { align, at, docCount, header, isSingle, reserve, reserveOrdinals, section } from './column-section';
import { ColumnValues } from './column-values';

/** u32[docCount]: for each document the last ordinal seen */
let perDocument: usize = 0;
/** Buffer of NumberEntry: the numbers of a column, and room for as many to sort them */
let entryRoom: usize = 0;
/** work space of the sort */
let counts: usize = 0;

/** Prepares for the columns of a segment. */
export function columnNumbersBegin(documents: u32): void {
  perDocument = alloc(((<usize>documents + 1) << 2) + 16);
  entryRoom = bufferCreate(1 << 12);
  counts = alloc(NUMBER_COUNTS_BYTES);
}

export function writeNumbers(column: ColumnValues): void {
  const documents = changetype<Buffer>(column.numberDocs);
  const count = <u32>(documents.length >> 2);
  if (count === 0) return;
  const bytes = <usize>count * offsetof<NumberEntry>();
  changetype<Buffer>(entryRoom).length = 0;
  const entries = bufferRoom(entryRoom, bytes << 1);
  const values = changetype<Buffer>(column.numbers).data;
  for (let i: u32 = 0; i < count; i++) {
    const entry = changetype<NumberEntry>(entries + <usize>i * offsetof<NumberEntry>());
    entry.key = numberKey(load<f64>(values + ((<usize>i) << 3)));
    entry.value = load<u32>(documents.data + ((<usize>i) << 2));
  }
  const sorted = sortNumbers(entries, count, entries + bytes, counts);
  // Distinct numbers; the ordinal of each entry's number replaces its key.
  const offset = align(8);
  let distinct: u32 = 0;
  let previous: u64 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const entry = changetype<NumberEntry>(sorted + <usize>i * offsetof<NumberEntry>());
    if (distinct === 0 || entry.key !== previous) {
      previous = entry.key;
      bufferPush64(section, reinterpret<u64>(keyNumber(previous)));
      distinct++;
    }
    entry.reserved = distinct - 1;
  }
  header().numbersOffset = offset;
  header().numberCount = distinct;
  if (isSingle(documents)) {
    header().flags |= COLUMN_SINGLE_NUMBER;
    writeSingleNumbers(sorted, count, ordinalShift(distinct));
  } else {
    writeNumberLists(sorted, count);
  }
}

function writeSingleNumbers(entries: usize, count: u32, shift: u32): void {
  const offset = reserveOrdinals(shift);
  for (let i: u32 = 0; i < count; i++) {
    const entry = changetype<NumberEntry>(entries + <usize>i * offsetof<NumberEntry>());
    ordinalSet(at(offset), shift, entry.value, entry.reserved);
  }
  header().flags |= numberWidthFlag(shift);
  header().numberDocsOffset = offset;
}

/** Ordinals come in ascending order, so each document's list is ascending too; equal ordinals of a document are adjacent. */
function writeNumberLists(entries: usize, count: u32): void {
  const starts = reserve((<usize>docCount + 1) << 2, 4);
  memory.fill(at(starts), 0, (<usize>docCount + 1) << 2);
  forgetDocuments();
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const entry = changetype<NumberEntry>(entries + <usize>i * offsetof<NumberEntry>());
    if (!isNew(entry)) continue;
    const slot = at(starts) + ((<usize>entry.value) << 2);
    store<u32>(slot, load<u32>(slot) + 1);
    kept++;
  }
  sumStarts(starts);
  const values = reserve((<usize>kept) << 2, 4);
  forgetDocuments();
  for (let i: u32 = 0; i < count; i++) {
    const entry = changetype<NumberEntry>(entries + <usize>i * offsetof<NumberEntry>());
    if (isNew(entry)) putInList(starts, values, entry.value, entry.reserved);
  }
  restoreStarts(starts);
  header().numberDocsOffset = starts;
  header().numberValuesOffset = values;
}

function forgetDocuments(): void {
  memory.fill(perDocument, 0xff, (<usize>docCount + 1) << 2);
}

/** Whether the ordinal of an entry is new in its document. */
function isNew(entry: NumberEntry): bool {
  const seen = perDocument + ((<usize>entry.value) << 2);
  if (load<u32>(seen) === entry.reserved) return false;
  store<u32>(seen, entry.reserved);
  return true;
}

/** Turns counts into starts. */
function sumStarts(starts: u32): void {
  let before: u32 = 0;
  for (let document: u32 = 0; document <= docCount; document++) {
    const slot = at(starts) + ((<usize>document) << 2);
    const count = load<u32>(slot);
    store<u32>(slot, before);
    before += count;
  }
}

/** Appends to a document's list; the starts are used as cursors until {@link restoreStarts}. */
function putInList(starts: u32, values: u32, document: u32, ordinal: u32): void {
  const slot = at(starts) + ((<usize>document) << 2);
  const place = load<u32>(slot);
  store<u32>(slot, place + 1);
  store<u32>(at(values) + ((<usize>place) << 2), ordinal);
}

/** Every cursor is at the end of its list, which is the start of the next one. */
function restoreStarts(starts: u32): void {
  memory.copy(at(starts) + 4, at(starts), (<usize>docCount) << 2);
  store<u32>(at(starts), 0);
}
