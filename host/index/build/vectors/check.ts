import { keyText } from '../documents/key-text.js';
import type { VectorEntry } from './entry.js';
import type { VectorWork } from './work.js';

/** Collects documents that lack vectors which only users can provide. */
export class LackingDocuments {
  readonly #found: { key: string; embedder: string; entries: ReadonlyMap<string, VectorEntry> }[] = [];

  constructor(private readonly work: VectorWork) {}

  /** @param embedder the embedder whose vectors the document lacks; null when it lacks none */
  note(key: string, entries: ReadonlyMap<string, VectorEntry>, embedder: string | null): void {
    if (embedder !== null) this.#found.push({ key, embedder, entries });
  }

  /** @throws {ApiError} vector_embedding_error when such documents were found */
  end(): void {
    const [first] = this.#found;
    if (!first) return;
    const keys = this.#found.filter(({ embedder }) => embedder === first.embedder).map(({ key }) => key);
    throw this.work.lackingError(first.embedder, keys, first.entries);
  }
}

/** Checks `_vectors` of all documents of a payload, before any of them takes effect. */
export class VectorCheck {
  readonly #met = new Set<string>();
  readonly #lacking: LackingDocuments;

  /**
   * @param exists whether a document with this key exists already @param skipsNew whether documents that do not exist yet are
   * skipped
   */
  constructor(
    private readonly work: VectorWork,
    private readonly exists: (id: Uint8Array) => boolean,
    private readonly skipsNew: boolean,
  ) {
    this.#lacking = new LackingDocuments(work);
  }

  /** Whether {@link check} must see all documents; otherwise those with `_vectors`. */
  get concernsAll(): boolean {
    return this.work.needsUserVectors;
  }

  /** @param id the bytes of the key. @throws {ApiError} invalid_vectors_type, invalid_vector_dimensions */
  check(id: Uint8Array, json: Uint8Array): void {
    const key = keyText(id);
    const entries = this.work.checkedEntries(key, json);
    if (this.work.isIdle) return;
    const exists = this.#met.has(key) || this.exists(id);
    if (!exists && this.skipsNew) return;
    this.#met.add(key);
    this.#lacking.note(key, entries, this.work.lacking(entries, exists));
  }

  /** @throws {ApiError} vector_embedding_error when documents lack vectors that only users can provide */
  end(): void {
    this.#lacking.end();
  }
}
