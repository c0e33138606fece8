/** A model that runs in this process, on the model thread. */
export interface LocalModel {
  dimensions: number;
  /** Whether embedding a text takes no longer than caching its vector would. */
  isFast: boolean;
  /** The vectors of the texts, concatenated: `texts.length * dimensions` numbers, each vector of length 1. */
  embed(texts: readonly string[]): Float32Array | Promise<Float32Array>;
}

/** How token vectors are combined into the vector of a text. */
export type Pooling = 'useModel' | 'forceMean' | 'forceCls';

/** A model that cannot be used, with a message for the operator. */
export class LocalModelError extends Error {}

/** Scales each vector in `values` to length 1; zero vectors stay as they are. */
export function normalize(values: Float32Array, dimensions: number): void {
  for (let at = 0; at < values.length; at += dimensions) {
    let sum = 0;
    for (let i = at; i < at + dimensions; i++) sum += (values[i] as number) ** 2;
    if (sum === 0) continue;
    const scale = 1 / Math.sqrt(sum);
    for (let i = at; i < at + dimensions; i++) values[i] = (values[i] as number) * scale;
  }
}
