import { removeMember } from '../../engine/bitmaps.js';
import { distinctValues } from '../../engine/columns.js';
import type { IndexReader } from '../../engine/segments.js';
import { sortedDocuments } from '../../ranking/sorted-documents.js';

/** Keeps one document per value of a field. */
export class DistinctValues {
  readonly #taken = new Set<number | string>();
  readonly #holders = new Map<number | string, number[]>();
  readonly #values: (slot: number) => readonly (number | string)[];

  constructor(
    private readonly reader: IndexReader,
    path: string,
    universe: number,
  ) {
    this.#values = valuesOf(reader, path);
    for (const slot of inOrder(reader, universe)) {
      for (const value of this.#values(slot)) {
        const holders = this.#holders.get(value);
        if (holders) holders.push(slot);
        else this.#holders.set(value, [slot]);
      }
    }
  }

  /** Keeps a document unless one with the same value was kept before; others with its values are removed from `counted`. */
  take(slot: number, counted: number): boolean {
    const values = this.#values(slot);
    if (values.some((value) => this.#taken.has(value))) return false;
    for (const value of values) {
      this.#taken.add(value);
      for (const other of this.#holders.get(value) ?? []) if (other !== slot) removeMember(this.reader.instance, counted, other);
    }
    return true;
  }
}

/** The values of a document that make it a duplicate of another. */
export function valuesOf(reader: IndexReader, path: string): (slot: number) => readonly (number | string)[] {
  const field = reader.fieldId(path);
  return field < 0 ? () => [] : (slot) => distinctValues(reader, field, slot);
}

/** The documents of a bitmap in internal order. */
export function inOrder(reader: IndexReader, bitmap: number): number[] {
  const count = reader.count(bitmap);
  return count === 0 ? [] : sortedDocuments(reader, bitmap, [], count).map(({ slot }) => slot);
}
