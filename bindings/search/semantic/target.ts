import type { Distribution } from '../../index-types.js';

/** What documents are compared with. */
export interface VectorTarget {
  /** Number of the embedder. */
  embedder: number;
  vector: Float32Array;
  /** How similarities of the model lie; null: as they are. */
  distribution: Distribution | null;
}

/** Above what no vector has: 2^-23. */
const MIN_SIMILARITY = 1.1920929e-7;

/** A similarity moved so that the mean of the distribution becomes 0.5; in 32-bit floats. */
export function shifted(similarity: number, distribution: Distribution | null): number {
  if (distribution === null) return similarity;
  const f = Math.fround;
  const factor = f(f(0.4) / f(distribution.sigma));
  const offset = f(f(0.5) - f(factor * f(distribution.mean)));
  const moved = f(f(factor * f(similarity)) + offset);
  return moved <= 0 ? f(MIN_SIMILARITY) : Math.min(moved, 1);
}
