/** Writes the section of one column (ColumnHeader) from its values. */
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush64, bufferPushBytes, bufferRoom } from '../runtime/buffer';
import { sameText } from '../runtime/text-bytes';
import { ColumnValues } from './column-values';
import { bitmapBytes, COLUMN_SINGLE_NUMBER, COLUMN_SINGLE_STRING, ColumnHeader } from './layout';
import { keyNumber, NumberEntry, numberKey, sortNumbers, sortTexts, TextEntry, textEntrySet } from './sort';
import { Text, textNormalize } from './texts';

/** Buffer: the section being written */
let section: usize = 0;
let docCount: u32 = 0;
/** u32[docCount]: counter or mark of each document */
let perDocument: usize = 0;

export function columnWriteBegin(documents: u32): void {
  docCount = documents;
  section = bufferCreate(1 << 16);
  perDocument = alloc(((<usize>documents + 1) << 2) + 16);
}

/** Writes the section of a column; returns the Buffer with its bytes, valid until the next call. */
export function columnWrite(column: ColumnValues): usize {
  const buffer = changetype<Buffer>(section);
  buffer.length = 0;
  memory.fill(bufferRoom(section, offsetof<ColumnHeader>()), 0, offsetof<ColumnHeader>());
  buffer.length = offsetof<ColumnHeader>();
  header().field = column.field;
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

/** The header moves when the section grows. */
function header(): ColumnHeader {
  return changetype<ColumnHeader>(changetype<Buffer>(section).data);
}

/** Pads the section and returns its length. */
function align(alignment: u32): u32 {
  const buffer = changetype<Buffer>(section);
  const rest = <u32>buffer.length & (alignment - 1);
  if (rest) {
    memory.fill(bufferRoom(section, alignment - rest), 0, alignment - rest);
    buffer.length += alignment - rest;
  }
  return <u32>buffer.length;
}

/** Reserves an array of the section, content undefined, and answers its offset. */
function reserve(bytes: usize, alignment: u32): u32 {
  const offset = align(alignment);
  bufferRoom(section, bytes);
  changetype<Buffer>(section).length += bytes;
  return offset;
}

function at(offset: u32): usize {
  return changetype<Buffer>(section).data + offset;
}

function writeBitmap(documents: usize): u32 {
  const bytes: usize = bitmapBytes(docCount);
  const offset = reserve(bytes, 16);
  memory.fill(at(offset), 0, bytes);
  const list = changetype<Buffer>(documents);
  for (let entry = list.data; entry < list.data + list.length; entry += 4) {
    const document = load<u32>(entry);
    const place = at(offset) + (document >>> 3);
    store<u8>(place, <u32>load<u8>(place) | (1 << (document & 7)));
  }
  return offset;
}

/** Whether an ascending list has each document at most once. */
function isSingle(documents: Buffer): bool {
  for (let entry = documents.data + 4; entry < documents.data + documents.length; entry += 4) {
    if (load<u32>(entry) === load<u32>(entry - 4)) return false;
  }
  return true;
}

function writeNumbers(column: ColumnValues): void {
  const documents = changetype<Buffer>(column.numberDocs);
  const count = <u32>(documents.length >> 2);
  if (count === 0) return;
  const bytes = <usize>count * offsetof<NumberEntry>();
  const entries = alloc(bytes);
  const values = changetype<Buffer>(column.numbers).data;
  for (let i: u32 = 0; i < count; i++) {
    const entry = changetype<NumberEntry>(entries + <usize>i * offsetof<NumberEntry>());
    entry.key = numberKey(load<f64>(values + ((<usize>i) << 3)));
    entry.value = load<u32>(documents.data + ((<usize>i) << 2));
  }
  const sorted = sortNumbers(entries, count, alloc(bytes), alloc(1024));
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
    writeSingleNumbers(sorted, count);
  } else {
    writeNumberLists(sorted, count);
  }
}

function writeSingleNumbers(entries: usize, count: u32): void {
  const offset = reserve((<usize>docCount) << 2, 4);
  memory.fill(at(offset), 0xff, (<usize>docCount) << 2);
  for (let i: u32 = 0; i < count; i++) {
    const entry = changetype<NumberEntry>(entries + <usize>i * offsetof<NumberEntry>());
    store<u32>(at(offset) + ((<usize>entry.value) << 2), entry.reserved);
  }
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

function writeStrings(column: ColumnValues): void {
  const documents = changetype<Buffer>(column.stringDocs);
  const count = <u32>(documents.length >> 2);
  if (count === 0) return;
  const texts = changetype<Buffer>(column.strings).data;
  const entries = alloc(<usize>count * offsetof<TextEntry>());
  const distinct = collectTexts(texts, count, entries, column.field + 1);
  writeTexts(entries, distinct, sortOriginals(entries, distinct));
  header().stringCount = distinct;
  if (isSingle(documents)) {
    header().flags |= COLUMN_SINGLE_STRING;
    const offset = reserve((<usize>docCount) << 2, 4);
    memory.fill(at(offset), 0xff, (<usize>docCount) << 2);
    for (let i: u32 = 0; i < count; i++) {
      store<u32>(at(offset) + ((<usize>load<u32>(documents.data + ((<usize>i) << 2))) << 2), ordinalOf(texts, i));
    }
    header().stringDocsOffset = offset;
    return;
  }
  const starts = reserve((<usize>docCount + 1) << 2, 4);
  const values = reserve((<usize>count) << 2, 4);
  let next: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const document = load<u32>(documents.data + ((<usize>i) << 2));
    for (; next <= document; next++) store<u32>(at(starts) + ((<usize>next) << 2), i);
    store<u32>(at(values) + ((<usize>i) << 2), ordinalOf(texts, i));
  }
  for (; next <= docCount; next++) store<u32>(at(starts) + ((<usize>next) << 2), count);
  header().stringDocsOffset = starts;
  header().stringValuesOffset = values;
}

function textAt(texts: usize, index: u32): Text {
  return changetype<Text>(<usize>load<u32>(texts + ((<usize>index) << 2)));
}

function ordinalOf(texts: usize, index: u32): u32 {
  return textAt(texts, index).ordinal;
}

/** Fills entries of the distinct texts of a column, by their normalized form; answers how many. */
function collectTexts(texts: usize, count: u32, entries: usize, mark: u32): u32 {
  let distinct: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const text = textAt(texts, i);
    if (text.column === mark) continue;
    text.column = mark;
    textNormalize(text);
    const entry = entries + <usize>distinct * offsetof<TextEntry>();
    textEntrySet(entry, text.normalized, text.normalizedLength, <u32>changetype<usize>(text));
    distinct++;
  }
  return distinct;
}

function entryAt(entries: usize, index: u32): TextEntry {
  return changetype<TextEntry>(entries + <usize>index * offsetof<TextEntry>());
}

function entryText(entries: usize, index: u32): Text {
  return changetype<Text>(<usize>entryAt(entries, index).value);
}

function sameNormalized(a: Text, b: Text): bool {
  return a.normalizedLength === b.normalizedLength && sameText(a.normalized, b.normalized, a.normalizedLength);
}

/** Sorts by (normalized, original), and numbers the normalized texts, in each entry. Answers how many these are. */
function sortOriginals(entries: usize, count: u32): u32 {
  sortTexts(entries, count);
  let distinct: u32 = 0;
  let from: u32 = 0;
  while (from < count) {
    const first = entryText(entries, from);
    let to = from + 1;
    while (to < count && sameNormalized(first, entryText(entries, to))) to++;
    if (to - from > 1) {
      for (let i = from; i < to; i++) {
        const text = entryText(entries, i);
        textEntrySet(entries + <usize>i * offsetof<TextEntry>(), text.bytes, text.length, <u32>changetype<usize>(text));
      }
      sortTexts(entries + <usize>from * offsetof<TextEntry>(), to - from);
    }
    for (; from < to; from++) entryAt(entries, from).group = distinct;
    distinct++;
  }
  return distinct;
}

/** Writes the texts in their order, numbers them, and writes the normalized texts, of which there are `distinct`. */
function writeTexts(entries: usize, count: u32, distinct: u32): void {
  const starts = reserve((<usize>count + 1) << 2, 4);
  const normalizedOf = reserve((<usize>count) << 2, 4);
  const bytes = <u32>changetype<Buffer>(section).length;
  for (let i: u32 = 0; i < count; i++) {
    const text = entryText(entries, i);
    text.ordinal = i;
    store<u32>(at(starts) + ((<usize>i) << 2), <u32>changetype<Buffer>(section).length - bytes);
    store<u32>(at(normalizedOf) + ((<usize>i) << 2), entryAt(entries, i).group);
    bufferPushBytes(section, text.bytes, text.length);
  }
  store<u32>(at(starts) + ((<usize>count) << 2), <u32>changetype<Buffer>(section).length - bytes);
  header().stringsOffset = starts;
  header().stringBytesOffset = bytes;
  header().normalizedOfOffset = normalizedOf;
  header().normalizedCount = distinct;
  writeNormalized(entries, count, distinct);
}

function writeNormalized(entries: usize, count: u32, distinct: u32): void {
  const starts = reserve((<usize>distinct + 1) << 2, 4);
  const bytes = <u32>changetype<Buffer>(section).length;
  let ordinal: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    if (entryAt(entries, i).group !== ordinal) continue;
    const text = entryText(entries, i);
    store<u32>(at(starts) + ((<usize>ordinal) << 2), <u32>changetype<Buffer>(section).length - bytes);
    ordinal++;
    bufferPushBytes(section, text.normalized, text.normalizedLength);
  }
  store<u32>(at(starts) + ((<usize>distinct) << 2), <u32>changetype<Buffer>(section).length - bytes);
  header().normalizedOffset = starts;
  header().normalizedBytesOffset = bytes;
}
