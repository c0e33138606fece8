import type { Distribution } from '../../index-types.js';

/** The vector that documents are compared with. */
export interface VectorTarget {
  /** Number of the embedder. */
  embedder: number;
  vector: Float32Array;
  /** Distribution of the model's similarities; null: not adjusted. */
  distribution: Distribution | null;
}

/**
 * Similarity of documents that adjusting would push to 0 or below: the f32 epsilon, 2^-23, so that they still rank above
 * documents without a vector.
 */
const MIN_SIMILARITY = 1.1920929e-7;

/** A similarity shifted so that the mean of the distribution becomes 0.5; computed in f32. */
export function shifted(similarity: number, distribution: Distribution | null): number {
  if (distribution === null) return similarity;
  const f = Math.fround;
  const factor = f(f(0.4) / f(distribution.sigma));
  const offset = f(f(0.5) - f(factor * f(distribution.mean)));
  const moved = f(f(factor * f(similarity)) + offset);
  return moved <= 0 ? f(MIN_SIMILARITY) : Math.min(moved, 1);
}
