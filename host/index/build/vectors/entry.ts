import { MAX_VECTORS_PER_DOCUMENT } from '../../../../bindings/engine/vectors.js';
import { apiError, problemOf } from '../../../../bindings/errors.js';
import { isObject, quoted } from '../documents/json-values.js';

/** The entry of one embedder in `_vectors` of a document. */
export interface VectorEntry {
  /** null: the entry has none, so existing vectors are kept or new ones generated. */
  embeddings: readonly (readonly number[])[] | null;
  /** null: the short form, a plain array, which is never regenerated. */
  regenerate: boolean | null;
}

class Entries {
  constructor(private readonly key: string) {}

  refuse(path: string, reason: string, value: unknown): never {
    throw apiError('invalid_vectors_type', 'member', { path, key: this.key, reason, found: quoted(value) });
  }

  /** @param strict whether the elements of vectors are checked */
  read(path: string, value: unknown, strict: boolean): VectorEntry {
    if (value === null || Array.isArray(value)) return { embeddings: this.#vectors(path, value ?? [], strict), regenerate: null };
    if (!isObject(value)) this.refuse(path, problemOf('notEntry'), value);
    const { regenerate, embeddings = null, ...extra } = value;
    const names = Object.keys(extra);
    if (names.length > 0) this.refuse(path, problemOf('moreThanEntry', { names: `\`${names.join('`, `')}\`` }), value);
    if (typeof regenerate !== 'boolean') this.refuse(path, problemOf('regenerateNotBoolean'), value);
    if (embeddings === null) return { embeddings: null, regenerate };
    const inner = `${path}.embeddings`;
    if (!Array.isArray(embeddings)) this.refuse(inner, problemOf('notEmbeddings'), embeddings);
    return { embeddings: this.#vectors(inner, embeddings, strict), regenerate };
  }

  #vectors(path: string, list: unknown[], strict: boolean): readonly (readonly number[])[] {
    if (list.length === 0) return [];
    if (!strict) return [];
    if (!Array.isArray(list[0])) return [this.#numbers(path, list)];
    return list.slice(0, MAX_VECTORS_PER_DOCUMENT).map((item, index) => {
      const inner = `${path}[${index}]`;
      if (!Array.isArray(item)) this.refuse(inner, problemOf('notVector'), item);
      return this.#numbers(inner, item);
    });
  }

  #numbers(path: string, list: unknown[]): number[] {
    const wrong = list.findIndex((item) => typeof item !== 'number');
    if (wrong >= 0) this.refuse(`${path}[${wrong}]`, problemOf('notNumber'), list[wrong]);
    return list as number[];
  }
}

/**
 * The entries of a document. The elements of vectors are only checked for names of embedders.
 * @param key key of the document, for messages
 * @throws {ApiError} invalid_vectors_type
 */
export function readEntries(key: string, vectors: unknown, isEmbedder: (name: string) => boolean): Map<string, VectorEntry> {
  const entries = new Entries(key);
  if (vectors === null || vectors === undefined) return new Map();
  if (!isObject(vectors)) entries.refuse('', problemOf('vectorsNotObject'), vectors);
  return new Map(Object.entries(vectors).map(([name, value]) => [name, entries.read(`.${name}`, value, isEmbedder(name))]));
}

/** @throws {ApiError} invalid_vector_dimensions */
export function checkDimensions(key: string, name: string, { embeddings }: VectorEntry, dimensions: number): void {
  const wrong = (embeddings ?? []).findIndex((vector) => vector.length !== dimensions);
  if (wrong < 0) return;
  throw apiError('invalid_vector_dimensions', 'ofDocument', {
    name,
    key,
    position: wrong,
    found: embeddings![wrong]!.length,
    dimensions,
  });
}
