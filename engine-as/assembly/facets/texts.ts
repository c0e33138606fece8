/** Counts the texts of a field, each with the spelling of a document. */
import { columnCountStrings, TextCount } from '../columns/count';
import { COLUMN_SINGLE_STRING, ColumnHeader } from '../columns/layout';
import { ordinalAt, stringShift } from '../columns/ordinals';
import {
  countDocuments,
  firstDocument,
  readingCost,
  readValue,
  ValueDocuments,
  valueDocuments,
  wholeCost,
} from '../columns/value-documents';
import { alloc, allocZeroed } from '../runtime/arena';
import { CHECK_EVERY, isTimeOver } from '../runtime/deadline';
import { bitmapBytes, NONE } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { documentId } from '../segment/view-parts';
import { bitmapAndNot, bitmapCount, bitmapFill } from '../sets/bitmap';
import { VISIT_COST, visitingCost } from './cost';
import { FacetMatcher, matcherCreate, matchText } from './search';
import { FacetDemand, FacetText, FacetValues, textAt } from './values';

export function countTexts(values: FacetValues, view: SegmentView, column: usize, demand: FacetDemand): void {
  const header = changetype<ColumnHeader>(column);
  if (header.normalizedCount === 0) return;
  const bytes = bitmapBytes(view.docCount);
  const candidates = bitmapCount(demand.candidates, bytes);
  // Without candidates, documents of this segment may still determine how the texts of other segments are spelled.
  if (candidates === 0 && demand.spelling === demand.candidates) return;
  const room = min<u32>(header.normalizedCount, demand.textLimit);
  if (room === 0) return;
  const search = demand.search;
  const matcher: FacetMatcher = search === null ? changetype<FacetMatcher>(0) : matcherCreate(search, column);
  const lists = valueDocuments(view, demand.field, true);
  if (changetype<usize>(lists) !== 0 && countByValue(values, view, column, lists, demand, matcher, room, candidates)) return;
  countByDocument(values, view, column, demand, matcher, room);
}

/** Begins the entry of a text that is counted, if the facet search matches it. Returns whether it does. */
function openText(values: FacetValues, column: usize, ordinal: u32, matcher: FacetMatcher): bool {
  const header = changetype<ColumnHeader>(column);
  const text = textAt(values.texts, values.textCount);
  readSlice(column, header.normalizedOffset, header.normalizedBytesOffset, ordinal);
  text.text = sliceAt;
  text.length = sliceLength;
  text.folded = 0;
  text.foldedLength = 0;
  return changetype<usize>(matcher) === 0 || matchText(matcher, ordinal, text);
}

function closeText(values: FacetValues, view: SegmentView, column: usize, documents: u32, spelledIn: u32, original: u32): void {
  const header = changetype<ColumnHeader>(column);
  const text = textAt(values.texts, values.textCount);
  text.documents = documents;
  text.spelledIn = documentId(changetype<usize>(view), spelledIn);
  readSlice(column, header.stringsOffset, header.stringBytesOffset, original);
  text.original = sliceAt;
  text.originalLength = sliceLength;
  values.textCount++;
}

/**
 * Counts the documents of each text that are candidates, for as many texts as are needed. Returns false without an effect if that would
 * cost more than reading the values of each candidate.
 */
function countByValue(
  values: FacetValues,
  view: SegmentView,
  column: usize,
  lists: ValueDocuments,
  demand: FacetDemand,
  matcher: FacetMatcher,
  limit: u32,
  candidates: u32,
): bool {
  const isSearch = changetype<usize>(matcher) !== 0;
  const isOne = demand.spelling === demand.candidates;
  const spelling = isOne ? candidates : bitmapCount(demand.spelling, bitmapBytes(view.docCount));
  const most = visitingCost(lists, isOne ? candidates : candidates + spelling);
  const isWhole = !isSearch && limit >= lists.valueCount;
  const reads: u32 = isOne ? 1 : 2;
  let others: usize = 0;
  if (isWhole) {
    const byValue = <f64>reads * wholeCost(lists) + <f64>(lists.valueCount * VISIT_COST);
    const byOthers = visitingCost(lists, view.docCount - candidates);
    if (most < min<f64>(byValue, byOthers)) return false;
    if (byOthers < byValue) others = countOthers(view, column, demand.candidates);
  }
  // Without `others` every value that is counted costs more than 1, and more than `most` is not spent.
  const room = others !== 0 ? limit : <u32>min<f64>(<f64>limit, most + 1);
  values.texts = alloc(<usize>room * offsetof<FacetText>());
  let cost: f64 = 0;
  for (let ordinal: u32 = 0; values.textCount < room && ordinal < lists.valueCount; ordinal++) {
    if (ordinal % CHECK_EVERY === 0 && isTimeOver()) {
      values.isTimedOut = true;
      return true;
    }
    if (!openText(values, column, ordinal, matcher)) continue;
    readValue(lists, ordinal);
    let documents: u32 = 0;
    if (others !== 0) {
      documents = lists.count - countAt(others, ordinal).documents;
    } else {
      cost += <f64>(reads * readingCost(lists) + VISIT_COST);
      if (cost > most) return abandon(values);
      documents = countDocuments(lists, demand.candidates);
    }
    if (documents === 0 && isOne) continue;
    const spelledIn = firstDocument(lists, demand.spelling);
    if (spelledIn !== NONE) closeText(values, view, column, documents, spelledIn, originalIn(column, spelledIn, ordinal));
  }
  return true;
}

function abandon(values: FacetValues): bool {
  values.textCount = 0;
  return false;
}

/** When most documents are candidates: the TextCount[] of the others, to be subtracted from the total counts. 0: the deadline passed. */
function countOthers(view: SegmentView, column: usize, candidates: usize): usize {
  const bytes = bitmapBytes(view.docCount);
  const others = allocZeroed(bytes);
  bitmapFill(others, view.docCount);
  bitmapAndNot(others, candidates, bytes);
  const counts = countsOf(column);
  return columnCountStrings(column, others, bytes, counts) ? counts : 0;
}

/** The spelling of a text in a document: the last of its spellings. */
function originalIn(column: usize, document: u32, normalized: u32): u32 {
  const header = changetype<ColumnHeader>(column);
  const documents = column + header.stringDocsOffset;
  if (header.flags & COLUMN_SINGLE_STRING) return ordinalAt(documents, stringShift(header), document);
  const docs = documents + ((<usize>document) << 2);
  let found: u32 = NONE;
  for (let i = load<u32>(docs, 4); found === NONE; i--) {
    const original = load<u32>(column + header.stringValuesOffset + ((<usize>(i - 1)) << 2));
    if (load<u32>(column + header.normalizedOfOffset + ((<usize>original) << 2)) === normalized) found = original;
  }
  return found;
}

/** An empty TextCount[]. */
function countsOf(column: usize): usize {
  return allocZeroed(<usize>changetype<ColumnHeader>(column).normalizedCount * offsetof<TextCount>());
}

function countAt(counts: usize, ordinal: u32): TextCount {
  return changetype<TextCount>(counts + <usize>ordinal * offsetof<TextCount>());
}

function countByDocument(
  values: FacetValues,
  view: SegmentView,
  column: usize,
  demand: FacetDemand,
  matcher: FacetMatcher,
  limit: u32,
): void {
  const bytes = bitmapBytes(view.docCount);
  const counts = countsOf(column);
  const isOne = demand.spelling === demand.candidates;
  const spellings = isOne ? counts : countsOf(column);
  const isDone = columnCountStrings(column, demand.candidates, bytes, counts);
  if (!isDone || (!isOne && !columnCountStrings(column, demand.spelling, bytes, spellings))) {
    values.isTimedOut = true;
    return;
  }
  const valueCount = changetype<ColumnHeader>(column).normalizedCount;
  let found: u32 = 0;
  for (let ordinal: u32 = 0; ordinal < valueCount; ordinal++) if (countAt(spellings, ordinal).documents > 0) found++;
  const room = min<u32>(found, limit);
  values.texts = alloc(<usize>room * offsetof<FacetText>());
  for (let ordinal: u32 = 0; values.textCount < room && ordinal < valueCount; ordinal++) {
    const spelledIn = countAt(spellings, ordinal);
    if (spelledIn.documents === 0 || !openText(values, column, ordinal, matcher)) continue;
    closeText(values, view, column, countAt(counts, ordinal).documents, spelledIn.first, spelledIn.original);
  }
}

let sliceAt: usize = 0;
let sliceLength: u32 = 0;

/** Finds a text of a column. */
function readSlice(column: usize, startsOffset: u32, bytesOffset: u32, ordinal: u32): void {
  const starts = column + startsOffset + ((<usize>ordinal) << 2);
  const from = load<u32>(starts);
  sliceAt = column + bytesOffset + from;
  sliceLength = load<u32>(starts, 4) - from;
}
