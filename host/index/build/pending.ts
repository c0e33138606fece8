import { KeyTable } from './key-table.js';
import {
  ALIVE,
  NONE,
  NOWHERE,
  ON_STORED,
  type PendingDocument,
  PendingReader,
  pendingColumns,
  type SharedPending,
  type Source,
  VECTORS_ON_STORED,
} from './pending-columns.js';
import type { StoredDocuments, StoredLocation } from './stored-documents.js';

/**
 * Documents that a batch touches, in the order in which their keys first appear; a naive overlay over what is stored. They stand in
 * columns: some 45 bytes and the key each.
 */
export class PendingDocuments {
  readonly #keys = new KeyTable();
  readonly #columns = pendingColumns();
  /** What has become of them. */
  readonly reader = new PendingReader(this.#keys.keys, this.#columns);

  constructor(readonly stored: StoredDocuments | null) {}

  get count(): number {
    return this.#keys.count;
  }

  /** So many documents are about to be added: memory is taken at once, and nothing is copied while they come. */
  reserve(documents: number): void {
    this.#keys.reserve(documents);
    for (const column of Object.values(this.#columns)) column.reserve(documents);
  }

  /** Lays a source over a document. What it is to its payload: the first of the document, one more, or of none, which is not made. */
  add(key: Uint8Array, source: Source, method: 'replace' | 'update', skipCreation: boolean): 'first' | 'further' | 'skipped' {
    const { flags, top, payload } = this.#columns;
    let document = this.#touch(key);
    if (document < 0 || !(flags.get(document) & ALIVE)) {
      if (skipCreation) return 'skipped';
      if (document < 0) document = this.#enter(key, null);
      flags.set(document, ALIVE);
      this.#lay(document, source, NONE, 1);
      return 'first';
    }
    const below = top.get(document);
    if (method === 'replace') flags.set(document, flags.get(document) & ~ON_STORED);
    this.#lay(document, source, below, method === 'replace' ? 1 : 0);
    return below !== NONE && payload.get(below) === source.payload ? 'further' : 'first';
  }

  /** Whether there was such a document. */
  delete(key: Uint8Array): boolean {
    const { flags, top } = this.#columns;
    const document = this.#touch(key);
    if (document < 0 || !(flags.get(document) & ALIVE)) return false;
    flags.set(document, 0);
    top.set(document, NONE);
    return true;
  }

  /** Whether there is such a document at this point. */
  has(key: Uint8Array): boolean {
    const document = this.#touch(key);
    return document >= 0 && (this.#columns.flags.get(document) & ALIVE) !== 0;
  }

  get(document: number): PendingDocument {
    return this.reader.get(document);
  }

  /** For other threads to read; nothing must be added any more. */
  share(): SharedPending {
    return this.reader.share();
  }

  /** Of memory. */
  get bytes(): number {
    return this.reader.bytes + this.#keys.slotBytes;
  }

  #lay(document: number, { payload, index }: Source, below: number, replaces: 0 | 1): void {
    const columns = this.#columns;
    columns.top.set(document, columns.payload.length);
    columns.payload.push(payload);
    columns.index.push(index);
    columns.below.push(below);
    columns.replaces.push(replaces);
  }

  /** The place of a document of the batch or of the index, or -1. */
  #touch(key: Uint8Array): number {
    const known = this.#keys.find(key);
    if (known >= 0) return known;
    const stored = this.stored?.find(key) ?? null;
    return stored ? this.#enter(key, stored) : -1;
  }

  #enter(key: Uint8Array, stored: StoredLocation | null): number {
    const columns = this.#columns;
    columns.flags.push(stored ? ALIVE | ON_STORED | VECTORS_ON_STORED : 0);
    columns.storedSegment.push(stored?.segment ?? NOWHERE);
    columns.storedLocal.push(stored?.local ?? 0);
    columns.storedId.push(stored?.internalId ?? 0);
    columns.top.push(NONE);
    return this.#keys.add(key);
  }
}
