import type { StoredDocuments, StoredLocation } from '../documents/stored-documents.js';
import { type KeyList, KeyTable } from './key-table.js';
import {
  ALIVE,
  NONE,
  NOWHERE,
  ON_STORED,
  type PendingDocument,
  PendingReader,
  pendingColumns,
  type SharedPending,
  VECTORS_ON_STORED,
} from './pending-columns.js';

/**
 * The documents that a batch touches, numbered in the order in which their keys first appear: an overlay over the stored
 * documents. Stored in columns, about 45 bytes per document plus the key.
 */
export class PendingDocuments {
  readonly #keys = new KeyTable();
  readonly #columns = pendingColumns();
  /** Read access to the documents. */
  readonly reader = new PendingReader(this.#keys.keys, this.#columns);

  constructor(readonly stored: StoredDocuments | null) {}

  get count(): number {
    return this.#keys.count;
  }

  /** Allocates memory for this many further documents at once, so that nothing is copied while they are added. */
  reserve(documents: number): void {
    this.#keys.reserve(documents);
    for (const column of Object.values(this.#columns)) column.reserve(documents);
  }

  /**
   * Applies a source to a document. Returns whether it is the first or a further source of the document in its payload, or `skipped`
   * when `skipCreation` excludes a document that does not exist.
   * @param keys of all documents of the payload. @param index of the document in it
   */
  add(
    keys: KeyList,
    index: number,
    payload: number,
    method: 'replace' | 'update',
    skipCreation: boolean,
  ): 'first' | 'further' | 'skipped' {
    const { flags, top, payload: payloads } = this.#columns;
    const { text } = keys;
    const [from, to] = [keys.start(index), keys.end(index)];
    let document = this.#touch(text, from, to);
    if (document < 0 || !(flags.get(document) & ALIVE)) {
      if (skipCreation) return 'skipped';
      if (document < 0) document = this.#enter(text, from, to, null);
      flags.set(document, ALIVE);
      this.#addSource(document, payload, index, NONE, 1);
      return 'first';
    }
    const below = top.get(document);
    if (method === 'replace') flags.set(document, flags.get(document) & ~ON_STORED);
    this.#addSource(document, payload, index, below, method === 'replace' ? 1 : 0);
    return below !== NONE && payloads.get(below) === payload ? 'further' : 'first';
  }

  /**
   * Applies sources to documents that are neither in the batch nor in the index, as far as they follow each other in a payload.
   * @param from the first one to look at. @returns how many
   */
  addNew(keys: KeyList, from: number, payload: number): number {
    const { text } = keys;
    const first = this.count;
    let [start, end] = [0, 0];
    let stored: StoredLocation | null = null;
    if (!this.stored) this.#keys.addNew(keys, from);
    for (let index = from; this.stored && index < keys.count && !stored; index++) {
      [start, end] = [keys.start(index), keys.end(index)];
      if (this.#keys.find(text, start, end) >= 0) break;
      stored = this.stored.find(text.subarray(start, end));
      if (!stored) this.#keys.addMissing(text, start, end);
    }
    const added = this.count - first;
    this.#fillNew(added, payload, from);
    // The key that ended the run is in the index. It is numbered now, so that it need not be looked up again.
    if (stored) this.#enter(text, start, end, stored);
    return added;
  }

  /** Fills the columns of new documents whose keys were added, and of their only sources. */
  #fillNew(added: number, payload: number, index: number): void {
    if (added === 0) return;
    const columns = this.#columns;
    columns.flags.fill(ALIVE, added);
    columns.storedSegment.fill(NOWHERE, added);
    columns.storedLocal.fill(0, added);
    columns.storedId.fill(0, added);
    columns.top.count(columns.payload.length, added);
    columns.payload.fill(payload, added);
    columns.index.count(index, added);
    columns.below.fill(NONE, added);
    columns.replaces.fill(1, added);
  }

  /** Deletes a document. @returns whether it existed */
  delete(key: Uint8Array): boolean {
    const { flags, top } = this.#columns;
    const document = this.#touch(key);
    if (document < 0 || !(flags.get(document) & ALIVE)) return false;
    flags.set(document, 0);
    top.set(document, NONE);
    return true;
  }

  /** Whether the document exists at this point of the batch. */
  has(key: Uint8Array): boolean {
    const document = this.#touch(key);
    return document >= 0 && (this.#columns.flags.get(document) & ALIVE) !== 0;
  }

  get(document: number): PendingDocument {
    return this.reader.get(document);
  }

  /** Shares the documents with other threads; nothing may be added afterwards. */
  share(): SharedPending {
    return this.reader.share();
  }

  /** Bytes of memory. */
  get bytes(): number {
    return this.reader.bytes + this.#keys.slotBytes;
  }

  #addSource(document: number, payload: number, index: number, below: number, replaces: 0 | 1): void {
    const columns = this.#columns;
    columns.top.set(document, columns.payload.length);
    columns.payload.push(payload);
    columns.index.push(index);
    columns.below.push(below);
    columns.replaces.push(replaces);
  }

  /** The number of the document with the key at [from, to) of a text, if it is in the batch or in the index; -1 when it is in neither. */
  #touch(text: Uint8Array, from = 0, to = text.length): number {
    const known = this.#keys.find(text, from, to);
    if (known >= 0) return known;
    const stored = this.stored?.find(text.subarray(from, to)) ?? null;
    return stored ? this.#enter(text, from, to, stored) : -1;
  }

  /** Numbers a document whose key was looked for last. */
  #enter(text: Uint8Array, from: number, to: number, stored: StoredLocation | null): number {
    const columns = this.#columns;
    columns.flags.push(stored ? ALIVE | ON_STORED | VECTORS_ON_STORED : 0);
    columns.storedSegment.push(stored?.segment ?? NOWHERE);
    columns.storedLocal.push(stored?.local ?? 0);
    columns.storedId.push(stored?.internalId ?? 0);
    columns.top.push(NONE);
    return this.#keys.addMissing(text, from, to);
  }
}
