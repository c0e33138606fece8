import { type DocumentVectors, finiteComponents } from '../../../../bindings/engine/vectors.js';
import { type EmbeddedText, type IndexEmbedder, isSameText, rendered } from './embedders.js';
import type { VectorEntry } from './entry.js';
import type { PlannedText } from './text-plan.js';

/** The stored vectors of a document. */
export interface StoredVersion {
  /** Of the same embedder; undefined: the embedder is new. */
  vectors: DocumentVectors | undefined;
  /** The embedded texts; null: another model was used, so everything must be embedded again. */
  texts: () => readonly EmbeddedText[] | null;
}

/** A text of a document that is embedded. */
export interface WantedText extends EmbeddedText {
  /** The stored vector is kept. */
  isKept: boolean;
}

/** Which texts of a document have to be embedded. `changed`: all, unless they equal those of the stored version. */
type Generation = 'none' | 'changed' | 'all';

/** The vectors of a document for one embedder as its versions leave them, before anything is embedded. */
export interface VectorState {
  embedder: IndexEmbedder;
  vectors: DocumentVectors;
  generation: Generation;
  /** The vectors equal what is stored. */
  unchanged: boolean;
}

/**
 * Follows the versions of a document; `entries` are what they contain for the embedder, in order.
 * @param stored the stored vectors of the same embedder; undefined: there are none
 */
export function vectorState(
  embedder: IndexEmbedder,
  entries: readonly VectorEntry[],
  stored: DocumentVectors | undefined,
): VectorState {
  let state = initial(embedder, stored);
  for (const entry of entries) state = after(state, entry, stored !== undefined);
  return embedder.generates ? state : { ...state, generation: 'none' };
}

/**
 * The texts from which the vectors of a document are made; null: nothing is embedded, and stored vectors stay as they are.
 * @param stored see {@link StoredVersion.texts}
 * @throws {ApiError} invalid_document_fields
 */
export function textsFor(
  { embedder, vectors, generation }: VectorState,
  key: string,
  document: () => Record<string, unknown>,
  stored: StoredVersion['texts'],
): WantedText[] | null {
  if (generation === 'none') return null;
  const texts = rendered(embedder, key, document());
  const before = generation === 'changed' ? stored() : null;
  if (!before) return texts.map(({ ordinal, value }) => ({ ordinal, value, isKept: false }));
  const isSame = (text: EmbeddedText) => before.some((other) => isSameText(other, text));
  if (texts.length === before.length && texts.every(isSame)) return null;
  // Vectors provided by users belong to no fragment.
  const kept = new Set(embedder.hasFragments && !vectors.userProvided ? ordinalsOf(vectors) : []);
  return texts.map((text) => ({ ...text, isKept: isSame(text) && kept.has(text.ordinal) }));
}

function initial(embedder: IndexEmbedder, vectors: DocumentVectors | undefined): VectorState {
  if (vectors) return { embedder, vectors, generation: vectors.regenerate ? 'changed' : 'none', unchanged: true };
  const state = { userProvided: !embedder.generates, regenerate: embedder.generates };
  return { embedder, vectors: none(embedder, state), generation: embedder.generates ? 'all' : 'none', unchanged: false };
}

function after(state: VectorState, { embeddings, regenerate }: VectorEntry, exists: boolean): VectorState {
  if (embeddings === null) {
    if (regenerate) return { ...state, generation: 'all', unchanged: false };
    if (exists) return state;
  }
  const vectors = {
    ...none(state.embedder, { userProvided: true, regenerate: regenerate === true }),
    values: finiteComponents(joined(embeddings ?? [])),
  };
  return { ...state, vectors, generation: 'none', unchanged: false };
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

function joined(rows: readonly ArrayLike<number>[]): Float32Array {
  const values = new Float32Array(rows.reduce((sum, row) => sum + row.length, 0));
  let at = 0;
  for (const row of rows) {
    values.set(row, at);
    at += row.length;
  }
  return values;
}

/** What is stored of a document for one embedder. */
export interface SettledVectors {
  vectors: DocumentVectors;
  /** They equal what is stored. */
  unchanged: boolean;
}

/**
 * The vectors of a document once its texts are embedded, by ascending ordinal.
 * @param texts see {@link textsFor}
 * @param vectorOf null when a text has no embedding
 */
export function settled(
  { embedder, vectors, unchanged }: VectorState,
  texts: readonly PlannedText[] | null,
  vectorOf: (text: number) => Float32Array | null,
): SettledVectors {
  if (!texts) return { vectors, unchanged };
  const { dimensions } = embedder;
  const keptRow = (ordinal: number) => {
    const place = ordinalsOf(vectors).indexOf(ordinal);
    return vectors.values.subarray(place * dimensions, (place + 1) * dimensions);
  };
  const rows = texts.flatMap(({ ordinal, text }) => {
    const row = text === null ? keptRow(ordinal) : vectorOf(text);
    return row ? [{ ordinal, row }] : [];
  });
  rows.sort((a, b) => a.ordinal - b.ordinal);
  const [only] = rows;
  const values = only && rows.length === 1 ? only.row : joined(rows.map(({ row }) => row));
  const generated = none(embedder, { userProvided: false, regenerate: true });
  return { vectors: { ...generated, values, ordinals: rows.map(({ ordinal }) => ordinal) }, unchanged: false };
}
