import type { BatchOutcome, DocumentBatch } from './batch/batch.js';
import { BatchDocuments, RefusedDocument } from './batch/batch-documents.js';
import type { ApplyInput, ApplyOutput, Refusal } from './batch/batch-job.js';
import { type DocumentRange, FreshDocuments, type SharedFreshDocuments } from './batch/fresh-documents.js';
import { PendingReader, type SharedPending } from './batch/pending-columns.js';
import { unitedDeletions } from './batch/removals.js';
import { unitedDeltas } from './batch/tally.js';
import { type BuiltRange, buildRange, learnRange } from './build-range.js';
import type { BuildResources } from './build-resources.js';
import { builderBytesLeft } from './memory-budget.js';

/** How many parts a batch may be split into, one per thread. */
export interface Parts {
  most: number;
  /** Bytes of documents that justify a further thread and segment. */
  leastBytes: number;
  /** Bytes of documents from which on a batch takes smaller segments into its own. */
  takingBytes: number;
}

/** A batch whose final documents are determined but not yet built. */
export interface DividedBatch {
  outcome: BatchOutcome;
  pending: SharedPending;
  fresh: SharedFreshDocuments;
  ranges: DocumentRange[];
  /** Positions of segments of which all documents are built again. */
  taken: ReadonlySet<number>;
  /** Bytes of memory that it takes. */
  bytes: number;
}

/** What a thread needs to build one part of a divided batch. */
export interface PartInput {
  input: ApplyInput;
  batch: DividedBatch;
  range: DocumentRange;
  /** Field paths known before: field id -> path. */
  fields: string[];
}

export type PartOutput = { built: BuiltRange } | { refusal: Refusal };

/** Contiguous ranges of documents, of similar size in bytes. */
export function rangesOf(
  { documents, pending, input }: DocumentBatch,
  fresh: FreshDocuments,
  { most, leastBytes }: Parts,
): DocumentRange[] {
  if (most === 1) return [{ from: 0, to: fresh.count }];
  return fresh.ranges(most, leastBytes, (place, index) => {
    const taken = fresh.taken(index);
    if (taken) return (input.segmentBytes[taken.segment] as number) / (input.view.segments[taken.segment]?.liveCount ?? 1);
    const source = pending.reader.lastSource(place);
    return source ? documents.payload(source.payload).length(source.index) : 0;
  });
}

export function divided(
  { pending }: DocumentBatch,
  fresh: FreshDocuments,
  outcome: BatchOutcome,
  ranges: DocumentRange[],
  taken: ReadonlySet<number>,
): DividedBatch {
  const shared = { taken, outcome, pending: pending.share(), fresh: fresh.share(), ranges };
  return { ...shared, bytes: pending.reader.bytes + fresh.bytes };
}

/** All field paths known after the documents of a part. @throws {ApiError} max_fields_limit_exceeded */
export function learnPart(part: PartInput, resources: BuildResources): string[] {
  return withWork(part, resources, (work) => learnRange(work, resources));
}

export function buildPart(part: PartInput, resources: BuildResources): PartOutput {
  return withWork(part, resources, (work) => {
    try {
      return { built: buildRange(work, resources) };
    } catch (error) {
      if (!(error instanceof RefusedDocument)) throw error;
      const { code, message } = error.reason;
      return { refusal: { operation: error.operation, code, message } };
    }
  });
}

function withWork<T>({ input, batch, range, fields }: PartInput, resources: BuildResources, job: (work: Work) => T): T {
  const documents = new BatchDocuments(input, resources);
  try {
    return job({
      documents,
      pending: PendingReader.over(batch.pending),
      fresh: new FreshDocuments(batch.fresh),
      range,
      taken: batch.taken,
      primaryKey: batch.outcome.primaryKey,
      fields,
      memoryBudget: builderBytesLeft(resources.writerOptions.memoryBudget, batch.bytes / batch.ranges.length),
    });
  } finally {
    documents.close();
  }
}

type Work = Parameters<typeof buildRange>[0];

/** The result of a batch whose documents were built in parts, in their order. @param fields all field paths */
export function united(outcome: BatchOutcome, parts: readonly BuiltRange[], fields: string[]): ApplyOutput {
  return {
    ...outcome,
    fields,
    segments: parts.flatMap(({ segments }) => segments),
    deleted: unitedDeletions([outcome.deleted, ...parts.map(({ deleted }) => deleted)]),
    delta: unitedDeltas([outcome.delta, ...parts.map(({ delta }) => delta)]),
  };
}
