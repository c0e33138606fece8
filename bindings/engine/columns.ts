/** Typed access to the columns of segments: the values of a field for filters, facets, sorting and distinct. */
import type { SegmentRef } from '../index-types.js';
import { COLUMN_SINGLE_NUMBER, COLUMN_SINGLE_STRING, ColumnHeader, type ColumnHeaderFields, NONE } from './exports.js';
import type { EngineInstance } from './instance.js';
import type { IndexReader, OpenSegment } from './segments.js';

/** The column of a field in one segment. Pointers passed to it are addresses in the memory of the segment's instance. */
export class Column {
  readonly header: ColumnHeaderFields;

  constructor(
    readonly instance: EngineInstance,
    /** Address of the ColumnHeader. */
    readonly pointer: number,
  ) {
    this.header = instance.read(ColumnHeader, pointer);
  }

  #word(offset: number, index: number): number {
    return this.instance.words[(this.pointer + offset) / Uint32Array.BYTES_PER_ELEMENT + index] as number;
  }

  number(ordinal: number): number {
    const at = this.pointer + this.header.numbersOffset + ordinal * Float64Array.BYTES_PER_ELEMENT;
    return this.instance.view.getFloat64(at, true);
  }

  #slice(startsOffset: number, bytesOffset: number, ordinal: number): [start: number, length: number] {
    const start = this.#word(startsOffset, ordinal);
    return [this.pointer + bytesOffset + start, this.#word(startsOffset, ordinal + 1) - start];
  }

  /** Normalised text by its ordinal. */
  normalized(ordinal: number): string {
    return this.instance.text(...this.#slice(this.header.normalizedOffset, this.header.normalizedBytesOffset, ordinal));
  }

  /** Ordinal of the normalised form of an original text. */
  normalizedOf(original: number): number {
    return this.#word(this.header.normalizedOfOffset, original);
  }

  /** Ordinals of a document's numbers, ascending. */
  numberOrdinals(local: number): number[] {
    const { flags, numberCount, numberDocsOffset, numberValuesOffset } = this.header;
    return numberCount === 0
      ? []
      : this.#ordinals((flags & COLUMN_SINGLE_NUMBER) !== 0, numberDocsOffset, numberValuesOffset, local);
  }

  /** Ordinals of a document's original texts, in the order of the document. */
  stringOrdinals(local: number): number[] {
    const { flags, stringCount, stringDocsOffset, stringValuesOffset } = this.header;
    return stringCount === 0
      ? []
      : this.#ordinals((flags & COLUMN_SINGLE_STRING) !== 0, stringDocsOffset, stringValuesOffset, local);
  }

  #ordinals(single: boolean, docsOffset: number, valuesOffset: number, local: number): number[] {
    const first = this.#word(docsOffset, local);
    if (single) return first === NONE ? [] : [first];
    const ordinals: number[] = [];
    for (let i = first, end = this.#word(docsOffset, local + 1); i < end; i++) ordinals.push(this.#word(valuesOffset, i));
    return ordinals;
  }

  /** Address of the bitmap of documents that have the field. */
  get exists(): number {
    return this.pointer + this.header.existsOffset;
  }
}

/**
 * Cache of columns between requests, keyed by segment reference. The key must not be an object created per request, because
 * WeakMap entries survive every minor garbage collection.
 */
const columns = new WeakMap<SegmentRef, Map<number, Column | null>>();

/** The column of a field (-1: unknown field) in a segment; null when no document of the segment has the field. */
export function columnOf({ ref, instance, view }: OpenSegment, fieldId: number): Column | null {
  if (fieldId < 0) return null;
  let known = columns.get(ref);
  if (!known) {
    known = new Map();
    columns.set(ref, known);
  }
  let column = known.get(fieldId);
  if (column === undefined || (column && column.instance !== instance)) {
    const pointer = instance.exports.columnOf(view, fieldId);
    column = pointer ? new Column(instance, pointer) : null;
    known.set(fieldId, column);
  }
  return column;
}

/** The values of a document: numbers, then normalised texts. */
export function distinctValues(reader: IndexReader, fieldId: number, slot: number): (number | string)[] {
  const segment = reader.segmentOf(slot);
  const column = columnOf(segment, fieldId);
  if (!column) return [];
  const local = slot - segment.base;
  const texts = column.stringOrdinals(local).map((original) => column.normalized(column.normalizedOf(original)));
  return [...column.numberOrdinals(local).map((ordinal) => column.number(ordinal)), ...texts];
}
