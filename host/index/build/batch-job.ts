import type { IndexView } from '../../../bindings/index-types.js';
import type { DocumentOperation, IdRange, StoredSegment } from '../types.js';
import type { DeletedDocuments } from './removals.js';
import type { StatsDelta } from './tally.js';

/** A batch of operations, as an index thread receives it. */
export interface ApplyInput {
  view: IndexView;
  freeIds: IdRange[];
  nextInternalId: number;
  operations: DocumentOperation[];
  /** Folder of the payload files. */
  payloads: string;
  /** Operations that are already known to fail. */
  refusals?: readonly Refusal[];
  /** File below the payload folder with the embeddings of texts; null: there are none. */
  embeddings?: string | null;
}

/** An operation that fails. */
export interface Refusal {
  /** Position of the operation in the batch. */
  operation: number;
  code: string;
  message: string;
}

export interface TextsInput extends ApplyInput {
  /** The file to which the texts are written. */
  texts: string;
}

export interface TextsOutput {
  /** Number of texts. */
  count: number;
  /** Operations that fail, including those of the input. */
  refusals: Refusal[];
}

/** The result of one operation. */
export type PlainResult = { ok: true; count: number } | { ok: false; code: string; message: string };

/** The result of a batch. */
export interface ApplyOutput {
  results: PlainResult[];
  primaryKey: string | null;
  fields: string[];
  segments: StoredSegment[];
  deleted: DeletedDocuments;
  freeIds: IdRange[];
  nextInternalId: number;
  delta: StatsDelta;
}
