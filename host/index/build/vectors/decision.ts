import type { DocumentVectors } from '../../../../bindings/engine/vectors.js';
import { type EmbeddedText, type IndexEmbedder, rendered } from './embedders.js';
import type { VectorEntry } from './entry.js';

/** What is kept of a document's vectors for one embedder, and what must be embedded. */
export interface Decision {
  embedder: IndexEmbedder;
  /** Vectors to keep. New embeddings are added to them. */
  kept: DocumentVectors;
  /** Texts to embed, with their hashes. */
  texts: { text: EmbeddedText; hash: string }[];
  /** The result equals what is stored. */
  unchanged: boolean;
  /** A name in `_vectors` of the document that differs from the embedder's by a likely typo. */
  meant?: string;
}

/** The stored vectors of a document. */
export interface StoredVersion {
  /** Of the same embedder; undefined: the embedder is new. */
  vectors: DocumentVectors | undefined;
  /** Hashes of the embedded texts by ordinal; null: another model was used, so everything must be embedded again. */
  hashes: () => Map<number, string> | null;
}

type Generation = 'none' | 'changed' | 'all';

interface State {
  vectors: DocumentVectors;
  generation: Generation;
  unchanged: boolean;
}

/**
 * Decides about the vectors of a document; `entries` are what its versions contain for the embedder, in order.
 * @param stored null when the document is new
 * @throws {ApiError} invalid_document_fields
 */
export function decide(
  embedder: IndexEmbedder,
  key: string,
  document: () => Record<string, unknown>,
  entries: readonly VectorEntry[],
  stored: StoredVersion | null,
): Decision {
  let state = initial(embedder, stored);
  for (const entry of entries) state = after(embedder, state, entry, stored?.vectors !== undefined);
  const { vectors, generation, unchanged } = state;
  if (generation === 'none' || !embedder.generates) return { embedder, kept: vectors, texts: [], unchanged };
  const texts = rendered(embedder, key, document()).map((text) => ({ text, hash: embedder.hash(text) }));
  const before = generation === 'changed' ? (stored?.hashes() ?? null) : null;
  const same = ({ text, hash }: { text: EmbeddedText; hash: string }) => before?.get(text.ordinal) === hash;
  if (before && texts.length === before.size && texts.every(same)) return { embedder, kept: vectors, texts: [], unchanged };
  const generated = { userProvided: false, regenerate: true };
  // Vectors provided by users belong to no fragment.
  const kept = embedder.hasFragments && !vectors.userProvided ? only(vectors, texts.filter(same)) : none(embedder, generated);
  const ordinals = new Set(ordinalsOf(kept));
  const missing = texts.filter((each) => !ordinals.has(each.text.ordinal));
  return { embedder, kept: { ...kept, ...generated }, texts: missing, unchanged: false };
}

function initial(embedder: IndexEmbedder, stored: StoredVersion | null): State {
  const vectors = stored?.vectors;
  if (!vectors && !embedder.generates) {
    return { vectors: none(embedder, { userProvided: true, regenerate: false }), generation: 'none', unchanged: false };
  }
  if (vectors) return { vectors, generation: vectors.regenerate ? 'changed' : 'none', unchanged: true };
  return { vectors: none(embedder, { userProvided: false, regenerate: true }), generation: 'all', unchanged: false };
}

function after(embedder: IndexEmbedder, state: State, { embeddings, regenerate }: VectorEntry, exists: boolean): State {
  if (embeddings === null) {
    if (regenerate) return { ...state, generation: 'all', unchanged: false };
    if (exists) return state;
  }
  const vectors = {
    ...none(embedder, { userProvided: true, regenerate: regenerate === true }),
    values: joined(embeddings ?? []),
  };
  return { vectors, generation: 'none', unchanged: false };
}

/** No vectors, with the given state. */
export function none(
  { id, dimensions, binaryQuantized }: IndexEmbedder,
  state: Pick<DocumentVectors, 'userProvided' | 'regenerate'>,
): DocumentVectors {
  return { embedder: id, dimensions, binaryQuantized, values: new Float32Array(0), ordinals: null, ...state };
}

export function ordinalsOf({ values, ordinals, dimensions }: DocumentVectors): readonly number[] {
  return ordinals ?? Array.from({ length: dimensions === 0 ? 0 : values.length / dimensions }, (_, index) => index);
}

function only(vectors: DocumentVectors, texts: { text: EmbeddedText }[]): DocumentVectors {
  const wanted = new Set(texts.map(({ text }) => text.ordinal));
  const { dimensions, values } = vectors;
  const places = ordinalsOf(vectors).flatMap((ordinal, place) => (wanted.has(ordinal) ? [{ ordinal, place }] : []));
  const rows = places.map(({ place }) => values.subarray(place * dimensions, (place + 1) * dimensions));
  return { ...vectors, values: joined(rows), ordinals: places.map(({ ordinal }) => ordinal) };
}

function joined(rows: readonly ArrayLike<number>[]): Float32Array {
  const values = new Float32Array(rows.reduce((sum, row) => sum + row.length, 0));
  let at = 0;
  for (const row of rows) {
    values.set(row, at);
    at += row.length;
  }
  return values;
}

/**
 * The vectors of a document once all texts are embedded, by ascending ordinal. @param vectorOf null when a text has no embedding
 */
export function settled({ embedder, kept, texts }: Decision, vectorOf: (hash: string) => Float32Array | null): DocumentVectors {
  if (texts.length === 0) return kept;
  const { dimensions } = embedder;
  const rows = ordinalsOf(kept).map((ordinal, place) => ({
    ordinal,
    row: kept.values.subarray(place * dimensions, (place + 1) * dimensions),
  }));
  for (const { text, hash } of texts) {
    const row = vectorOf(hash);
    if (row) rows.push({ ordinal: text.ordinal, row });
  }
  rows.sort((a, b) => a.ordinal - b.ordinal);
  return { ...kept, values: joined(rows.map(({ row }) => row)), ordinals: rows.map(({ ordinal }) => ordinal) };
}
