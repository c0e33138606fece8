import { ANY_ORDINAL, Scored, VectorMatches, VectorQuery } from './exports.js';
import { internalIdOf } from './segment-arrays.js';
import { type SegmentVectors, vectorsIn } from './segment-vectors.js';
import type { IndexReader } from './segments.js';

export interface Neighbour {
  /** Slot of the document: see {@link IndexReader}. */
  slot: number;
  /** (1 + cos) / 2 as f32, for the nearest of the document's vectors; for binary vectors the share of equal bits. */
  similarity: number;
}

export interface Neighbours {
  /** Documents by descending similarity, ties by ascending internal id. */
  found: Neighbour[];
  /** False: the time was up, and nearer documents may be missing. */
  complete: boolean;
}

export interface NearestOptions {
  /** Compares only vectors with this ordinal. */
  ordinal?: number;
  /** Deadline on the engine's clock; absent: none. */
  deadline?: number;
}

/**
 * The `k` documents of a bitmap over the slots of the reader that are nearest to a vector, from all segments. The bitmap must not
 * contain deleted documents. Documents without a vector of the embedder are left out.
 */
export function nearest(
  reader: IndexReader,
  embedder: number,
  vector: Float32Array,
  k: number,
  allowed: number,
  options: NearestOptions = {},
): Neighbours {
  const all: IdentifiedNeighbour[] = [];
  let complete = true;
  if (k > 0) {
    for (const vectors of largestFirst(reader, embedder, vector.length)) {
      const { segment } = vectors;
      segment.instance.segments = reader.segments;
      reader.onSegment(segment, allowed, (_, bitmap) => {
        const least = all.length < k ? FARTHEST : (all[k - 1] as Neighbour).similarity;
        if (!searchSegment(vectors, vector, Math.min(k, segment.ref.docCount), bitmap, least, options, all)) complete = false;
      });
      all.sort((a, b) => b.similarity - a.similarity || a.id - b.id);
    }
  }
  return { found: all.slice(0, k).map(({ slot, similarity }) => ({ slot, similarity })), complete };
}

/** Nothing has a lesser similarity. */
const FARTHEST = 0;

/** What the segments have of an embedder, most vectors first: what these find need not be looked for in the others. */
function largestFirst(reader: IndexReader, embedder: number, dimensions: number): SegmentVectors[] {
  const found = reader.segments.flatMap((segment) => vectorsIn(segment, embedder) ?? []);
  return found.filter((vectors) => vectors.dimensions === dimensions).sort((a, b) => b.fields.vectorCount - a.fields.vectorCount);
}

type IdentifiedNeighbour = Neighbour & { id: number };

/** Adds the best documents of a segment to `all`. False: the time was up before all were compared. */
function searchSegment(
  { segment, embedder }: SegmentVectors,
  vector: Float32Array,
  wanted: number,
  allowed: number,
  least: number,
  { ordinal = ANY_ORDINAL, deadline = Number.POSITIVE_INFINITY }: NearestOptions,
  all: IdentifiedNeighbour[],
): boolean {
  const { instance, view, id, base } = segment;
  return instance.scoped(() => {
    const at = instance.put(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
    const query = { deadline, view, segment: id, embedder, vector: at, wanted, allowed, ordinal, least };
    const matches = instance.exports.nearestVectors(instance.putStructures(VectorQuery, [query]));
    const { list, count, isCut } = instance.read(VectorMatches, matches);
    for (let i = 0; i < count; i++) {
      const { document, similarity } = instance.read(Scored, list + i * Scored.bytes);
      all.push({ slot: base + document, similarity, id: internalIdOf(segment, document) });
    }
    return !isCut;
  });
}
