import { type SharedColumn, u32Column } from '../../../runtime/number-columns.js';
import type { StoredLocation } from '../documents/stored-documents.js';

/** Most documents of a run of neighbours: documents that follow each other in their payload and by id. */
export const MAX_NEIGHBOURS = 1024;

/** {@link FreshDocuments} in a form that other threads can read. */
export interface SharedFreshDocuments {
  ids: SharedColumn;
  places: SharedColumn;
  takenSegments: SharedColumn;
  takenLocals: SharedColumn;
}

/** Documents [from, to) by their position in id order. */
export interface DocumentRange {
  from: number;
  to: number;
}

/** Places from here on are those of documents that the batch does not change, but takes from their segments. */
const TAKEN = 2 ** 31;

/** The documents that a batch builds, by their internal ids. */
export class FreshDocuments {
  readonly #ids;
  readonly #places;
  /** Where each taken document is stored */
  readonly #takenSegments;
  readonly #takenLocals;
  #ascending = true;

  constructor(shared?: SharedFreshDocuments) {
    this.#ids = u32Column(shared?.ids);
    this.#places = u32Column(shared?.places);
    this.#takenSegments = u32Column(shared?.takenSegments);
    this.#takenLocals = u32Column(shared?.takenLocals);
  }

  get count(): number {
    return this.#ids.length;
  }

  /** @param place position among the documents of the batch */
  push(internalId: number, place: number): void {
    if (this.count > 0 && internalId < this.#ids.get(this.count - 1)) this.#ascending = false;
    this.#ids.push(internalId);
    this.#places.push(place);
  }

  /** Adds a document that is built again as it is stored. */
  take({ segment, local, internalId }: StoredLocation): void {
    this.push(internalId, TAKEN + this.#takenLocals.length);
    this.#takenSegments.push(segment);
    this.#takenLocals.push(local);
  }

  /** Where a document is stored that is taken, by its number; null: it is one that the batch adds or changes. */
  taken(index: number): StoredLocation | null {
    this.#sort();
    const number = this.#places.get(index) - TAKEN;
    if (number < 0) return null;
    return {
      segment: this.#takenSegments.get(number),
      local: this.#takenLocals.get(number),
      internalId: this.#ids.get(index),
    };
  }

  /** By ascending internal id, numbered from 0. */
  *inOrder(
    { from, to }: DocumentRange = { from: 0, to: this.count },
  ): Generator<[index: number, [internalId: number, place: number]]> {
    this.#sort();
    for (let index = from; index < to; index++) yield [index, [this.#ids.get(index), this.#places.get(index)]];
  }

  /** Internal ids of documents by their numbers. */
  ids(from: number, to: number): Uint32Array {
    this.#sort();
    return this.#ids.slice(from, to);
  }

  /** The place of a document, and how many documents from it on have consecutive places. @param before where to stop */
  neighbours(from: number, before: number): { place: number; count: number } {
    this.#sort();
    const place = this.#places.get(from);
    let count = 1;
    while (from + count < before && this.#places.get(from + count) === place + count) count++;
    return { place, count };
  }

  /** Splits the documents into at most `most` contiguous ranges of similar weight, each but the last at least `least` heavy. */
  ranges(most: number, least: number, weight: (place: number, index: number) => number): DocumentRange[] {
    this.#sort();
    let total = 0;
    for (let index = 0; index < this.count; index++) total += weight(this.#places.get(index), index);
    const parts = Math.max(1, Math.min(most, Math.floor(total / least)));
    const ranges: DocumentRange[] = [];
    let [from, sum] = [0, 0];
    for (let index = 0; index < this.count; index++) {
      sum += weight(this.#places.get(index), index);
      if (sum * parts < total * (ranges.length + 1) || ranges.length === parts - 1) continue;
      ranges.push({ from, to: index + 1 });
      from = index + 1;
    }
    if (from < this.count) ranges.push({ from, to: this.count });
    return ranges;
  }

  share(): SharedFreshDocuments {
    this.#sort();
    return {
      ids: this.#ids.share(),
      places: this.#places.share(),
      takenSegments: this.#takenSegments.share(),
      takenLocals: this.#takenLocals.share(),
    };
  }

  /** Of memory. */
  get bytes(): number {
    return this.#ids.bytes + this.#places.bytes + this.#takenSegments.bytes + this.#takenLocals.bytes;
  }

  #sort(): void {
    if (this.#ascending) return;
    const order = Uint32Array.from({ length: this.count }, (_, index) => index);
    const ids = this.#ids.slice(0, this.count).slice();
    const places = this.#places.slice(0, this.count).slice();
    order.sort((a, b) => (ids[a] as number) - (ids[b] as number));
    for (let index = 0; index < order.length; index++) {
      this.#ids.set(index, ids[order[index] as number] as number);
      this.#places.set(index, places[order[index] as number] as number);
    }
    this.#ascending = true;
  }
}
