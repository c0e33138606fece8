import { mix } from './mix.js';
import type { VectorSet } from './sets.js';

/** Number of queries with exact answers, and of neighbours. */
const JUDGED_QUERIES = 100;
export const NEIGHBOURS = 10;
/** The same cosine summed in another order differs by less. */
const CLOSE = 1e-5;

/** Shares of the documents that filters allow. */
export const SHARES = [0.5, 0.1, 0.01, 0.001] as const;
/** Which documents a filter allows: random ones, mostly near the query, or mostly far from it. */
export const LEANINGS = { random: 0, correlated: 1, 'anti-correlated': -1 } as const;
export type Leaning = keyof typeof LEANINGS;

/** Recall of answers: their mean, and that of the worst query. */
export interface Recall {
  mean: number;
  worst: number;
}

/** The cosines of the judged queries with all vectors. */
export class Truth {
  readonly #cosines: Float32Array[];

  constructor(readonly set: VectorSet) {
    const { dimensions, count, vectors } = set;
    const queries = set.queries.slice(0, JUDGED_QUERIES);
    this.#cosines = queries.map(() => new Float32Array(count));
    for (let vector = 0; vector < count; vector++) {
      const values = vectors.subarray(vector * dimensions, (vector + 1) * dimensions);
      const norm = Math.sqrt(product(values, values));
      queries.forEach((query, i) => {
        (this.#cosines[i] as Float32Array)[vector] = product(values, query) / norm;
      });
    }
  }

  get queries(): number {
    return this.#cosines.length;
  }

  /** The documents that a filter allows for a query: a `share` of them, with the given correlation, half of it noise. */
  allowed(query: number, share: number, leaning: Leaning): Set<number> {
    const ranks = Float64Array.from(this.#cosines[query] as Float32Array, (cosine, vector) => {
      return LEANINGS[leaning] * cosine + (leaning === 'random' ? 1 : 0.05) * mix(vector);
    });
    const least = ranks
      .slice()
      .sort()
      .at(-Math.ceil(share * ranks.length)) as number;
    const documents = new Set<number>();
    ranks.forEach((rank, vector) => {
      if (rank >= least) documents.add(vector);
    });
    return documents;
  }

  /** `answers`: vectors found for each judged query. */
  recall(answers: readonly (readonly number[])[], allowed?: readonly Set<number>[]): Recall {
    const recalls = answers.map((found, query) => {
      const cosines = this.#cosines[query] as Float32Array;
      const all = allowed
        ? Float32Array.from(allowed[query] as Set<number>, (vector) => cosines[vector] as number)
        : cosines.slice();
      const best = all.sort().slice(-NEIGHBOURS);
      const least = (best[0] as number) - CLOSE;
      return found.filter((vector) => (cosines[vector] as number) >= least).length / best.length;
    });
    return { mean: recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length, worst: Math.min(...recalls) };
  }
}

/** Four independent sums are faster than one. Lengths are multiples of four. */
function product(left: Float32Array, right: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < left.length; i += 4) {
    a += (left[i] as number) * (right[i] as number);
    b += (left[i + 1] as number) * (right[i + 1] as number);
    c += (left[i + 2] as number) * (right[i + 2] as number);
    d += (left[i + 3] as number) * (right[i + 3] as number);
  }
  return a + b + (c + d);
}
