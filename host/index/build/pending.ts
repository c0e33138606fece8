import type { StoredDocuments, StoredLocation } from './stored-documents.js';

/** A document of a payload. */
export interface Source {
  /** Which of the batch's payloads. */
  payload: number;
  index: number;
}

/** What a batch has made of a document so far. */
export interface PendingDocument {
  key: string;
  /** Where its version from before the batch stands. */
  stored: StoredLocation | null;
  alive: boolean;
  /** The stored version is the base of {@link sources}. */
  onStored: boolean;
  /** Laid over each other in order. */
  sources: Source[];
}

/** Documents that a batch touches, in the order in which their keys first appear; a naive overlay over what is stored. */
export class PendingDocuments {
  readonly #documents = new Map<string, PendingDocument>();

  constructor(readonly stored: StoredDocuments | null) {}

  add(key: string, source: Source, method: 'replace' | 'update', skipCreation: boolean): void {
    const known = this.#touch(key);
    if (!known?.alive) {
      if (skipCreation) return;
      const document = known ?? { key, stored: null, alive: true, onStored: false, sources: [] };
      document.alive = true;
      document.onStored = false;
      document.sources = [source];
      if (!known) this.#documents.set(key, document);
    } else if (method === 'replace') {
      known.onStored = false;
      known.sources = [source];
    } else {
      known.sources.push(source);
    }
  }

  /** Whether there was such a document. */
  delete(key: string): boolean {
    const known = this.#touch(key);
    if (!known?.alive) return false;
    known.alive = false;
    known.onStored = false;
    known.sources = [];
    return true;
  }

  [Symbol.iterator](): IterableIterator<PendingDocument> {
    return this.#documents.values();
  }

  #touch(key: string): PendingDocument | null {
    const known = this.#documents.get(key);
    if (known) return known;
    const stored = this.stored?.find(Buffer.from(key)) ?? null;
    if (!stored) return null;
    const document: PendingDocument = { key, stored, alive: true, onStored: true, sources: [] };
    this.#documents.set(key, document);
    return document;
  }
}
