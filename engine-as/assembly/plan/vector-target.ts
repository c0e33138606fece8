/** The vector that documents are compared with. */
@unmanaged
export class VectorTarget {
  /** Deadline on the host's clock, after which nothing is compared. */
  deadline: f64;
  /** Number of the embedder. */
  embedder: u32;
  /** f32[dimensions] */
  vector: usize;
  dimensions: u32;
  /** Distribution of the model's similarities; a deviation of 0: they are shown as they are. */
  mean: f32;
  deviation: f32;
}

/**
 * Similarity of documents that adjusting would push to 0 or below: the epsilon of f32, so that they still rank above documents
 * without a vector.
 */
const MIN_SIMILARITY: f32 = f32.EPSILON;

/** A similarity shifted so that the mean of the model's distribution becomes 0.5. */
export function shownSimilarity(target: VectorTarget, similarity: f32): f32 {
  if (target.deviation === 0) return similarity;
  // A tiny deviation would make it infinite, and similarities no numbers: a ranking by these would never end.
  const factor = min<f32>(<f32>0.4 / target.deviation, f32.MAX_VALUE);
  const offset: f32 = <f32>0.5 - factor * target.mean;
  const moved: f32 = factor * similarity + offset;
  return moved > 0 ? min<f32>(moved, 1) : MIN_SIMILARITY;
}
