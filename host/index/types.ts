import type { ApiError } from '../../bindings/errors.js';
import type { IndexSettings } from '../../bindings/index-types.js';

/** A segment file as the manifest of its index names it. */
export interface StoredSegment {
  /** Unique within the database. */
  id: number;
  /** Name below the folder of segments. */
  file: string;
  docCount: number;
  /** Documents that no tombstone hides. */
  liveCount: number;
  /** Bytes at the start of the file that a server keeps in memory. */
  residentLength: number;
  fileLength: number;
  /** Bytes of the documents before compression, deleted ones included. */
  rawBytes: number;
}

/** First and last of a run of internal ids. */
export type IdRange = [from: number, to: number];

/** All that is durable about an index besides its segment files and tombstones; immutable once committed. */
export interface IndexRecord {
  uid: string;
  /** RFC 3339. */
  createdAt: string;
  updatedAt: string;
  primaryKey: string | null;
  settings: IndexSettings;
  /** Field id -> path, in the order of first appearance; never shrinks. */
  fields: string[];
  segments: StoredSegment[];
  /** The internal id after the greatest one in use. */
  nextInternalId: number;
  /** Ids below {@link nextInternalId} that no document has: ascending, apart from each other. */
  freeIds: IdRange[];
  stats: IndexStats;
}

export interface IndexStats {
  documents: number;
  /** Bytes of the live documents' JSON. */
  rawBytes: number;
  /** Top-level field -> documents that have it. */
  fieldDistribution: Record<string, number>;
  /** Vectors, of all embedders. */
  embeddings: number;
  /** Documents with at least one vector. */
  embeddedDocuments: number;
}

/** A write to the ledger. */
export interface LedgerWrite {
  type: 'put' | 'del';
  key: string;
  value?: Buffer;
}

/**
 * A change that is worked out but not yet committed. Reading {@link record} or {@link writes} settles it against the state
 * that is committed at that moment; from then on it must be published or discarded before another draft of the index is settled.
 */
export interface Draft {
  readonly uid: string;
  /** null: the index is deleted. */
  readonly record: IndexRecord | null;
  readonly writes: LedgerWrite[];
  /** After the ledger holds the writes: readers see the new state; what it left behind is released when no reader needs it. */
  publish(): void;
  /** Drops what was made for the change. @param keepFiles the ledger may yet name its segment files: the next start decides */
  discard(keepFiles?: boolean): void;
}

/** A payload that was found to be well formed. */
export interface ScannedPayload {
  /** Documents. */
  count: number;
  bytes: number;
}

/** A payload in a file of its own, on disk. */
export interface StoredPayload extends ScannedPayload {
  /** Name below the folder of payloads. */
  file: string;
}

/** A payload so small that whoever keeps it keeps its bytes; see host/index/payloads/payload.ts. */
export interface SmallPayload extends ScannedPayload {
  file: null;
  content: Uint8Array;
}

export type PayloadFormat = 'json' | 'ndjson' | 'csv';

/** One task of a batch of document operations. */
export type DocumentOperation =
  | {
      type: 'add';
      /** Below the folder of payloads. */
      file: string;
      /** Where in the file the payload begins; 0 when not given. */
      at?: number;
      method: 'replace' | 'update';
      primaryKey: string | null;
      skipCreation: boolean;
      /** The documents come from an instance that had them so: vectors that they lack are not asked for. */
      imported?: boolean;
    }
  | { type: 'deleteByIds'; ids: string[] }
  | { type: 'deleteByFilter'; filter: unknown };

/** A script that changes documents; see host/index/edition. */
export interface Edition {
  script: string;
  /** What the script finds as `context`. */
  context: Record<string, unknown> | null;
  /** null: all documents. */
  filter: unknown;
}

/**
 * The outcome of one operation. `count`: for additions the distinct ids of the payload; for deletions the documents deleted,
 * or the distinct ids given when the batch also adds documents. A failed operation has changed nothing.
 */
export type OperationResult = { ok: true; count: number } | { ok: false; error: ApiError };

/** Called from time to time while documents are indexed. */
export type Progress = (step: string, finished: number, total: number) => void;
