/** A model that runs in this process, on the thread of models. */
export interface LocalModel {
  dimensions: number;
  /** A text takes it no longer than keeping its vector would. */
  isFast: boolean;
  /** The vectors of the texts, one after the other: `texts.length * dimensions` numbers, each vector of length 1. */
  embed(texts: readonly string[]): Float32Array | Promise<Float32Array>;
}

/** How the vectors of tokens become that of a text. */
export type Pooling = 'useModel' | 'forceMean' | 'forceCls';

/** A model that cannot be used, in words for whoever chose it. */
export class LocalModelError extends Error {}

/** Gives the vectors in `values` the length 1; those without any length stay. */
export function normalize(values: Float32Array, dimensions: number): void {
  for (let at = 0; at < values.length; at += dimensions) {
    let sum = 0;
    for (let i = at; i < at + dimensions; i++) sum += (values[i] as number) ** 2;
    if (sum === 0) continue;
    const scale = 1 / Math.sqrt(sum);
    for (let i = at; i < at + dimensions; i++) values[i] = (values[i] as number) * scale;
  }
}
