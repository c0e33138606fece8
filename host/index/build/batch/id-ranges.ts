import type { IdRange } from '../../record.js';

/** Allocates internal ids: the lowest free id first, then the one after the greatest in use. */
export class IdAllocator {
  readonly #free: IdRange[];
  #next: number;

  constructor(free: readonly IdRange[], next: number) {
    this.#free = free.map(([from, to]) => [from, to]);
    this.#next = next;
  }

  take(): number {
    const first = this.#free[0];
    if (!first) return this.#next++;
    const id = first[0]++;
    if (first[0] > first[1]) this.#free.shift();
    return id;
  }

  /** The free ranges and the next id after the ids in `released` (in any order) are freed. */
  after(released: number[]): { freeIds: IdRange[]; nextInternalId: number } {
    const singles = released.map((id): IdRange => [id, id]);
    const ascending = [...this.#free, ...singles].sort((a, b) => a[0] - b[0]);
    const freeIds: IdRange[] = [];
    for (const [from, to] of ascending) {
      const last = freeIds.at(-1);
      if (last && last[1] + 1 === from) last[1] = to;
      else freeIds.push([from, to]);
    }
    let nextInternalId = this.#next;
    const last = freeIds.at(-1);
    if (last && last[1] + 1 === nextInternalId) {
      nextInternalId = last[0];
      freeIds.pop();
    }
    return { freeIds, nextInternalId };
  }
}
