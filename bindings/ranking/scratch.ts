import type { EngineInstance } from '../engine/instance.js';

/** Scratch memory of one query: results that are made when first asked for, and may be released with all that came after. */
export class Scratch {
  readonly #made = new Map<string, number>();

  constructor(readonly instance: EngineInstance) {}

  /** Address of a result in scratch. */
  cached(key: string, make: () => number): number {
    let pointer = this.#made.get(key);
    if (pointer === undefined) {
      pointer = make();
      this.#made.set(key, pointer);
    }
    return pointer;
  }

  mark(): number {
    return this.instance.call('arenaMark') >>> 0;
  }

  /** Releases what was reserved since a mark; results made since are forgotten. */
  release(mark: number): void {
    for (const [key, pointer] of this.#made) if (pointer >= mark) this.#made.delete(key);
    this.instance.call('arenaReset', mark);
  }
}
