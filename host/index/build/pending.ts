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
  /** All that speak of its vectors, in order: embedders keep theirs when a document is replaced. */
  vectorSources: Source[];
  /** What embedders have of the stored version counts. */
  vectorsOnStored: boolean;
}

const ALIVE = 1;
const ON_STORED = 2;
const VECTORS_ON_STORED = 4;
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
  /** 1: the source replaces those under it. */
  readonly #replaces = byteColumn();

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
      this.#lay(document, source, NONE, 1);
    } else if (method === 'replace') {
      this.#flags.set(document, this.#flags.get(document) & ~ON_STORED);
      this.#lay(document, source, this.#top.get(document), 1);
    } else {
      this.#lay(document, source, this.#top.get(document), 0);
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

  /** Whether there is such a document at this point. */
  has(key: Uint8Array): boolean {
    const document = this.#touch(key);
    return document >= 0 && (this.#flags.get(document) & ALIVE) !== 0;
  }

  /** A document by its place in the order, to be read before the next change. */
  get(document: number): PendingDocument {
    const flags = this.#flags.get(document);
    const segment = this.#storedSegment.get(document);
    const [local, internalId] = [this.#storedLocal.get(document), this.#storedId.get(document)];
    const vectorSources: Source[] = [];
    let laid = 0;
    for (let source = this.#top.get(document); source !== NONE; source = this.#below.get(source)) {
      vectorSources.push({ payload: this.#payload.get(source), index: this.#index.get(source) });
      if (laid === 0 && this.#replaces.get(source)) laid = vectorSources.length;
    }
    vectorSources.reverse();
    return {
      key: this.#keys.key(document),
      stored: segment === NOWHERE ? null : { segment, local, internalId },
      alive: (flags & ALIVE) !== 0,
      onStored: (flags & ON_STORED) !== 0,
      sources: laid === 0 ? vectorSources : vectorSources.slice(-laid),
      vectorSources,
      vectorsOnStored: (flags & VECTORS_ON_STORED) !== 0,
    };
  }

  /** Of memory. */
  get bytes(): number {
    const columns = [this.#flags, this.#storedSegment, this.#storedLocal, this.#storedId, this.#top];
    const sources = [this.#payload, this.#index, this.#below, this.#replaces];
    return [...columns, ...sources].reduce((sum, { bytes }) => sum + bytes, this.#keys.bytes);
  }

  #lay(document: number, { payload, index }: Source, below: number, replaces: 0 | 1): void {
    this.#top.set(document, this.#payload.length);
    this.#payload.push(payload);
    this.#index.push(index);
    this.#below.push(below);
    this.#replaces.push(replaces);
  }

  /** The place of a document of the batch or of the index, or -1. */
  #touch(key: Uint8Array): number {
    const known = this.#keys.find(key);
    if (known >= 0) return known;
    const stored = this.stored?.find(key) ?? null;
    return stored ? this.#enter(key, stored) : -1;
  }

  #enter(key: Uint8Array, stored: StoredLocation | null): number {
    this.#flags.push(stored ? ALIVE | ON_STORED | VECTORS_ON_STORED : 0);
    this.#storedSegment.push(stored?.segment ?? NOWHERE);
    this.#storedLocal.push(stored?.local ?? 0);
    this.#storedId.push(stored?.internalId ?? 0);
    this.#top.push(NONE);
    return this.#keys.add(key);
  }
}
