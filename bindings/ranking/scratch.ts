import type { EngineInstance } from '../engine/instance.js';

/** A state of the scratch memory. */
export interface ScratchMark {
  arena: number;
  /** Results that were there. */
  results: number;
}

/** Scratch memory of one query: results that are made when first asked for, and may be released with all that came after. */
export class Scratch {
  readonly #made = new Map<string, number>();
  /** Keys of the results in the order in which they were made. */
  readonly #keys: string[] = [];
  #numbers = 0;

  constructor(readonly instance: EngineInstance) {}

  /**
   * A number that no other caller has, for keys: small ones are the same texts in every query. V8 keeps the texts of numbers that it
   * made, so that ever new ones outlive two collections and become garbage for the great one.
   */
  number(): number {
    return ++this.#numbers;
  }

  /** Address of a result in scratch. */
  cached(key: string, make: () => number): number {
    let pointer = this.#made.get(key);
    if (pointer === undefined) {
      pointer = make();
      this.#made.set(key, pointer);
      this.#keys.push(key);
    }
    return pointer;
  }

  mark(): ScratchMark {
    return { arena: this.instance.exports.arenaMark(), results: this.#keys.length };
  }

  /** Releases what was reserved since a mark; results made since are forgotten. */
  release(mark: ScratchMark): void {
    while (this.#keys.length > mark.results) this.#made.delete(this.#keys.pop() as string);
    this.instance.exports.arenaReset(mark.arena);
  }
}
