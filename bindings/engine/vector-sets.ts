import { type SegmentVectors, type VectorState, vectorsIn } from './segment-vectors.js';
import { bytesOfDocs, type IndexReader } from './segments.js';

/** Bitmaps of documents by their vectors. */

/** Adds the documents in a state of an embedder to a bitmap over the slots of the reader, including deleted ones. */
export function addDocumentsInState(reader: IndexReader, embedder: number, state: VectorState, bitmap: number): void {
  forEmbedder(reader, embedder, bitmap, (vectors, target) => {
    vectors.instance.exports.bitmapOr(target, vectors.bitmap(state), bytesOfDocs(vectors.segment.ref.docCount));
  });
}

/** Adds the documents that have a vector with an ordinal to a bitmap over the slots of the reader, including deleted ones. */
export function addDocumentsWithOrdinal(reader: IndexReader, embedder: number, ordinal: number, bitmap: number): void {
  forEmbedder(reader, embedder, bitmap, ({ instance, header }, target) => {
    instance.exports.ordinalInto(header, ordinal, target);
  });
}

/** Number of stored vectors of an embedder, and of documents that have some, including deleted documents. */
export function vectorCounts(reader: IndexReader, embedder: number): { vectors: number; documents: number } {
  const counts = { vectors: 0, documents: 0 };
  for (const segment of reader.segments) {
    const found = vectorsIn(segment, embedder);
    if (!found) continue;
    counts.vectors += found.fields.vectorCount;
    counts.documents += found.fields.embeddedCount;
  }
  return counts;
}

function forEmbedder(
  reader: IndexReader,
  embedder: number,
  bitmap: number,
  job: (vectors: SegmentVectors, target: number) => void,
): void {
  for (const segment of reader.segments) {
    const vectors = vectorsIn(segment, embedder);
    if (vectors) reader.onSegment(segment, bitmap, (_, target) => job(vectors, target));
  }
}
