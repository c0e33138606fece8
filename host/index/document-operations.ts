import type { ApiError } from '../../bindings/errors.js';

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
