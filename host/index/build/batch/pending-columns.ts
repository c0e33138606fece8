import { byteColumn, i32Column, type SharedColumn, u32Column } from '../../../runtime/number-columns.js';
import type { StoredLocation } from '../documents/stored-documents.js';
import { KeyList, type SharedKeyList } from './key-table.js';

/** A document in a payload. */
export interface Source {
  /** Number of the payload in the batch. */
  payload: number;
  index: number;
}

/** The state of a document within a batch. */
export interface PendingDocument {
  key: Uint8Array;
  /** Location of the version stored before the batch. */
  stored: StoredLocation | null;
  alive: boolean;
  /** Whether {@link sources} are applied to the stored version. */
  onStored: boolean;
  /** Applied over each other, in order. */
  sources: Source[];
  /** All sources that may set vectors, in order: generated vectors are kept when a document is replaced. */
  vectorSources: Source[];
  /** Whether the stored vectors still apply. */
  vectorsOnStored: boolean;
}

export const ALIVE = 1;
export const ON_STORED = 2;
export const VECTORS_ON_STORED = 4;
export const NOWHERE = -1;
/** End of the chain of sources. */
export const NONE = 0xffffffff;

/** One entry per document; after the blank line one per source. */
const COLUMNS = {
  flags: byteColumn,
  storedSegment: i32Column,
  storedLocal: u32Column,
  storedId: u32Column,
  /** The last source applied to the document; `below` leads to the earlier ones. */
  top: u32Column,

  payload: u32Column,
  index: u32Column,
  below: u32Column,
  /** 1: the source replaces the earlier ones. */
  replaces: byteColumn,
};

type Name = keyof typeof COLUMNS;
export type PendingColumns = { [name in Name]: ReturnType<(typeof COLUMNS)[name]> };

/** {@link PendingReader} in a form that can be sent to other threads. */
export interface SharedPending {
  keys: SharedKeyList;
  columns: { [name in Name]: SharedColumn };
}

const byName = <T>(value: (name: Name) => T) =>
  Object.fromEntries(Object.keys(COLUMNS).map((name) => [name, value(name as Name)])) as { [name in Name]: T };

export function pendingColumns(shared?: SharedPending['columns']): PendingColumns {
  return byName((name) => COLUMNS[name](shared?.[name])) as PendingColumns;
}

/** The documents that a batch touches, numbered in the order in which their keys first appear. */
export class PendingReader {
  constructor(
    private readonly keyList: KeyList,
    private readonly columns: PendingColumns,
  ) {}

  static over({ keys, columns }: SharedPending): PendingReader {
    return new PendingReader(new KeyList(keys), pendingColumns(columns));
  }

  get count(): number {
    return this.keyList.count;
  }

  /** A document by its number; valid until the next change. */
  get(document: number): PendingDocument {
    const { columns } = this;
    const flags = columns.flags.get(document);
    const segment = columns.storedSegment.get(document);
    const [local, internalId] = [columns.storedLocal.get(document), columns.storedId.get(document)];
    const vectorSources: Source[] = [];
    let laid = 0;
    for (let source = columns.top.get(document); source !== NONE; source = columns.below.get(source)) {
      vectorSources.push(this.#source(source));
      if (laid === 0 && columns.replaces.get(source)) laid = vectorSources.length;
    }
    vectorSources.reverse();
    return {
      key: this.keyList.get(document),
      stored: segment === NOWHERE ? null : { segment, local, internalId },
      alive: (flags & ALIVE) !== 0,
      onStored: (flags & ON_STORED) !== 0,
      sources: laid === 0 ? vectorSources : vectorSources.slice(-laid),
      vectorSources,
      vectorsOnStored: (flags & VECTORS_ON_STORED) !== 0,
    };
  }

  /** Whether a document is new and has a single source. */
  isPlain(document: number): boolean {
    const { flags, storedSegment, top, below } = this.columns;
    if (storedSegment.get(document) !== NOWHERE || !(flags.get(document) & ALIVE)) return false;
    return below.get(top.get(document)) === NONE;
  }

  /**
   * Plain documents whose sources are neighbours in a payload, from one on.
   * @param count documents to look at, at most
   * @returns the first source and how many there are; null when the first document is not plain
   */
  neighbours(first: number, count: number): (Source & { count: number }) | null {
    if (!this.isPlain(first)) return null;
    const source = this.#source(this.columns.top.get(first));
    const { top, payload, index } = this.columns;
    let found = 1;
    for (; found < count && this.isPlain(first + found); found++) {
      const next = top.get(first + found);
      if (payload.get(next) !== source.payload || index.get(next) !== source.index + found) break;
    }
    return { ...source, count: found };
  }

  /** Of a document. */
  key(document: number): Uint8Array {
    return this.keyList.get(document);
  }

  /** Keys of the documents [from, to): see {@link KeyList.run}. */
  keys(from: number, to: number): { keys: Uint8Array; ends: Uint32Array } {
    return this.keyList.run(from, to);
  }

  /** The last source of a document; null when the batch only deletes it. */
  lastSource(document: number): Source | null {
    const top = this.columns.top.get(document);
    return top === NONE ? null : this.#source(top);
  }

  share(): SharedPending {
    return { keys: this.keyList.share(), columns: byName((name) => this.columns[name].share()) };
  }

  /** Bytes of memory. */
  get bytes(): number {
    return Object.values(this.columns).reduce((sum, { bytes }) => sum + bytes, this.keyList.bytes);
  }

  #source(source: number): Source {
    return { payload: this.columns.payload.get(source), index: this.columns.index.get(source) };
  }
}
