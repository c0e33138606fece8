import { addMember } from '../../bindings/engine/bitmaps.js';
import { nearest } from '../../bindings/engine/nearest-vectors.js';
import { openSegments, vectorSegment } from '../../bindings/test/vector-case.js';
import { SegmentFile } from '../../engine-as/test/segment-file.js';
import { cpuSeconds, type Measured, searchSeconds } from './measured.js';
import type { VectorSet } from './sets.js';
import { type Leaning, NEIGHBOURS, type Recall, SHARES, type Truth } from './truth.js';

const EMBEDDER = 0;
const SECTION_VECTORS = 11;
/** Queries for which a filter of each kind is made: each takes an ordered list of all documents. */
const FILTERED_QUERIES = 20;

export interface Filtered extends Recall {
  leaning: Leaning;
  share: number;
  secondsPerSearch: number;
}

/** One segment in private memory, searched on this thread. `binaryQuantized`: of one bit a component. */
export function measureOurs(
  set: VectorSet,
  truth: Truth,
  binaryQuantized: boolean,
): { measured: Measured; filtered: Filtered[] } {
  const { dimensions, vectors, queries } = set;
  const [file, buildSeconds] = cpuSeconds(() =>
    vectorSegment(
      Array.from({ length: set.count }, (_, internalId) => {
        const values = vectors.subarray(internalId * dimensions, (internalId + 1) * dimensions);
        const state = { userProvided: true, regenerate: false };
        return {
          internalId,
          vectors: [{ embedder: EMBEDDER, dimensions, binaryQuantized, values, ordinals: null, ...state }],
        };
      }),
    ),
  );
  const resident = new SegmentFile(file).sections.find(({ kind }) => kind === SECTION_VECTORS)?.length ?? 0;
  return openSegments([{ file }]).read((reader) => {
    const search = (query: Float32Array, allowed: number) =>
      nearest(reader, EMBEDDER, query, NEIGHBOURS, allowed).found.map(({ slot }) => slot);
    const live = reader.liveBitmap();
    const secondsPerSearch = searchSeconds(queries, (query) => search(query, live));
    const answers = queries.slice(0, truth.queries).map((query) => search(query, live));
    const measured = { buildSeconds, secondsPerSearch, bytesPerVector: resident / set.count, ...truth.recall(answers) };
    const filtered = (['random', 'correlated', 'anti-correlated'] as const).flatMap((leaning) =>
      SHARES.map((share) => {
        const judged = queries.slice(0, Math.min(FILTERED_QUERIES, truth.queries));
        const allowed = judged.map((_, query) => truth.allowed(query, share, leaning));
        const bitmaps = allowed.map((documents) => {
          const bitmap = reader.newBitmap();
          for (const document of documents) addMember(reader.instance, bitmap, document);
          return bitmap;
        });
        const bitmapOf = new Map(judged.map((query, i) => [query, bitmaps[i] as number]));
        const run = (query: Float32Array) => search(query, bitmapOf.get(query) as number);
        return { leaning, share, secondsPerSearch: searchSeconds(judged, run), ...truth.recall(judged.map(run), allowed) };
      }),
    );
    return { measured, filtered };
  });
}
