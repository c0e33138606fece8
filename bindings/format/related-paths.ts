import { dottedParents } from './selection.js';

/**
 * A list of dotted paths that can be searched for paths related to a given one: equal to it, containing it, or contained in it.
 */
export class RelatedPaths {
  /** By path: position of the first entry that equals it or is nested in it. */
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

  /** Position of the first related entry; -1 when there is none. */
  first(path: string): number {
    let first = Math.min(this.#places.get(path) ?? Number.POSITIVE_INFINITY, this.#inner.get(path) ?? Number.POSITIVE_INFINITY);
    for (const parent of dottedParents(path)) first = Math.min(first, this.#places.get(parent) ?? Number.POSITIVE_INFINITY);
    return first === Number.POSITIVE_INFINITY ? -1 : first;
  }
}

function setFirst(places: Map<string, number>, path: string, place: number): void {
  if (!places.has(path)) places.set(path, place);
}
