import { ANY_ORDINAL, GraphHeader, NONE, Scored } from './exports.js';
import type { EngineInstance } from './instance.js';
import { internalIdOf } from './segment-arrays.js';
import { bytesOfDocs, type IndexReader, type OpenSegment } from './segments.js';

/** What one embedder has of one document. */
export interface DocumentVectors {
  /** The number that the settings of the index gave the embedder. */
  embedder: number;
  /** Components of each vector; the same for all documents of the embedder, also of those that have no vector. */
  dimensions: number;
  /** Components are reduced to one bit each: 1 if greater than 0. The same for all documents of the embedder. */
  binaryQuantized: boolean;
  /** One vector after the other, `dimensions` each; empty: none. At most {@link MOST_VECTORS} of them. */
  values: Float32Array;
  /** Of each vector, 0 to 255: the number of its fragment; null: its position in the document. */
  ordinals: readonly number[] | null;
  /** The vectors are the user's, or the user wants none. */
  userProvided: boolean;
  /** Generated anew when the document changes. */
  regenerate: boolean;
  /** Where {@link values} are stored, if they are: a segment built with them can start from the graph there, see {@link largestGraphs}. */
  origin?: VectorOrigin;
}

/** The place of a document's vectors in a segment. */
export interface VectorOrigin {
  segment: number;
  /** Number of the first of them among the embedder's vectors in the segment. */
  first: number;
}

/** Vectors that one embedder may have of a document. */
export const MOST_VECTORS = 256;

export interface Neighbour {
  /** Where the document stands: see {@link IndexReader}. */
  slot: number;
  /** (1 + cos) / 2 in 32-bit floats, of the nearest of the document's vectors; for binary vectors the share of equal bits. */
  similarity: number;
}

export interface Neighbours {
  /** Documents by descending similarity, equals by ascending internal id. */
  found: Neighbour[];
  /** False: `expired` ended the search, and nearer documents may be missing. */
  complete: boolean;
}

export interface NearestOptions {
  /** Only vectors with this ordinal count. */
  ordinal?: number;
  /** Is the time of the search over? Asked from time to time. */
  expired?: () => boolean;
}

const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT;
/** Values that are read from the file at once. */
const CHUNK_BYTES = 1 << 18;
/** Documents of binary vectors that are compared between two looks at the time. */
const STRIDE_DOCUMENTS = 4096;
/** The same for vectors whose codes are scanned: a multiple of the vectors of a block. */
const STRIDE_VECTORS = 32768;

/** What a segment has of an embedder. */
interface SegmentVectors {
  segment: OpenSegment;
  instance: EngineInstance;
  /** Address of the VectorsHeader. */
  header: number;
  embedder: number;
  dimensions: number;
}

/**
 * The `k` documents of a bitmap over the slots of the reader (deleted documents must not be in it) that are nearest to a vector, out of
 * all segments. Documents without a vector of the embedder are left out.
 */
export function nearest(
  reader: IndexReader,
  embedder: number,
  vector: Float32Array,
  k: number,
  allowed: number,
  options: NearestOptions = {},
): Neighbours {
  const all: (Neighbour & { id: number })[] = [];
  let complete = true;
  if (k > 0) {
    for (const segment of reader.segments) {
      const vectors = vectorsIn(segment, embedder);
      if (!vectors || vectors.dimensions !== vector.length) continue;
      reader.onSegment(segment, allowed, (_, bitmap) => {
        if (!searchSegment(vectors, vector, Math.min(k, segment.ref.docCount), bitmap, options, all)) complete = false;
      });
    }
  }
  all.sort((a, b) => b.similarity - a.similarity || a.id - b.id);
  return { found: all.slice(0, k).map(({ slot, similarity }) => ({ slot, similarity })), complete };
}

/** Vectors of the document in a slot, of every embedder whose number is among those given, or of all. */
export function vectorsOfDocument(reader: IndexReader, slot: number, embedders?: readonly number[]): DocumentVectors[] {
  const segment = reader.segmentOf(slot);
  return storedVectors(segment, slot - segment.base, embedders);
}

/** The same of a document by its local number; see {@link DocumentVectors}. Binary vectors come as zeros and ones. */
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

/** Of each embedder the graph with most vectors: where a segment made of these is to start from. */
export function largestGraphs(segments: readonly OpenSegment[]): StoredGraph[] {
  const largest = new Map<number, SegmentVectors>();
  const count = (vectors: SegmentVectors | undefined) => (vectors ? vectors.instance.exports.vectorCount(vectors.header) : 0);
  for (const segment of segments) {
    for (const embedder of embeddersOf(segment)) {
      const own = vectorsIn(segment, embedder) as SegmentVectors;
      if (own.instance.exports.graphOf(own.header) === 0) continue;
      if (count(own) > count(largest.get(embedder))) largest.set(embedder, own);
    }
  }
  return [...largest.values()].map(({ embedder, segment, instance, header }) => ({
    embedder,
    segment: segment.ref.id,
    read: () => {
      const graph = instance.exports.graphOf(header);
      return instance.bytes.slice(graph, graph + instance.read(GraphHeader, graph).length);
    },
  }));
}

/** Which documents of a segment a bitmap of an embedder is about. */
export type VectorState = 'embedded' | 'userProvided' | 'regenerate';

const STATE_BITMAPS = {
  embedded: 'embeddedBitmap',
  userProvided: 'userProvidedBitmap',
  regenerate: 'regenerateBitmap',
} as const satisfies Record<VectorState, string>;

/** Adds the documents in a state with an embedder to a bitmap over the slots of the reader, deleted documents too. */
export function addDocumentsInState(reader: IndexReader, embedder: number, state: VectorState, bitmap: number): void {
  forEmbedder(reader, embedder, bitmap, ({ instance, header, segment }, target) => {
    const source = instance.exports[STATE_BITMAPS[state]](header);
    instance.exports.bitmapOr(target, source, bytesOfDocs(segment.ref.docCount));
  });
}

/** Adds the documents that have a vector with an ordinal to a bitmap over the slots of the reader, deleted documents too. */
export function addDocumentsWithOrdinal(reader: IndexReader, embedder: number, ordinal: number, bitmap: number): void {
  forEmbedder(reader, embedder, bitmap, ({ instance, header }, target) => {
    instance.exports.ordinalInto(header, ordinal, target);
  });
}

/** How many vectors of an embedder are stored, and how many documents have some; those of deleted documents are counted too. */
export function vectorCounts(reader: IndexReader, embedder: number): { vectors: number; documents: number } {
  const counts = { vectors: 0, documents: 0 };
  for (const segment of reader.segments) {
    const found = vectorsIn(segment, embedder);
    if (!found) continue;
    const { exports: engine } = found.instance;
    counts.vectors += engine.vectorCount(found.header);
    counts.documents += engine.bitmapCount(engine.embeddedBitmap(found.header), bytesOfDocs(segment.ref.docCount));
  }
  return counts;
}

/** Numbers of the embedders that a segment has vectors or states of, ascending. */
export function embeddersOf({ instance, view }: OpenSegment): number[] {
  const numbers: number[] = [];
  for (;;) {
    const number = instance.exports.embedderAt(view, numbers.length);
    if (number === NONE) return numbers;
    numbers.push(number);
  }
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

function vectorsIn(segment: OpenSegment, embedder: number): SegmentVectors | null {
  const { instance, view } = segment;
  const header = instance.exports.vectorsOf(view, embedder);
  if (header === 0) return null;
  return { segment, instance, header, embedder, dimensions: instance.exports.vectorDimensions(header) };
}

/** Adds the best of a segment to `all`. False: the time was over before that. */
function searchSegment(
  vectors: SegmentVectors,
  query: Float32Array,
  k: number,
  allowed: number,
  { ordinal = ANY_ORDINAL, expired }: NearestOptions,
  all: (Neighbour & { id: number })[],
): boolean {
  const { instance, header, segment } = vectors;
  return instance.scoped(() => {
    const at = instance.put(new Uint8Array(query.buffer, query.byteOffset, query.byteLength));
    const best = instance.exports.bestCreate(k);
    const search = instance.exports.vectorsAreBinary(header) ? scanBits : searchValues;
    const complete = search(vectors, { query: at, allowed, ordinal, best }, k, expired);
    const count = instance.exports.bestSort(best);
    const entries = instance.exports.bestEntries(best);
    for (let i = 0; i < count; i++) {
      const { document, similarity } = instance.read(Scored, entries + i * Scored.bytes);
      all.push({ slot: segment.base + document, similarity, id: internalIdOf(segment, document) });
    }
    return complete;
  });
}

interface Scan {
  query: number;
  allowed: number;
  ordinal: number;
  best: number;
}

type Expired = (() => boolean) | undefined;

function scanBits({ instance, header, segment }: SegmentVectors, scan: Scan, _k: number, expired: Expired): boolean {
  const { docCount } = segment.ref;
  for (let from = 0; from < docCount; from += STRIDE_DOCUMENTS) {
    if (expired?.()) return false;
    const end = Math.min(docCount, from + STRIDE_DOCUMENTS);
    instance.scoped(() => instance.exports.scanBits(header, scan.query, from, end, scan.allowed, scan.ordinal, scan.best));
  }
  return true;
}

/** Looks for candidates in what is resident, then compares their values. */
function searchValues(vectors: SegmentVectors, scan: Scan, k: number, expired: Expired): boolean {
  const { instance, header, segment } = vectors;
  const { docCount } = segment.ref;
  if (expired?.()) return false;
  const search = instance.exports.searchCreate(header, scan.query, k, scan.allowed, docCount);
  if (search === 0) return scanValues(vectors, scan, expired);
  let complete = true;
  if (!instance.exports.searchExplore(search, scan.allowed, scan.ordinal)) {
    const count = instance.exports.vectorCount(header);
    for (let from = 0; from < count; from += STRIDE_VECTORS) {
      complete = from === 0 || !expired?.();
      if (!complete) break;
      instance.exports.searchScan(search, from, Math.min(count, from + STRIDE_VECTORS), scan.allowed, scan.ordinal);
    }
  }
  const count = instance.exports.searchFinish(search, scan.allowed, docCount);
  const documents = instance.u32(instance.exports.searchDocuments(search), count).slice();
  for (const document of documents) compareDocument(vectors, scan, document);
  return complete;
}

function compareDocument(vectors: SegmentVectors, scan: Scan, document: number): void {
  const { instance, header } = vectors;
  instance.scoped(() => {
    const first = instance.exports.vectorStart(header, document);
    const rows = readRows(vectors, first, instance.exports.vectorStart(header, document + 1) - first);
    instance.exports.scanValues(header, scan.query, rows, document, document + 1, scan.allowed, scan.ordinal, scan.best);
  });
}

function scanValues(vectors: SegmentVectors, scan: Scan, expired: Expired): boolean {
  const { instance, header, segment, dimensions } = vectors;
  const { docCount } = segment.ref;
  const atOnce = Math.max(1, Math.floor(CHUNK_BYTES / (dimensions * FLOAT_BYTES)));
  const start = (document: number) => instance.exports.vectorStart(header, document);
  for (let from = 0; from < docCount; ) {
    if (expired?.()) return false;
    let end = from + 1;
    const first = start(from);
    while (end < docCount && start(end + 1) - first <= atOnce) end++;
    instance.scoped(() => {
      const rows = readRows(vectors, first, start(end) - first);
      instance.exports.scanValues(header, scan.query, rows, from, end, scan.allowed, scan.ordinal, scan.best);
    });
    from = end;
  }
  return true;
}

/** Reads the values of vectors from the file into scratch. */
function readRows({ instance, segment, embedder, dimensions }: SegmentVectors, first: number, count: number): number {
  const rowBytes = dimensions * FLOAT_BYTES;
  const at = instance.alloc(count * rowBytes);
  const offset = instance.exports.vectorValuesOffset(segment.view, embedder) + first * rowBytes;
  segment.source.read(offset, count * rowBytes, instance.bytes.subarray(at, at + count * rowBytes));
  return at;
}

function readVectors(vectors: SegmentVectors, local: number): DocumentVectors {
  const { instance, segment, header, embedder, dimensions } = vectors;
  const first = instance.exports.vectorStart(header, local);
  const count = instance.exports.vectorStart(header, local + 1) - first;
  const binaryQuantized = instance.exports.vectorsAreBinary(header);
  const ordinals = Array.from({ length: count }, (_, i) => instance.exports.vectorOrdinal(header, first + i));
  return {
    embedder,
    dimensions,
    binaryQuantized,
    values: binaryQuantized ? readBits(vectors, first, count) : readValues(vectors, first, count),
    ordinals: ordinals.every((ordinal, i) => ordinal === i) ? null : ordinals,
    userProvided: hasBit(instance, instance.exports.userProvidedBitmap(header), local),
    regenerate: hasBit(instance, instance.exports.regenerateBitmap(header), local),
    origin: { segment: segment.ref.id, first },
  };
}

function readValues(vectors: SegmentVectors, first: number, count: number): Float32Array {
  const { instance, dimensions } = vectors;
  return instance.scoped(() => {
    const at = readRows(vectors, first, count);
    return new Float32Array(instance.bytes.slice(at, at + count * dimensions * FLOAT_BYTES).buffer);
  });
}

function readBits({ instance, header, dimensions }: SegmentVectors, first: number, count: number): Float32Array {
  const values = new Float32Array(count * dimensions);
  for (let vector = 0; vector < count; vector++) {
    const bits = instance.exports.vectorBits(header, first + vector);
    for (let i = 0; i < dimensions; i++) values[vector * dimensions + i] = hasBit(instance, bits, i) ? 1 : 0;
  }
  return values;
}

function hasBit(instance: EngineInstance, bitmap: number, bit: number): boolean {
  return (((instance.bytes[bitmap + (bit >> 3)] as number) >> (bit & 7)) & 1) === 1;
}
