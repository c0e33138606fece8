/** Counting the numbers of a field. */
import { columnCountNumbers } from '../columns/count';
import { pushValueOrdinals } from '../columns/document-values';
import { ColumnHeader } from '../columns/layout';
import {
  countDocuments,
  firstDocument,
  readingCost,
  readValue,
  ValueDocuments,
  valueDocuments,
} from '../columns/value-documents';
import { alloc, allocZeroed } from '../runtime/arena';
import { Buffer, bufferCreate } from '../runtime/buffer';
import { CHECK_EVERY, isTimeOver } from '../runtime/deadline';
import { bitmapBytes, NONE } from '../segment/layout';
import { sortCodes } from '../segment/sort';
import { SegmentView } from '../segment/view';
import { bitmapCount } from '../sets/bitmap';
import { VISIT_COST, visitingCost } from './cost';
import { FacetDemand, FacetNumber, FacetValues, numberAt } from './values';

/**
 * When there are at least this many numbers in the column per candidate, the numbers of candidates are sorted instead of counted
 * by ordinal.
 */
const SPARSE: u32 = 16;

export function countNumbers(values: FacetValues, view: SegmentView, column: usize, demand: FacetDemand): void {
  const numberCount = changetype<ColumnHeader>(column).numberCount;
  if (numberCount === 0) return;
  const candidates = bitmapCount(demand.candidates, bitmapBytes(view.docCount));
  if (candidates === 0) return;
  const lists = valueDocuments(view, demand.field, false);
  if (changetype<usize>(lists) !== 0 && countByValue(values, column, lists, demand, visitingCost(lists, candidates))) return;
  if (candidates <= numberCount / SPARSE) countFew(values, column, view, demand.candidates);
  else countAll(values, column, view, demand.candidates);
}

function pushNumber(values: FacetValues, column: usize, ordinal: u32, documents: u32): void {
  const number = numberAt(values.numbers, values.numberCount++);
  number.value = numberOf(column, ordinal);
  number.documents = documents;
  number.text = 0;
  number.length = 0;
}

function numberOf(column: usize, ordinal: u32): f64 {
  return load<f64>(column + changetype<ColumnHeader>(column).numbersOffset + ((<usize>ordinal) << 3));
}

/**
 * Counts the documents of each number that are candidates, for as many numbers as are needed. Returns false without an effect if that
 * would cost more than `most`.
 */
function countByValue(values: FacetValues, column: usize, lists: ValueDocuments, demand: FacetDemand, most: f64): bool {
  const room = min<u32>(demand.numberLimit, lists.valueCount);
  // Every number of the column has a cost, even one without candidates.
  if (<f64>room > most) return false;
  values.numbers = alloc(<usize>room * offsetof<FacetNumber>() + 8);
  let cost: f64 = 0;
  let least: u32 = NONE;
  let greatest: u32 = NONE;
  let ordinal: u32 = 0;
  for (; ordinal < lists.valueCount && (values.numberCount < room || least === NONE); ordinal++) {
    readValue(lists, ordinal);
    cost += <f64>(readingCost(lists) + VISIT_COST);
    if (cost > most) return abandon(values);
    if (ordinal % CHECK_EVERY === 0 && isTimeOver()) return cut(values);
    const documents = countDocuments(lists, demand.candidates);
    if (documents === 0) continue;
    if (least === NONE) least = ordinal;
    greatest = ordinal;
    if (values.numberCount < room) pushNumber(values, column, ordinal, documents);
  }
  for (let last = lists.valueCount; last > ordinal; last--) {
    readValue(lists, last - 1);
    cost += <f64>(readingCost(lists) + VISIT_COST);
    if (cost > most) return abandon(values);
    if (last % CHECK_EVERY === 0 && isTimeOver()) return cut(values);
    if (firstDocument(lists, demand.candidates) === NONE) continue;
    greatest = last - 1;
    break;
  }
  if (least === NONE) return true;
  values.least = numberOf(column, least);
  values.greatest = numberOf(column, greatest);
  return true;
}

function abandon(values: FacetValues): bool {
  values.numberCount = 0;
  return false;
}

function cut(values: FacetValues): bool {
  values.isTimedOut = true;
  return true;
}

/** Few candidates: sorts their numbers. */
function countFew(values: FacetValues, column: usize, view: SegmentView, candidates: usize): void {
  const bytes = bitmapBytes(view.docCount);
  const numberCount = changetype<ColumnHeader>(column).numberCount;
  const ordinals = bufferCreate(1024);
  const list = changetype<Buffer>(ordinals);
  for (let at: usize = 0; at < bytes; at += 8) {
    for (let word = load<u64>(candidates + at); word !== 0; word &= word - 1) {
      const before = list.length;
      pushValueOrdinals(column, <u32>(at << 3) + <u32>ctz(word), ordinals);
      // Numbers precede texts.
      let end = before;
      while (end < list.length && load<u32>(list.data + end) < numberCount) end += 4;
      list.length = end;
    }
  }
  sortCodes(list.data, list.length);
  const end = list.data + list.length;
  values.numbers = alloc((list.length >> 2) * offsetof<FacetNumber>() + 8);
  for (let at = list.data; at < end; ) {
    const ordinal = load<u32>(at);
    const first = at;
    while (at < end && load<u32>(at) === ordinal) at += 4;
    pushNumber(values, column, ordinal, <u32>((at - first) >> 2));
  }
  setRange(values);
}

function countAll(values: FacetValues, column: usize, view: SegmentView, candidates: usize): void {
  const numberCount = changetype<ColumnHeader>(column).numberCount;
  const counts = allocZeroed((<usize>numberCount) << 2);
  if (!columnCountNumbers(column, candidates, bitmapBytes(view.docCount), counts)) {
    values.isTimedOut = true;
    return;
  }
  let found: u32 = 0;
  for (let ordinal: u32 = 0; ordinal < numberCount; ordinal++) {
    if (load<u32>(counts + ((<usize>ordinal) << 2)) > 0) found++;
  }
  values.numbers = alloc(<usize>found * offsetof<FacetNumber>() + 8);
  for (let ordinal: u32 = 0; ordinal < numberCount; ordinal++) {
    const documents = load<u32>(counts + ((<usize>ordinal) << 2));
    if (documents > 0) pushNumber(values, column, ordinal, documents);
  }
  setRange(values);
}

function setRange(values: FacetValues): void {
  if (values.numberCount === 0) return;
  values.least = numberAt(values.numbers, 0).value;
  values.greatest = numberAt(values.numbers, values.numberCount - 1).value;
}
