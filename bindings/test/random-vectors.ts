import { hasMember } from '../engine/bitmaps.js';
import type { IndexReader } from '../engine/segments.js';
import type { DocumentVectors } from '../engine/vectors.js';
import type { SeededRandom } from './random.js';
import { naiveBinarySimilarity, naiveSimilarity, randomValues, type VectorDocument } from './vector-case.js';

export const FIRST = 3;
export const SECOND = 8;
/** f32 sums of hundreds of components in another order. */
export const CLOSE = 2e-6;

export function entry(
  embedder: number,
  dimensions: number,
  values: Float32Array,
  more: Partial<DocumentVectors> = {},
): DocumentVectors {
  return { embedder, dimensions, binaryQuantized: false, values, ordinals: null, userProvided: true, regenerate: false, ...more };
}

export interface Form {
  dimensions: number;
  binaryQuantized: boolean;
  most: number;
  fragments: boolean;
}

export function randomDocuments(random: SeededRandom, count: number, first: Form, second: Form): VectorDocument[] {
  let internalId = 0;
  const dense = random.int(2) === 0;
  return Array.from({ length: count }, () => {
    internalId += 1 + (dense ? 0 : random.int(5));
    const vectors: DocumentVectors[] = [];
    for (const [embedder, { dimensions, binaryQuantized, most, fragments }] of [
      [FIRST, first],
      [SECOND, second],
    ] as const) {
      if (!dense && random.int(6) === 0) continue;
      const several = dense ? most : random.int(most + 1);
      const values = randomValues(random, several * dimensions);
      const ordinals = fragments ? Array.from({ length: several }, (_, i) => 2 * i + random.int(2)) : null;
      const state = { userProvided: random.int(2) === 0, regenerate: random.int(2) === 0 };
      vectors.push(entry(embedder, dimensions, values, { binaryQuantized, ordinals, ...state }));
    }
    return { internalId, vectors };
  });
}

export const vectorsFrom = (document: VectorDocument, embedder: number) =>
  document.vectors.find((each) => each.embedder === embedder);

/** Similarity of a document with a query, or null without a vector that counts. */
export function similarityOf(document: VectorDocument, embedder: number, query: Float32Array, ordinal?: number): number | null {
  const own = vectorsFrom(document, embedder);
  if (!own) return null;
  const similarity = own.binaryQuantized ? naiveBinarySimilarity : naiveSimilarity;
  let best: number | null = null;
  for (let i = 0; i * own.dimensions < own.values.length; i++) {
    if (ordinal !== undefined && (own.ordinals?.[i] ?? i) !== ordinal) continue;
    const vector = own.values.subarray(i * own.dimensions, (i + 1) * own.dimensions);
    best = Math.max(best ?? 0, similarity(query, vector));
  }
  return best;
}

export function membersOf(reader: IndexReader, bitmap: number): number[] {
  const ids: number[] = [];
  for (const { base, ref } of reader.segments) {
    for (let slot = base; slot < base + ref.docCount; slot++) {
      if (hasMember(reader.instance, bitmap, slot)) ids.push(reader.internalId(slot));
    }
  }
  return ids.sort((a, b) => a - b);
}

/** Vectors around a few centres, in the order of their centres or mingled: what embeddings of texts are like. */
export function clusteredDocuments(random: SeededRandom, count: number, dimensions: number, mingled: boolean): VectorDocument[] {
  const centres = Array.from({ length: 40 }, () => randomValues(random, dimensions));
  return Array.from({ length: count }, (_, internalId) => {
    const centre = centres[mingled ? random.int(40) : Math.floor((internalId * 40) / count)] as Float32Array;
    const noise = randomValues(random, dimensions);
    return {
      internalId,
      vectors: [
        entry(
          FIRST,
          dimensions,
          centre.map((value, i) => value + 0.7 * (noise[i] as number)),
        ),
      ],
    };
  });
}

/** What tests of graphs build. */
export const WITH_GRAPHS = { scanBytes: 0, withoutCodes: true };
