import { dottedParents } from './selection.js';

/** A list of dotted paths, asked which of them are related to a path: the path itself, what it lies in, and what lies in it. */
export class RelatedPaths {
  /** Place of the first entry that is a path, and of the first that lies in it. */
  readonly #places = new Map<string, number>();
  readonly #inner = new Map<string, number>();

  constructor(paths: Iterable<string>) {
    let place = 0;
    for (const path of paths) {
      setFirst(this.#places, path, place);
      for (const parent of dottedParents(path)) setFirst(this.#inner, parent, place);
      place++;
    }
  }

  /** Place of the first entry that is related to a path; -1: none is. */
  first(path: string): number {
    let first = Math.min(this.#places.get(path) ?? Number.POSITIVE_INFINITY, this.#inner.get(path) ?? Number.POSITIVE_INFINITY);
    for (const parent of dottedParents(path)) first = Math.min(first, this.#places.get(parent) ?? Number.POSITIVE_INFINITY);
    return first === Number.POSITIVE_INFINITY ? -1 : first;
  }
}

function setFirst(places: Map<string, number>, path: string, place: number): void {
  if (!places.has(path)) places.set(path, place);
}
