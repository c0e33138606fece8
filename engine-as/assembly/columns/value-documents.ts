/**
 * The documents of each value of a column, as lists or bitmaps by ordinal; texts by their normalized form. One value is read at a
 * time, in any order, adjacent ones fastest.
 */
import { alloc } from '../runtime/arena';
import { bitmapBytes, NONE } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { columnOf, valueDocumentsOf } from '../segment/view-parts';
import { bitmapAdd, bitmapAndCount, bitmapHas, bitmapOr } from '../sets/bitmap';
import { ColumnHeader, FrequentValue, ValueDocumentsHeader, ValueLists } from './layout';
import { numberShift, ordinalAt, stringShift } from './ordinals';

/** Cost model: documents of a bitmap that are scanned in the time of one list entry. */
const BITMAP_DOCUMENTS: u32 = 128;

/**
 * The documents of the numbers or the texts of a column, and the value read last, whose documents are in the bitmap or otherwise
 * in the list.
 */
@unmanaged
export class ValueDocuments {
  valueCount: u32;
  /** documents in all lists */
  entryCount: u32;
  docCount: u32;
  /** u32[valueCount + 1], or 0 */
  starts: usize;
  documents: usize;
  width: u32;
  /** mask for a document that is read as u32 */
  mask: u32;
  frequentCount: u32;
  /** FrequentValue[], and the base of their offsets */
  frequent: usize;
  section: usize;
  /** without starts: the value of each document, as columns/ordinals reads it, and u32[] its ordinal, 0: the same */
  valueOf: usize;
  valueShift: u32;
  ordinalOf: usize;
  /** the value that was read last */
  ordinal: u32;
  count: u32;
  /** range [from, end) of the list */
  from: u32;
  end: u32;
  bitmap: usize;
}

/** 0: the field has no column, no values of this type, or the segment is older than these lists. */
export function valueDocuments(view: SegmentView, field: u32, areTexts: bool): ValueDocuments {
  const section = valueDocumentsOf(view, field);
  if (section === 0) return changetype<ValueDocuments>(0);
  const lists = changetype<ValueLists>(section + offsetof<ValueDocumentsHeader>() + (areTexts ? offsetof<ValueLists>() : 0));
  if (lists.valueCount === 0) return changetype<ValueDocuments>(0);
  const column = columnOf(changetype<usize>(view), field);
  const header = changetype<ColumnHeader>(column);
  const values = changetype<ValueDocuments>(alloc(offsetof<ValueDocuments>()));
  values.valueCount = lists.valueCount;
  values.entryCount = lists.entryCount;
  values.docCount = view.docCount;
  values.starts = lists.startsOffset === 0 ? 0 : section + lists.startsOffset;
  values.documents = section + lists.documentsOffset;
  values.width = changetype<ValueDocumentsHeader>(section).width;
  values.mask = values.width === 4 ? NONE : (1 << (values.width << 3)) - 1;
  values.frequentCount = lists.frequentCount;
  values.frequent = section + lists.frequentOffset;
  values.section = section;
  values.valueOf = column + (areTexts ? header.stringDocsOffset : header.numberDocsOffset);
  values.valueShift = areTexts ? stringShift(header) : numberShift(header);
  values.ordinalOf = areTexts ? column + header.normalizedOfOffset : 0;
  values.ordinal = NONE;
  values.from = 0;
  values.end = 0;
  values.bitmap = 0;
  return values;
}

/** The document at a place of the lists. */
export function documentAt(values: ValueDocuments, place: u32): u32 {
  return load<u32>(values.documents + <usize>place * values.width) & values.mask;
}

/** Without starts: the ordinal for which the entry at a position is listed. */
function listedOrdinal(values: ValueDocuments, place: u32): u32 {
  const value = ordinalAt(values.valueOf, values.valueShift, documentAt(values, place));
  return values.ordinalOf === 0 ? value : load<u32>(values.ordinalOf + ((<usize>value) << 2));
}

/**
 * Position of the first entry with an ordinal of at least `ordinal`; for the ordinal after the last one, the end of the lists.
 */
export function placeOf(values: ValueDocuments, ordinal: u32): u32 {
  if (values.starts) return load<u32>(values.starts + ((<usize>ordinal) << 2));
  let low: u32 = 0;
  let high = values.entryCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (listedOrdinal(values, middle) < ordinal) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Reads the documents of a value. */
export function readValue(values: ValueDocuments, ordinal: u32): void {
  if (ordinal === values.ordinal) return;
  values.bitmap = 0;
  if (values.starts) {
    const start = values.starts + ((<usize>ordinal) << 2);
    values.from = load<u32>(start);
    values.end = load<u32>(start, 4);
    values.count = values.end - values.from;
    if (values.count === 0) findBitmap(values, ordinal);
  } else if (ordinal + 1 === values.ordinal) {
    // Every value has a document.
    values.end = values.from;
    values.from = values.end - 1;
    while (values.from > 0 && listedOrdinal(values, values.from - 1) === ordinal) values.from--;
    values.count = values.end - values.from;
  } else {
    values.from = values.ordinal !== NONE && ordinal === values.ordinal + 1 ? values.end : placeOf(values, ordinal);
    values.end = values.from + 1;
    while (values.end < values.entryCount && listedOrdinal(values, values.end) === ordinal) values.end++;
    values.count = values.end - values.from;
  }
  values.ordinal = ordinal;
}

function findBitmap(values: ValueDocuments, ordinal: u32): void {
  const index = frequentFrom(values, ordinal);
  if (index === values.frequentCount) return;
  const frequent = frequentAt(values, index);
  if (frequent.ordinal !== ordinal) return;
  values.bitmap = values.section + frequent.bitmapOffset;
  values.count = frequent.count;
}

/** Adds the documents of the value read last. */
export function addDocuments(values: ValueDocuments, target: usize): void {
  if (values.bitmap) bitmapOr(target, values.bitmap, bitmapBytes(values.docCount));
  else for (let place = values.from; place < values.end; place++) bitmapAdd(target, documentAt(values, place));
}

/** The first frequent value with an ordinal of at least `ordinal`. */
function frequentFrom(values: ValueDocuments, ordinal: u32): u32 {
  let low: u32 = 0;
  let high = values.frequentCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (frequentAt(values, middle).ordinal < ordinal) low = middle + 1;
    else high = middle;
  }
  return low;
}

function frequentAt(values: ValueDocuments, index: u32): FrequentValue {
  return changetype<FrequentValue>(values.frequent + <usize>index * offsetof<FrequentValue>());
}

/** Cost of adding the documents of the values [from, end), in list entries. */
export function rangeCost(values: ValueDocuments, from: u32, end: u32): u32 {
  const frequent = frequentFrom(values, end) - frequentFrom(values, from);
  return placeOf(values, end) - placeOf(values, from) + frequent * (values.docCount / BITMAP_DOCUMENTS);
}

/** Adds the documents of the values [from, end). */
export function addRange(values: ValueDocuments, from: u32, end: u32, target: usize): void {
  const last = placeOf(values, end);
  for (let place = placeOf(values, from); place < last; place++) bitmapAdd(target, documentAt(values, place));
  for (let i = frequentFrom(values, from); i < values.frequentCount && frequentAt(values, i).ordinal < end; i++) {
    bitmapOr(target, values.section + frequentAt(values, i).bitmapOffset, bitmapBytes(values.docCount));
  }
}

/** Number of documents of the value read last that are in a bitmap. */
export function countDocuments(values: ValueDocuments, members: usize): u32 {
  if (values.bitmap) return bitmapAndCount(values.bitmap, members, bitmapBytes(values.docCount));
  let count: u32 = 0;
  for (let place = values.from; place < values.end; place++) count += <u32>bitmapHas(members, documentAt(values, place));
  return count;
}

/** The first document of the value read last that is in a bitmap; NONE when there is none. */
export function firstDocument(values: ValueDocuments, members: usize): u32 {
  if (values.bitmap) {
    const bytes = bitmapBytes(values.docCount);
    for (let at: usize = 0; at < bytes; at += 8) {
      const shared = load<u64>(values.bitmap + at) & load<u64>(members + at);
      if (shared !== 0) return <u32>(at << 3) + <u32>ctz(shared);
    }
    return NONE;
  }
  for (let place = values.from; place < values.end; place++) {
    const document = documentAt(values, place);
    if (bitmapHas(members, document)) return document;
  }
  return NONE;
}

/** Number of (document, value) pairs. */
export function pairCount(values: ValueDocuments): u32 {
  let pairs = values.entryCount;
  for (let i: u32 = 0; i < values.frequentCount; i++) {
    pairs += frequentAt(values, i).count;
  }
  return pairs;
}

/** Cost of scanning the documents of all values, in list entries. */
export function wholeCost(values: ValueDocuments): f64 {
  return <f64>values.entryCount + <f64>values.frequentCount * <f64>(values.docCount / BITMAP_DOCUMENTS);
}

/** Cost of scanning the documents of the value read last, in list entries. */
export function readingCost(values: ValueDocuments): u32 {
  return values.bitmap ? values.docCount / BITMAP_DOCUMENTS : values.end - values.from;
}
