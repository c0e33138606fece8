import { hasMember } from './bitmaps.js';
import { embeddersOf, type SegmentVectors, vectorsIn } from './segment-vectors.js';
import type { IndexReader, OpenSegment } from './segments.js';

/** The vectors of one document for one embedder. */
export interface DocumentVectors {
  /** Number of the embedder in the settings of the index. */
  embedder: number;
  /** Components per vector; equal for all documents of the embedder, including those without vectors. */
  dimensions: number;
  /** Whether components are reduced to one bit each: 1 if greater than 0. Equal for all documents of the embedder. */
  binaryQuantized: boolean;
  /** Vectors of `dimensions` components, concatenated; empty: none. At most {@link MAX_VECTORS_PER_DOCUMENT}. */
  values: Float32Array;
  /** By vector, 0 to 255: number of its fragment; null: its position in the document. */
  ordinals: readonly number[] | null;
  /** The vectors were provided by the user, or the user wants none. */
  userProvided: boolean;
  /** New vectors are generated when the document changes. */
  regenerate: boolean;
  /**
   * Where {@link values} are stored, if they are: a segment built from them can start from the graph there, see {@link
   * largestGraphs}.
   */
  origin?: VectorOrigin;
}

/** Location of a document's vectors in a segment. */
export interface VectorOrigin {
  segment: number;
  /** Number of the first one among the embedder's vectors in the segment. */
  first: number;
}

/** Maximum number of vectors of one embedder per document. */
export const MAX_VECTORS_PER_DOCUMENT = 256;

const LARGEST_F32 = (2 - 2 ** -23) * 2 ** 127;

/** Components that were given as larger numbers than 32 bits can express become the largest ones: JSON has no infinity. */
export function finiteComponents(components: Float32Array): Float32Array {
  for (let at = 0; at < components.length; at++) {
    const value = components[at] as number;
    if (!Number.isFinite(value)) components[at] = Math.sign(value) * LARGEST_F32;
  }
  return components;
}

/** The vectors of the document in a slot, of the given embedders or of all. */
export function vectorsOfDocument(reader: IndexReader, slot: number, embedders?: readonly number[]): DocumentVectors[] {
  const segment = reader.segmentOf(slot);
  return storedVectors(segment, slot - segment.base, embedders);
}

/** The vectors of a document by its local number; see {@link DocumentVectors}. Binary vectors are returned as zeros and ones. */
export function storedVectors(
  segment: OpenSegment,
  local: number,
  embedders: readonly number[] = embeddersOf(segment),
): DocumentVectors[] {
  return embedders.flatMap((embedder) => {
    const vectors = vectorsIn(segment, embedder);
    return vectors ? [readVectors(vectors, local)] : [];
  });
}

/** The graph of an embedder's vectors in a segment. */
export interface StoredGraph {
  embedder: number;
  segment: number;
  /** A copy of its bytes. */
  read(): Uint8Array;
}

/** By embedder, the graph with most vectors: the starting point for a segment built from these segments. */
export function largestGraphs(segments: readonly OpenSegment[]): StoredGraph[] {
  const largest = new Map<number, SegmentVectors>();
  for (const segment of segments) {
    for (const embedder of embeddersOf(segment)) {
      const own = vectorsIn(segment, embedder) as SegmentVectors;
      const most = largest.get(embedder)?.fields.vectorCount ?? 0;
      if (own.hasGraph && own.fields.vectorCount > most) largest.set(embedder, own);
    }
  }
  return [...largest.values()].map((vectors) => ({
    embedder: vectors.embedder,
    segment: vectors.segment.ref.id,
    read: () => vectors.graph(),
  }));
}

function readVectors(vectors: SegmentVectors, local: number): DocumentVectors {
  const { instance, segment, embedder, dimensions, isBinary } = vectors;
  const first = vectors.start(local);
  const count = vectors.start(local + 1) - first;
  const ordinals = Array.from({ length: count }, (_, i) => vectors.ordinal(first + i));
  return {
    embedder,
    dimensions,
    binaryQuantized: isBinary,
    values: isBinary ? readBits(vectors, first, count) : vectors.values(first, count),
    ordinals: ordinals.every((ordinal, i) => ordinal === i) ? null : ordinals,
    userProvided: hasMember(instance, vectors.bitmap('userProvided'), local),
    regenerate: hasMember(instance, vectors.bitmap('regenerate'), local),
    origin: { segment: segment.ref.id, first },
  };
}

function readBits(vectors: SegmentVectors, first: number, count: number): Float32Array {
  const { instance, dimensions } = vectors;
  const values = new Float32Array(count * dimensions);
  for (let vector = 0; vector < count; vector++) {
    const bits = vectors.bits(first + vector);
    for (let i = 0; i < dimensions; i++) values[vector * dimensions + i] = hasMember(instance, bits, i) ? 1 : 0;
  }
  return values;
}
