import { cosine } from '../cosine.js';
import type { Distribution } from '../index-types.js';
import { ANY_ORDINAL, Neighbour, type NeighbourFields, Neighbours, VectorTarget } from './exports.js';
import type { EngineInstance } from './instance.js';
import type { IndexReader } from './segments.js';
import { vectorsOfDocument } from './vectors.js';

/** The vector that documents are compared with. */
export interface Target {
  /** Number of the embedder. */
  embedder: number;
  vector: Float32Array;
  /** Distribution of the model's similarities; null: not adjusted. */
  distribution: Distribution | null;
}

export interface NearestOptions {
  /** Compares only vectors with this ordinal. */
  ordinal?: number;
  /** Deadline on the engine's clock; absent: none. */
  deadline?: number;
}

export interface Nearest {
  found: NeighbourFields[];
  /** False: the time was up, and nearer documents may be missing. */
  complete: boolean;
  /** Segments whose graph was walked; the others were scanned. */
  walked: number;
}

/**
 * The `k` documents of a bitmap over the slots of the reader that are nearest to a vector, from all segments, by descending similarity;
 * ties by ascending internal id. The bitmap must not contain deleted documents. Documents without a vector of the embedder are left out.
 */
export function nearest(
  reader: IndexReader,
  target: Target,
  k: number,
  allowed: number,
  { ordinal = ANY_ORDINAL, deadline = Number.POSITIVE_INFINITY }: NearestOptions = {},
): Nearest {
  const { instance } = reader;
  return instance.scoped(() => {
    const at = putTarget(instance, target, deadline);
    const written = instance.exports.nearestDocuments(reader.inPlan(), at, allowed, k, ordinal);
    const { list, count, isTimedOut, walked } = instance.read(Neighbours, written);
    const found = Array.from({ length: count }, (_, place) => instance.read(Neighbour, list + place * Neighbour.bytes));
    return { found, complete: !isTimedOut, walked };
  });
}

/** Of the vectors of a document the one that is nearest to a target, the first of equal ones; null: it has none. */
export function nearestOfDocument(reader: IndexReader, slot: number, { embedder, vector }: Target): Float32Array | null {
  const [stored] = vectorsOfDocument(reader, slot, [embedder]);
  if (!stored) return null;
  const { values, dimensions, binaryQuantized } = stored;
  const similarity = binaryQuantized ? equalSigns : cosine;
  let nearest: Float32Array | null = null;
  let most = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < values.length; at += dimensions) {
    const own = values.subarray(at, at + dimensions);
    const found = similarity(own, vector);
    if (found <= most) continue;
    most = found;
    nearest = own;
  }
  return nearest;
}

function equalSigns(one: Float32Array, other: Float32Array): number {
  let equal = 0;
  for (let i = 0; i < one.length; i++) if ((one[i] as number) > 0 === (other[i] as number) > 0) equal++;
  return equal;
}

/** Writes a target into scratch memory. */
export function putTarget(instance: EngineInstance, { embedder, vector, distribution }: Target, deadline: number): VectorTarget {
  const at = instance.put(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
  const { mean, sigma: deviation } = distribution ?? { mean: 0, sigma: 0 };
  const target = { deadline, embedder, vector: at, dimensions: vector.length, mean, deviation };
  return instance.putStructures(VectorTarget, [target]);
}
