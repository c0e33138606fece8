import type { OpenSegment } from '../../../../bindings/engine/segments.js';
import { addBit, bitmapFor, union } from '../../tombstones.js';
import type { StoredDocuments, StoredLocation } from '../documents/stored-documents.js';
import type { Tally } from './tally.js';

/** Bitmaps of the local numbers of deleted or replaced documents, by segment id. */
export type DeletedDocuments = [segment: number, bitmap: Uint8Array][];

/** Collects the stored versions that a batch deletes or replaces. */
export class Removals {
  readonly #deleted = new Map<number, Uint8Array>();

  constructor(
    private readonly stored: StoredDocuments | null,
    private readonly tally: Tally,
  ) {}

  /** @param location null when the document is new. @param json the document, if it has been read */
  remove(location: StoredLocation | null, json?: Uint8Array): void {
    const { stored } = this;
    if (!location || !stored) return;
    const { id, docCount } = (stored.reader.segments[location.segment] as OpenSegment).ref;
    let bitmap = this.#deleted.get(id);
    if (!bitmap) {
      bitmap = bitmapFor(docCount);
      this.#deleted.set(id, bitmap);
    }
    addBit(bitmap, location.local);
    this.tally.count(json ?? stored.read(location), -1, stored.vectors(location));
  }

  get deleted(): DeletedDocuments {
    return [...this.#deleted];
  }
}

/** The union of several sets of deletions. */
export function unitedDeletions(parts: readonly DeletedDocuments[]): DeletedDocuments {
  const united = new Map<number, Uint8Array>();
  for (const [segment, bitmap] of parts.flat()) united.set(segment, union(united.get(segment), bitmap));
  return [...united];
}
