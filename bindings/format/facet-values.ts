/** Values of a facet among candidates, merged over the segments of an index. */
import type { Column, TextCounts } from '../engine/columns.js';
import { columnOf } from '../engine/columns.js';
import type { IndexReader, OpenSegment } from '../engine/segments.js';

/** How often a number occurs. */
export interface NumberCount {
  value: number;
  count: number;
}

/** A normalized text and the segments that have it. */
export interface FacetText {
  /** Candidates that have it. */
  count: number;
  /** At least one. */
  parts: TextPart[];
}

export interface TextPart {
  source: TextSource;
  /** Of the normalized text. */
  ordinal: number;
}

/** The texts of one segment. */
export interface TextSource {
  segment: OpenSegment;
  column: Column;
  /** Among the candidates. */
  counts: TextCounts;
  /** Among the documents that lend their spelling: the candidates too, or all documents. */
  spelling: TextCounts;
}

/** What a column is asked: `bitmap` over the local numbers of its segment. */
type ColumnJob<T> = (column: Column, bitmap: number, segment: OpenSegment) => T;

/** Runs a job on the columns of a field, each with the part of a bitmap over slots that belongs to its segment. */
function onColumns<T>(reader: IndexReader, fieldId: number, bitmap: number, job: ColumnJob<T>): T[] {
  const results: T[] = [];
  for (const segment of reader.segments) {
    const column = columnOf(segment, fieldId);
    if (!column) continue;
    const start = bitmap + segment.base / 8;
    if (segment.instance === reader.instance) {
      results.push(job(column, start, segment));
    } else {
      // not onSegment: what the job counts must outlive it, so nothing is released here
      const bytes = Math.ceil(segment.ref.docCount / 128) * 16;
      const copy = segment.instance.put(reader.instance.bytes.subarray(start, start + bytes));
      results.push(job(column, copy, segment));
    }
  }
  return results;
}

/** The numbers of the candidates, ascending. */
export function facetNumbers(reader: IndexReader, fieldId: number, candidates: number): NumberCount[] {
  const sources = onColumns(reader, fieldId, candidates, (column, bitmap) => {
    const counts = column.countNumbers(bitmap);
    const numbers: NumberCount[] = [];
    const values = column.numbers;
    for (let ordinal = 0; ordinal < counts.length; ordinal++) {
      const count = counts[ordinal] as number;
      if (count > 0) numbers.push({ value: values[ordinal] as number, count });
    }
    return numbers;
  });
  return sources.reduce(mergeNumbers, []);
}

function mergeNumbers(left: NumberCount[], right: NumberCount[]): NumberCount[] {
  if (left.length === 0) return right;
  const merged: NumberCount[] = [];
  let i = 0;
  for (const number of right) {
    while (i < left.length && (left[i] as NumberCount).value < number.value) merged.push(left[i++] as NumberCount);
    const other = left[i];
    if (other?.value === number.value) {
      number.count += other.count;
      i++;
    }
    merged.push(number);
  }
  while (i < left.length) merged.push(left[i++] as NumberCount);
  return merged;
}

/**
 * The normalized texts of the candidates, ascending by their bytes. Counts lie in scratch.
 * @param spelling bitmap of the documents that lend their spelling, a superset of the candidates
 */
export function* facetTexts(reader: IndexReader, fieldId: number, candidates: number, spelling: number): Generator<FacetText> {
  const counted = onColumns(reader, fieldId, candidates, (column, bitmap, segment) => ({
    segment,
    column,
    counts: column.countStrings(bitmap),
  }));
  const spelled =
    spelling === candidates
      ? counted
      : onColumns(reader, fieldId, spelling, (column, bitmap) => ({ counts: column.countStrings(bitmap) }));
  const sources = counted.map((source, i): TextSource => ({ ...source, spelling: spelled[i]?.counts ?? source.counts }));
  const heads = sources.map((source) => nextText(source, 0));
  const [only] = sources;
  if (sources.length === 1 && only) {
    const end = only.column.header.normalizedCount;
    for (let ordinal = nextText(only, 0); ordinal < end; ordinal = nextText(only, ordinal + 1)) {
      const count = only.counts.documents(ordinal);
      if (count > 0) yield { count, parts: [{ source: only, ordinal }] };
    }
    return;
  }
  for (;;) {
    let text: FacetText | null = null;
    let smallest: Uint8Array = new Uint8Array();
    for (const [i, source] of sources.entries()) {
      const ordinal = heads[i] as number;
      if (ordinal >= source.column.header.normalizedCount) continue;
      const bytes = source.column.normalizedBytes(ordinal);
      const order: number = text === null ? -1 : compareBytes(bytes, smallest);
      if (order > 0) continue;
      const count = source.counts.documents(ordinal);
      if (order === 0 && text) {
        text.count += count;
        text.parts.push({ source, ordinal });
      } else {
        text = { count, parts: [{ source, ordinal }] };
        smallest = bytes;
      }
    }
    if (text === null) return;
    for (const { source, ordinal } of text.parts) heads[sources.indexOf(source)] = nextText(source, ordinal + 1);
    if (text.count > 0) yield text;
  }
}

function nextText({ column, spelling }: TextSource, from: number): number {
  const { normalizedCount } = column.header;
  let ordinal = from;
  while (ordinal < normalizedCount && spelling.documents(ordinal) === 0) ordinal++;
  return ordinal;
}

export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const order = (left[i] as number) - (right[i] as number);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** How a text is written in the document with the lowest internal id that lends its spelling. */
export function spellingOf({ parts }: FacetText): string {
  let lowest = Number.POSITIVE_INFINITY;
  let original = '';
  for (const { source, ordinal } of parts) {
    const { segment, column, spelling } = source;
    if (spelling.documents(ordinal) === 0) continue;
    const { instance, view } = segment;
    const id = instance.exports.documentId(view, spelling.first(ordinal));
    if (id >= lowest) continue;
    lowest = id;
    original = column.original(spelling.original(ordinal));
  }
  return original;
}

/** The best values of many by count, greatest first, then by the order of {@link offer}, latest first: for values offered ascending. */
export class MostFrequent<T extends { count: number }> {
  /** Descending. */
  readonly best: T[] = [];

  constructor(private readonly limit: number) {}

  offer(item: T): void {
    const { best, limit } = this;
    if (limit === 0 || (best.length === limit && (best[limit - 1] as T).count > item.count)) return;
    let low = 0;
    let high = best.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((best[middle] as T).count <= item.count) high = middle;
      else low = middle + 1;
    }
    best.splice(low, 0, item);
    if (best.length > limit) best.pop();
  }
}
