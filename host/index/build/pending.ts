import { byteColumn, i32Column, u32Column } from './columns.js';
import { KeyTable } from './key-table.js';
import type { StoredDocuments, StoredLocation } from './stored-documents.js';

/** A document of a payload. */
export interface Source {
  /** Which of the batch's payloads. */
  payload: number;
  index: number;
}

/** What a batch has made of a document so far. */
export interface PendingDocument {
  key: Uint8Array;
  /** Where its version from before the batch stands. */
  stored: StoredLocation | null;
  alive: boolean;
  /** The stored version is the base of {@link sources}. */
  onStored: boolean;
  /** Laid over each other in order. */
  sources: Source[];
}

const ALIVE = 1;
const ON_STORED = 2;
const NOWHERE = -1;
/** No further source. */
const NONE = 0xffffffff;

/**
 * Documents that a batch touches, in the order in which their keys first appear; a naive overlay over what is stored. They stand in
 * columns: some 45 bytes and the key each.
 */
export class PendingDocuments {
  readonly #keys = new KeyTable();
  readonly #flags = byteColumn();
  readonly #storedSegment = i32Column();
  readonly #storedLocal = u32Column();
  readonly #storedId = u32Column();
  /** The source laid over all others, of which {@link #below} leads to those under it. */
  readonly #top = u32Column();
  readonly #payload = u32Column();
  readonly #index = u32Column();
  readonly #below = u32Column();

  constructor(readonly stored: StoredDocuments | null) {}

  get count(): number {
    return this.#keys.count;
  }

  add(key: Uint8Array, source: Source, method: 'replace' | 'update', skipCreation: boolean): void {
    let document = this.#touch(key);
    if (document < 0 || !(this.#flags.get(document) & ALIVE)) {
      if (skipCreation) return;
      if (document < 0) document = this.#enter(key, null);
      this.#flags.set(document, ALIVE);
      this.#lay(document, source, NONE);
    } else if (method === 'replace') {
      this.#flags.set(document, ALIVE);
      this.#lay(document, source, NONE);
    } else {
      this.#lay(document, source, this.#top.get(document));
    }
  }

  /** Whether there was such a document. */
  delete(key: Uint8Array): boolean {
    const document = this.#touch(key);
    if (document < 0 || !(this.#flags.get(document) & ALIVE)) return false;
    this.#flags.set(document, 0);
    this.#top.set(document, NONE);
    return true;
  }

  /** A document by its place in the order, to be read before the next change. */
  get(document: number): PendingDocument {
    const flags = this.#flags.get(document);
    const segment = this.#storedSegment.get(document);
    const [local, internalId] = [this.#storedLocal.get(document), this.#storedId.get(document)];
    const sources: Source[] = [];
    for (let source = this.#top.get(document); source !== NONE; source = this.#below.get(source)) {
      sources.push({ payload: this.#payload.get(source), index: this.#index.get(source) });
    }
    return {
      key: this.#keys.key(document),
      stored: segment === NOWHERE ? null : { segment, local, internalId },
      alive: (flags & ALIVE) !== 0,
      onStored: (flags & ON_STORED) !== 0,
      sources: sources.reverse(),
    };
  }

  /** Of memory. */
  get bytes(): number {
    const columns = [this.#flags, this.#storedSegment, this.#storedLocal, this.#storedId, this.#top];
    const sources = [this.#payload, this.#index, this.#below];
    return [...columns, ...sources].reduce((sum, { bytes }) => sum + bytes, this.#keys.bytes);
  }

  #lay(document: number, { payload, index }: Source, below: number): void {
    this.#top.set(document, this.#payload.length);
    this.#payload.push(payload);
    this.#index.push(index);
    this.#below.push(below);
  }

  /** The place of a document of the batch or of the index, or -1. */
  #touch(key: Uint8Array): number {
    const known = this.#keys.find(key);
    if (known >= 0) return known;
    const stored = this.stored?.find(key) ?? null;
    return stored ? this.#enter(key, stored) : -1;
  }

  #enter(key: Uint8Array, stored: StoredLocation | null): number {
    this.#flags.push(stored ? ALIVE | ON_STORED : 0);
    this.#storedSegment.push(stored?.segment ?? NOWHERE);
    this.#storedLocal.push(stored?.local ?? 0);
    this.#storedId.push(stored?.internalId ?? 0);
    this.#top.push(NONE);
    return this.#keys.add(key);
  }
}
