import { nearest } from '../../bindings/engine/nearest-vectors.js';
import type { IndexReader } from '../../bindings/engine/segments.js';
import type { LocalIndex } from '../../bindings/local-index.js';
import { allowedBitmap, openSegments, target, vectorSegment } from '../../bindings/test/vector-case.js';
import { SegmentFile } from '../../engine-as/test/segment-file.js';
import { collectAll } from '../../host/runtime/collect.js';
import { cpuSeconds, type Measured, searchSeconds } from './measured.js';
import type { VectorSet } from './sets.js';
import { type Leaning, NEIGHBOURS, type Recall, SHARES, type Truth } from './truth.js';

const EMBEDDER = 0;
const SECTION_VECTORS = 11;
/** Queries for which a filter of each kind is made: each takes an ordered list of all documents. */
const FILTERED_QUERIES = 20;

export interface OursOptions {
  /** one bit per component, as `binaryQuantized` keeps them */
  binary: boolean;
  /** build a graph for any number of vectors */
  graphs: boolean;
  /** largest number of vectors in a segment */
  segmentSize: number;
}

export interface Filtered extends Recall {
  leaning: Leaning;
  share: number;
  /** share of the searches of segments that walked the graph */
  walked: number;
  secondsPerSearch: number;
}

/** Segments in one private memory, searched on this thread. */
export interface Ours {
  index: LocalIndex;
  buildSeconds: number;
  bytesPerVector: number;
}

export function openOurs(set: VectorSet, { binary, graphs, segmentSize }: OursOptions): Ours {
  const files: Uint8Array[] = [];
  let buildSeconds = 0;
  for (let from = 0; from < set.count; from += segmentSize) {
    const documents = Array.from({ length: Math.min(segmentSize, set.count - from) }, (_, i) =>
      documentOf(set, from + i, binary),
    );
    const [file, seconds] = cpuSeconds(() => vectorSegment(documents, graphs ? { scanBytes: 0 } : {}));
    files.push(file);
    buildSeconds += seconds;
    console.error(`peregrine: ${from + documents.length} of ${set.count} vectors in segments in ${buildSeconds.toFixed(1)} s`);
    // the parts that the file was put together from
    collectAll();
  }
  const resident = files.map((file) => new SegmentFile(file).sections.find(({ kind }) => kind === SECTION_VECTORS)?.length ?? 0);
  const bytesPerVector = resident.reduce((sum, bytes) => sum + bytes, 0) / set.count;
  return { index: openSegments(files.map((file) => ({ file }))), buildSeconds, bytesPerVector };
}

function documentOf({ dimensions, vectors }: VectorSet, internalId: number, binaryQuantized: boolean) {
  const values = vectors.subarray(internalId * dimensions, (internalId + 1) * dimensions);
  const state = { userProvided: true, regenerate: false };
  return { internalId, vectors: [{ embedder: EMBEDDER, dimensions, binaryQuantized, values, ordinals: null, ...state }] };
}

function search(reader: IndexReader, query: Float32Array, allowed: number): number[] {
  return nearest(reader, target(EMBEDDER, query), NEIGHBOURS, allowed).found.map(({ slot }) => reader.internalId(slot));
}

/** Share of the searches of segments that walk the graph. */
function walkedShare(reader: IndexReader, queries: readonly Float32Array[], allowed: (query: Float32Array) => number): number {
  const walked = queries.map((query) => nearest(reader, target(EMBEDDER, query), NEIGHBOURS, allowed(query)).walked);
  return walked.reduce((sum, each) => sum + each, 0) / (queries.length * reader.segments.length);
}

export function measureOurs({ index, buildSeconds, bytesPerVector }: Ours, set: VectorSet, truth: Truth): Measured {
  return index.read((reader) => {
    const live = reader.liveBitmap();
    const run = (query: Float32Array) => search(reader, query, live);
    const secondsPerSearch = searchSeconds(set.queries, run);
    const recall = truth.recall(set.queries.slice(0, truth.queries).map(run));
    return { buildSeconds, secondsPerSearch, bytesPerVector, ...recall };
  });
}

/** The same with filters of each share and correlation. */
export function measureFiltered({ index }: Ours, set: VectorSet, truth: Truth): Filtered[] {
  const judged = set.queries.slice(0, Math.min(FILTERED_QUERIES, truth.queries));
  return (['random', 'correlated', 'anti-correlated'] as const).flatMap((leaning) =>
    SHARES.map((share) => {
      const allowed = judged.map((_, query) => truth.allowed(query, share, leaning));
      return index.read((reader) => {
        const bitmapOf = new Map(
          judged.map((query, i) => [query, allowedBitmap(reader, (document) => (allowed[i] as Set<number>).has(document))]),
        );
        const bitmap = (query: Float32Array) => bitmapOf.get(query) as number;
        const run = (query: Float32Array) => search(reader, query, bitmap(query));
        const recall = truth.recall(judged.map(run), allowed);
        const walked = walkedShare(reader, judged, bitmap);
        return { leaning, share, walked, secondsPerSearch: searchSeconds(judged, run), ...recall };
      });
    }),
  );
}
