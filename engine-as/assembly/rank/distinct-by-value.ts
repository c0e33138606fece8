/**
 * Distinct by lists of the documents of each value (columns/value-documents): when a document is kept, the lists of its
 * values are read.
 */
import { pushValueOrdinals, valueCount } from '../columns/document-values';
import { ColumnHeader } from '../columns/layout';
import { documentAt, readValue, ValueDocuments, valueDocuments } from '../columns/value-documents';
import { columnNumberCeiling, columnNumberFloor, columnTextCeiling, columnTextFloor } from '../columns/values';
import { NO_FIELD } from '../plan/plan';
import { Search, segmentOf } from '../plan/search';
import { allocZeroed, arenaMark, arenaReset } from '../runtime/arena';
import { Buffer, bufferCreate } from '../runtime/buffer';
import { bitmapBytes, NONE } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { columnOf, valueDocumentsOf } from '../segment/view-parts';
import { bitmapAdd, bitmapAndNot, bitmapCount, bitmapOr, bitmapRemove } from '../sets/bitmap';
import { inOrder } from './order';

/** Cost model: listing one document by its values costs as much as reading this many entries of a stored list. */
const LISTING_COST: u32 = 8;
const ORDINALS_BYTES: usize = 256;

/** The values of one segment. */
@unmanaged
class SegmentValues {
  base: u32;
  /** 0: no document of the segment has the field */
  column: usize;
  numbers: ValueDocuments;
  texts: ValueDocuments;
  /** u8 by ordinal (see pushValueOrdinals): whether a document with the value was kept */
  taken: usize;
}

@unmanaged
export class DistinctByValue {
  /** SegmentValues[segmentCount] */
  segments: usize;
  segmentCount: u32;
}

function valuesOf(distinct: DistinctByValue, index: u32): SegmentValues {
  return changetype<SegmentValues>(distinct.segments + <usize>index * offsetof<SegmentValues>());
}

/**
 * Returns null when a segment lacks lists of the documents of values, or when there are so few candidates that listing them costs
 * less.
 */
export function byValueCreate(search: Search, universe: usize): DistinctByValue {
  const field = search.plan.distinctField;
  const segmentCount = search.plan.segments.count;
  let documents: u32 = 0;
  for (let number: u32 = 0; number < segmentCount; number++) {
    const segment = segmentOf(search, number);
    documents += segment.docCount;
    if (!segment.isHere) return changetype<DistinctByValue>(0);
    const hasColumn = field !== NO_FIELD && columnOf(segment.view, field) !== 0;
    if (hasColumn && valueDocumentsOf(changetype<SegmentView>(segment.view), field) === 0) return changetype<DistinctByValue>(0);
  }
  if (bitmapCount(universe, search.bytes) * LISTING_COST <= documents) return changetype<DistinctByValue>(0);
  const distinct = changetype<DistinctByValue>(allocZeroed(offsetof<DistinctByValue>()));
  distinct.segmentCount = segmentCount;
  distinct.segments = allocZeroed(<usize>segmentCount * offsetof<SegmentValues>());
  for (let number: u32 = 0; number < segmentCount; number++) {
    const segment = segmentOf(search, number);
    const values = valuesOf(distinct, number);
    values.base = segment.base;
    values.column = field === NO_FIELD ? 0 : columnOf(segment.view, field);
    if (values.column === 0) continue;
    values.numbers = valueDocuments(changetype<SegmentView>(segment.view), field, false);
    values.texts = valueDocuments(changetype<SegmentView>(segment.view), field, true);
    values.taken = allocZeroed(<usize>valueCount(values.column) + 1);
  }
  return distinct;
}

/** See distinctKeep. */
export function keepByValue(search: Search, distinct: DistinctByValue, slot: u32, counted: usize): bool {
  const mark = arenaMark();
  const isKept = takeValues(search, distinct, slot, counted);
  if (!isKept) bitmapRemove(counted, slot);
  arenaReset(mark);
  return isKept;
}

/** See distinctCount. */
export function countByValue(search: Search, distinct: DistinctByValue, counted: usize): void {
  for (let index: u32 = 0; index < distinct.segmentCount; index++) {
    const values = valuesOf(distinct, index);
    if (values.column !== 0) memory.fill(values.taken, 0, valueCount(values.column));
  }
  const all = inOrder(search, counted, NONE);
  for (let place: u32 = 0; place < all.count; place++) {
    const mark = arenaMark();
    const slot = load<u32>(all.slots + ((<usize>place) << 2));
    if (!takeValues(search, distinct, slot, 0)) bitmapRemove(counted, slot);
    arenaReset(mark);
  }
}

/**
 * Marks the values of a document as taken. Returns false without an effect when one of them is taken already. `counted`: bitmap
 * from which the other documents with these values are removed; 0: they stay.
 */
function takeValues(search: Search, distinct: DistinctByValue, slot: u32, counted: usize): bool {
  let index: u32 = 0;
  while (index + 1 < distinct.segmentCount && valuesOf(distinct, index + 1).base <= slot) index++;
  const own = valuesOf(distinct, index);
  if (own.column === 0) return true;
  const ordinals = bufferCreate(ORDINALS_BYTES);
  pushValueOrdinals(own.column, slot - own.base, ordinals);
  const first = changetype<Buffer>(ordinals).data;
  const end = first + changetype<Buffer>(ordinals).length;
  for (let at = first; at < end; at += 4) if (load<u8>(own.taken + load<u32>(at))) return false;
  for (let at = first; at < end; at += 4) {
    for (let other: u32 = 0; other < distinct.segmentCount; other++) {
      const values = valuesOf(distinct, other);
      const ordinal = other === index ? load<u32>(at) : sameOrdinal(values, own.column, load<u32>(at));
      if (ordinal === NONE) continue;
      store<u8>(values.taken + ordinal, 1);
      if (counted !== 0) drop(search, values, ordinal, counted);
    }
  }
  if (counted === 0 || first === end) return true;
  bitmapAdd(counted, slot);
  bitmapRemove(search.duplicates, slot);
  return true;
}

/** The ordinal of a value in a column, given its ordinal in another column; NONE when the column lacks it. */
function sameOrdinal(values: SegmentValues, other: usize, ordinal: u32): u32 {
  const column = values.column;
  if (column === 0) return NONE;
  const header = changetype<ColumnHeader>(other);
  if (ordinal < header.numberCount) {
    const number = load<f64>(other + header.numbersOffset + ((<usize>ordinal) << 3));
    const from = columnNumberFloor(column, number);
    return from < columnNumberCeiling(column, number) ? from : NONE;
  }
  const starts = other + header.normalizedOffset + ((<usize>(ordinal - header.numberCount)) << 2);
  const text = other + header.normalizedBytesOffset + load<u32>(starts);
  const length = load<u32>(starts, 4) - load<u32>(starts);
  const from = columnTextFloor(column, text, length);
  return from < columnTextCeiling(column, text, length) ? changetype<ColumnHeader>(column).numberCount + from : NONE;
}

/** Removes the documents of a value from the count and from the ranking. */
function drop(search: Search, values: SegmentValues, ordinal: u32, counted: usize): void {
  const numberCount = changetype<ColumnHeader>(values.column).numberCount;
  const documents = ordinal < numberCount ? values.numbers : values.texts;
  readValue(documents, ordinal < numberCount ? ordinal : ordinal - numberCount);
  if (documents.bitmap) {
    const bytes = bitmapBytes(documents.docCount);
    bitmapAndNot(counted + (values.base >>> 3), documents.bitmap, bytes);
    bitmapOr(search.duplicates + (values.base >>> 3), documents.bitmap, bytes);
    return;
  }
  for (let place = documents.from; place < documents.end; place++) {
    const slot = values.base + documentAt(documents, place);
    bitmapRemove(counted, slot);
    bitmapAdd(search.duplicates, slot);
  }
}
