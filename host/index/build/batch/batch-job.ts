import type { IndexView } from '../../../../bindings/index-types.js';
import type { DocumentOperation } from '../../document-operations.js';
import type { IdRange, StoredSegment } from '../../record.js';
import type { EmbeddedFiles } from '../vectors/embedded-texts.js';
import type { DeletedDocuments } from './removals.js';
import type { StatsDelta } from './tally.js';

/** A batch of operations, as an index thread receives it. */
export interface ApplyInput {
  view: IndexView;
  /** Bytes of the live documents of each segment. */
  segmentBytes: readonly number[];
  freeIds: IdRange[];
  nextInternalId: number;
  operations: DocumentOperation[];
  /** Folder of the payload files. */
  payloads: string;
  /** Operations that are already known to fail. */
  refusals?: readonly Refusal[];
  /**
   * The embeddings of the texts that a job with a {@link TextsInput} of the same refusals has collected; absent: there was no
   * such job.
   */
  embedded?: EmbeddedFiles | undefined;
}

/** An operation that fails. */
export interface Refusal {
  /** Position of the operation in the batch. */
  operation: number;
  code: string;
  message: string;
}

export interface TextsInput extends ApplyInput {
  /** Of the files to which the texts are written: see vectors/texts.ts. */
  prefix: string;
  /** Names of the embedders whose vectors are not cached. */
  uncached: readonly string[];
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
