import { byteColumn, i32Column, type SharedColumn, u32Column } from './columns.js';
import { KeyList, type SharedKeyList } from './key-table.js';
import type { StoredLocation } from './stored-documents.js';

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

export const ALIVE = 1;
export const ON_STORED = 2;
export const VECTORS_ON_STORED = 4;
export const NOWHERE = -1;
/** No further source. */
export const NONE = 0xffffffff;

/** By document, and, after the blank line, by source. */
const COLUMNS = {
  flags: byteColumn,
  storedSegment: i32Column,
  storedLocal: u32Column,
  storedId: u32Column,
  /** The source laid over all others, of which `below` leads to those under it. */
  top: u32Column,

  payload: u32Column,
  index: u32Column,
  below: u32Column,
  /** 1: the source replaces those under it. */
  replaces: byteColumn,
};

type Name = keyof typeof COLUMNS;
export type PendingColumns = { [name in Name]: ReturnType<(typeof COLUMNS)[name]> };

/** {@link PendingReader} as it goes to other threads. */
export interface SharedPending {
  keys: SharedKeyList;
  columns: { [name in Name]: SharedColumn };
}

const byName = <T>(value: (name: Name) => T) =>
  Object.fromEntries(Object.keys(COLUMNS).map((name) => [name, value(name as Name)])) as { [name in Name]: T };

export function pendingColumns(shared?: SharedPending['columns']): PendingColumns {
  return byName((name) => COLUMNS[name](shared?.[name])) as PendingColumns;
}

/** Documents that a batch touches, by their places in the order in which their keys first appear. */
export class PendingReader {
  constructor(
    private readonly keys: KeyList,
    private readonly columns: PendingColumns,
  ) {}

  static over({ keys, columns }: SharedPending): PendingReader {
    return new PendingReader(new KeyList(keys), pendingColumns(columns));
  }

  get count(): number {
    return this.keys.count;
  }

  /** A document by its place in the order, to be read before the next change. */
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
      key: this.keys.get(document),
      stored: segment === NOWHERE ? null : { segment, local, internalId },
      alive: (flags & ALIVE) !== 0,
      onStored: (flags & ON_STORED) !== 0,
      sources: laid === 0 ? vectorSources : vectorSources.slice(-laid),
      vectorSources,
      vectorsOnStored: (flags & VECTORS_ON_STORED) !== 0,
    };
  }

  /** The last that was sent of a document; null: nothing was. */
  lastSource(document: number): Source | null {
    const top = this.columns.top.get(document);
    return top === NONE ? null : this.#source(top);
  }

  share(): SharedPending {
    return { keys: this.keys.share(), columns: byName((name) => this.columns[name].share()) };
  }

  /** Of memory. */
  get bytes(): number {
    return Object.values(this.columns).reduce((sum, { bytes }) => sum + bytes, this.keys.bytes);
  }

  #source(source: number): Source {
    return { payload: this.columns.payload.get(source), index: this.columns.index.get(source) };
  }
}
