/**
 * Values of a facet: what is counted in one segment, what comes of merging several, and how that is handed over.
 *
 *   one segment: counts by ordinal → FacetValues, ascending → (of another memory: packed and copied by the host) → merged, ordered, cut
 */
import { columnCountNumbers, columnCountStrings, TextCount } from '../columns/count';
import { alloc, allocZeroed } from '../runtime/arena';
import { bitmapBytes, ColumnHeader } from '../segment/layout';
import { columnOf, documentId, SegmentView } from '../segment/view';
import { FacetMatcher, FacetSearch, matcherCreate, matchText } from './search';

@unmanaged
export class FacetNumber {
  value: f64;
  /** candidates that have it */
  documents: u32;
  reserved: u32;
}

/** A normalized text. Its texts are addresses, or count from the start of a packed block. */
@unmanaged
export class FacetText {
  /** candidates that have it */
  documents: u32;
  /** lowest internal id of the documents that lend their spelling */
  lender: u32;
  text: usize;
  length: u32;
  /** as that document writes it */
  original: usize;
  originalLength: u32;
  /** of a facet search: the folded form that was compared */
  folded: usize;
  foldedLength: u32;
}

@unmanaged
export class FacetValues {
  /** of all numbers, also those that were cut off; NaN when there are none */
  least: f64;
  greatest: f64;
  /** FacetNumber[] and FacetText[] */
  numbers: usize;
  numberCount: u32;
  texts: usize;
  textCount: u32;
}

/**
 * The values of a field among the candidates of one segment, ascending: numbers, then texts, in the spelling of the document with the
 * lowest internal id among those of the bitmap `spelling`, a superset of the candidates. `search`: only texts that it looks for, no
 * numbers. Texts end after the first `textLimit`. Both bitmaps are over the documents of the segment.
 */
export function facetValuesOf(
  view: SegmentView,
  field: u32,
  candidates: usize,
  spelling: usize,
  search: FacetSearch,
  textLimit: u32,
): FacetValues {
  const values = changetype<FacetValues>(allocZeroed(offsetof<FacetValues>()));
  values.least = NaN;
  values.greatest = NaN;
  const column = columnOf(changetype<usize>(view), field);
  if (column === 0) return values;
  const bytes = bitmapBytes(view.docCount);
  if (changetype<usize>(search) === 0) countNumbers(values, column, candidates, bytes);
  collectTexts(values, column, view, candidates, spelling, bytes, search, textLimit);
  return values;
}

function countNumbers(values: FacetValues, column: usize, candidates: usize, bytes: usize): void {
  const header = changetype<ColumnHeader>(column);
  if (header.numberCount === 0) return;
  const counts = allocZeroed((<usize>header.numberCount) << 2);
  columnCountNumbers(column, candidates, bytes, counts);
  let found: u32 = 0;
  for (let ordinal: u32 = 0; ordinal < header.numberCount; ordinal++) {
    if (load<u32>(counts + ((<usize>ordinal) << 2)) > 0) found++;
  }
  if (found === 0) return;
  values.numbers = alloc(<usize>found * offsetof<FacetNumber>());
  const stored = column + header.numbersOffset;
  for (let ordinal: u32 = 0; ordinal < header.numberCount; ordinal++) {
    const documents = load<u32>(counts + ((<usize>ordinal) << 2));
    if (documents === 0) continue;
    const number = numberAt(values.numbers, values.numberCount++);
    number.value = load<f64>(stored + ((<usize>ordinal) << 3));
    number.documents = documents;
    number.reserved = 0;
  }
  values.least = numberAt(values.numbers, 0).value;
  values.greatest = numberAt(values.numbers, found - 1).value;
}

export function numberAt(numbers: usize, index: u32): FacetNumber {
  return changetype<FacetNumber>(numbers + <usize>index * offsetof<FacetNumber>());
}

export function textAt(texts: usize, index: u32): FacetText {
  return changetype<FacetText>(texts + <usize>index * offsetof<FacetText>());
}

function countTexts(column: usize, documents: usize, bytes: usize): usize {
  const counts = allocZeroed(<usize>changetype<ColumnHeader>(column).normalizedCount * offsetof<TextCount>());
  columnCountStrings(column, documents, bytes, counts);
  return counts;
}

function countAt(counts: usize, ordinal: u32): TextCount {
  return changetype<TextCount>(counts + <usize>ordinal * offsetof<TextCount>());
}

function collectTexts(
  values: FacetValues,
  column: usize,
  view: SegmentView,
  candidates: usize,
  spelling: usize,
  bytes: usize,
  search: FacetSearch,
  textLimit: u32,
): void {
  const header = changetype<ColumnHeader>(column);
  if (header.normalizedCount === 0) return;
  const counts = countTexts(column, candidates, bytes);
  const lenders = spelling === candidates ? counts : countTexts(column, spelling, bytes);
  let found: u32 = 0;
  for (let ordinal: u32 = 0; ordinal < header.normalizedCount; ordinal++) if (countAt(lenders, ordinal).documents > 0) found++;
  const room = min<u32>(found, textLimit);
  if (room === 0) return;
  values.texts = alloc(<usize>room * offsetof<FacetText>());
  const isSearch = changetype<usize>(search) !== 0;
  const matcher: FacetMatcher = isSearch ? matcherCreate(search, column) : changetype<FacetMatcher>(0);
  for (let ordinal: u32 = 0; values.textCount < room && ordinal < header.normalizedCount; ordinal++) {
    const lender = countAt(lenders, ordinal);
    if (lender.documents === 0) continue;
    const text = textAt(values.texts, values.textCount);
    readSlice(column, header.normalizedOffset, header.normalizedBytesOffset, ordinal);
    text.text = sliceAt;
    text.length = sliceLength;
    text.folded = 0;
    text.foldedLength = 0;
    if (isSearch && !matchText(matcher, ordinal, text)) continue;
    text.documents = countAt(counts, ordinal).documents;
    text.lender = documentId(changetype<usize>(view), lender.first);
    readSlice(column, header.stringsOffset, header.stringBytesOffset, lender.original);
    text.original = sliceAt;
    text.originalLength = sliceLength;
    values.textCount++;
  }
}

let sliceAt: usize = 0;
let sliceLength: u32 = 0;

/** Where a text of a column stands. */
function readSlice(column: usize, startsOffset: u32, bytesOffset: u32, ordinal: u32): void {
  const starts = column + startsOffset + ((<usize>ordinal) << 2);
  const from = load<u32>(starts);
  sliceAt = column + bytesOffset + from;
  sliceLength = load<u32>(starts, 4) - from;
}
