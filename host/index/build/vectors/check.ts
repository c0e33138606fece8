import { keyText } from '../batch-documents.js';
import type { VectorEntry } from './entry.js';
import { mayHaveVectors } from './members.js';
import type { VectorWork } from './work.js';

/** Documents that lack vectors which only users can give. */
export class LackingDocuments {
  readonly #found: { key: string; embedder: string; entries: ReadonlyMap<string, VectorEntry> }[] = [];

  constructor(private readonly work: VectorWork) {}

  /** @param embedder that lacks them; null: none does */
  note(key: string, entries: ReadonlyMap<string, VectorEntry>, embedder: string | null): void {
    if (embedder !== null) this.#found.push({ key, embedder, entries });
  }

  /** @throws {ApiError} vector_embedding_error, when there are such documents */
  end(): void {
    const [first] = this.#found;
    if (!first) return;
    const keys = this.#found.filter(({ embedder }) => embedder === first.embedder).map(({ key }) => key);
    throw this.work.lackingError(first.embedder, keys, first.entries);
  }
}

/** Checks what the documents of a payload say of vectors, before any of them counts. */
export class VectorCheck {
  readonly #met = new Set<string>();
  readonly #lacking: LackingDocuments;

  /** @param exists is there such a document already? @param skipsNew documents that are not there are passed over */
  constructor(
    private readonly work: VectorWork,
    private readonly exists: (id: Uint8Array) => boolean,
    private readonly skipsNew: boolean,
  ) {
    this.#lacking = new LackingDocuments(work);
  }

  /** @param id the bytes of the key. @throws {ApiError} invalid_vectors_type, invalid_vector_dimensions */
  check(id: Uint8Array, json: Uint8Array): void {
    if (this.work.isIdle && !mayHaveVectors(json)) return;
    const key = keyText(id);
    const entries = this.work.checkedEntries(key, json);
    if (this.work.isIdle) return;
    const exists = this.#met.has(key) || this.exists(id);
    if (!exists && this.skipsNew) return;
    this.#met.add(key);
    this.#lacking.note(key, entries, this.work.lacking(entries, exists));
  }

  /** @throws {ApiError} vector_embedding_error, when documents lack vectors that only users can give */
  end(): void {
    this.#lacking.end();
  }
}
