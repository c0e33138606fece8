import { membersOf, removeMember } from '../engine/bitmaps.js';
import { columnValues } from '../engine/column-values.js';
import type { IndexReader } from '../engine/segments.js';
import type { FilterText } from '../query/filter-ast.js';
import { evaluateFilter } from '../query/filter-evaluate.js';

/** The values of hits that are shown, of which each is to be shown once. */
export class ShownValues {
  readonly #values = new Set<number | string>();

  /** Adds the values of a hit that is shown in any case. */
  add(values: readonly (number | string)[]): void {
    for (const value of values) this.#values.add(value);
  }

  /** Adds the values of a hit. False: another hit has one of them. */
  take(values: readonly (number | string)[]): boolean {
    if (values.some((value) => this.#values.has(value))) return false;
    this.add(values);
    return true;
  }

  has(values: readonly (number | string)[]): boolean {
    return values.some((value) => this.#values.has(value));
  }

  all(): string[] {
    return [...this.#values].map(String);
  }
}

/** Removes documents that share a value with one of some others from a bitmap, these too. */
export function removeDuplicates(reader: IndexReader, path: string, slots: readonly number[], bitmap: number): void {
  const { instance, bitmapBytes } = reader;
  const shown = new ShownValues();
  for (const slot of slots) shown.add(columnValues(reader, path, slot));
  const names = shown.all().map(filterText);
  if (names.length === 0) return;
  // Filters treat the number 3 and the text 3 as equal.
  const alike = evaluateFilter(reader, { kind: 'field', field: filterText(path), operator: 'IN', values: names });
  reader.intersect(alike, bitmap);
  for (const slot of membersOf(instance, alike, bitmapBytes, reader.count(alike))) {
    if (shown.has(columnValues(reader, path, slot))) removeMember(instance, bitmap, slot);
  }
}

/** A name or value that does not come from a request. */
function filterText(text: string): FilterText {
  return { text, source: text, start: 0, end: text.length, quoted: true };
}
