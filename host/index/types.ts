import type { ApiError } from '../../bindings/errors.js';
import type { IndexSettings } from '../../bindings/index-types.js';
import type { LedgerWrite } from '../storage/ledger.js';

/** A segment file, as listed in the manifest of its index. */
export interface StoredSegment {
  /** Unique within the database. */
  id: number;
  /** File name in the folder of segments. */
  file: string;
  docCount: number;
  /** Documents without a tombstone. */
  liveCount: number;
  /** Bytes at the beginning of the file that a server loads into memory. */
  residentLength: number;
  fileLength: number;
  /** Bytes of the documents before compression, including deleted ones. */
  rawBytes: number;
}

/** First and last internal id of a range. */
export type IdRange = [from: number, to: number];

/** Everything durable about an index except its segment files and tombstones; immutable once committed. */
export interface IndexRecord {
  uid: string;
  /** RFC 3339. */
  createdAt: string;
  updatedAt: string;
  primaryKey: string | null;
  settings: IndexSettings;
  /** Field id -> path, in the order of first appearance; entries are never removed. */
  fields: string[];
  segments: StoredSegment[];
  /** The internal id after the greatest one in use. */
  nextInternalId: number;
  /** Ids below {@link nextInternalId} that no document has: ascending, disjoint ranges. */
  freeIds: IdRange[];
  stats: IndexStats;
}

export interface IndexStats {
  documents: number;
  /** Bytes of the live documents as JSON. */
  rawBytes: number;
  /** Top-level field -> number of documents that have it. */
  fieldDistribution: Record<string, number>;
  /** Vectors of all embedders. */
  embeddings: number;
  /** Documents with at least one vector. */
  embeddedDocuments: number;
}

/**
 * A change that is prepared but not committed. Reading {@link record} or {@link writes} settles it against the committed state of
 * that moment; it must then be published or discarded before another draft of the same index is settled.
 */
export interface Draft {
  readonly uid: string;
  /** null: the index is deleted. */
  readonly record: IndexRecord | null;
  readonly writes: LedgerWrite[];
  /**
   * To be called when the ledger holds the writes: readers see the new state, and the resources of the old one are released when
   * no reader needs them.
   */
  publish(): void;
  /**
   * Frees what was made for the change. @param keepFiles whether the ledger may still refer to its segment files; the next start
   * decides
   */
  discard(keepFiles?: boolean): void;
}

/** A payload that was found to be well-formed. */
export interface ScannedPayload {
  /** Number of documents. */
  count: number;
  bytes: number;
}

/** A payload in a file of its own, on disk. */
export interface StoredPayload extends ScannedPayload {
  /** File name in the payload folder. */
  file: string;
}

/** A payload that is small enough to be stored in the ledger; see host/index/payloads/payload.ts. */
export interface SmallPayload extends ScannedPayload {
  file: null;
  content: Uint8Array;
}

export type PayloadFormat = 'json' | 'ndjson' | 'csv';

/** One task of a batch of document operations. */
export type DocumentOperation =
  | {
      type: 'add';
      /** File name in the payload folder. */
      file: string;
      /** Offset of the payload in the file; default 0. */
      at?: number;
      method: 'replace' | 'update';
      primaryKey: string | null;
      skipCreation: boolean;
      /** The documents were imported from another instance: missing vectors are not an error. */
      imported?: boolean;
    }
  | { type: 'deleteByIds'; ids: string[] }
  | { type: 'deleteByFilter'; filter: unknown };

/** A script that changes documents; see host/index/edition. */
export interface Edition {
  script: string;
  /** The variable `context` of the script. */
  context: Record<string, unknown> | null;
  /** null: all documents. */
  filter: unknown;
}

/**
 * The outcome of one operation. `count`: for additions the distinct ids in the payload; for deletions the documents deleted, or
 * the distinct ids given when the batch also adds documents. A failed operation changes nothing.
 */
export type OperationResult = { ok: true; count: number } | { ok: false; error: ApiError };

/** Called periodically while documents are indexed. Throwing cancels the work. */
export type Progress = (step: string, finished: number, total: number) => void;
