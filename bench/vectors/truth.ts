import { mix } from './mix.js';
import type { VectorSet } from './sets.js';

/** Queries whose answers are worked out, and how many neighbours count. */
export const JUDGED_QUERIES = 100;
export const NEIGHBOURS = 10;
/** Estimates of the same cosine in other orders of summation differ by less. */
const CLOSE = 1e-5;

/** Shares of the documents that filters allow. */
export const SHARES = [0.5, 0.1, 0.01, 0.001] as const;
/** Which documents a filter allows: any, rather those near the query, or rather those far from it. */
export const LEANINGS = { random: 0, correlated: 1, 'anti-correlated': -1 } as const;
export type Leaning = keyof typeof LEANINGS;

/** Recall of answers: their mean, and that of the worst query. */
export interface Recall {
  mean: number;
  worst: number;
}

/** How near every vector is to each of the judged queries. */
export class Truth {
  readonly #cosines: Float32Array[];

  constructor(readonly set: VectorSet) {
    const norms = Float32Array.from({ length: set.count }, (_, vector) => Math.sqrt(product(set, vector, null)));
    this.#cosines = set.queries.slice(0, JUDGED_QUERIES).map((query) => {
      return Float32Array.from({ length: set.count }, (_, vector) => product(set, vector, query) / (norms[vector] as number));
    });
  }

  get queries(): number {
    return this.#cosines.length;
  }

  /** The documents that a filter allows for a query: `share` of them, lying as it leans, blurred by half. */
  allowed(query: number, share: number, leaning: Leaning): Set<number> {
    const cosines = this.#cosines[query] as Float32Array;
    const order = Array.from(cosines, (cosine, vector) => ({
      vector,
      rank: LEANINGS[leaning] * cosine + (leaning === 'random' ? 1 : 0.05) * mix(vector),
    }));
    order.sort((a, b) => b.rank - a.rank);
    return new Set(order.slice(0, Math.ceil(share * order.length)).map(({ vector }) => vector));
  }

  /** `answers`: vectors found for each judged query. */
  recall(answers: readonly (readonly number[])[], allowed?: readonly Set<number>[]): Recall {
    const recalls = answers.map((found, query) => {
      const cosines = this.#cosines[query] as Float32Array;
      const all = allowed ? Array.from(allowed[query] as Set<number>, (vector) => cosines[vector] as number) : [...cosines];
      const best = all.sort((a, b) => b - a).slice(0, NEIGHBOURS);
      const least = (best.at(-1) as number) - CLOSE;
      return found.filter((vector) => (cosines[vector] as number) >= least).length / best.length;
    });
    return { mean: recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length, worst: Math.min(...recalls) };
  }
}

function product({ vectors, dimensions }: VectorSet, vector: number, query: Float32Array | null): number {
  const at = vector * dimensions;
  let sum = 0;
  for (let i = 0; i < dimensions; i++) sum += (vectors[at + i] as number) * (query ? query[i] : vectors[at + i])!;
  return sum;
}
