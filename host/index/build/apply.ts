import { ApiError } from '../../../bindings/errors.js';
import { DocumentBatch } from './batch/batch.js';
import { RefusedDocument } from './batch/batch-documents.js';
import type { ApplyInput, ApplyOutput, Refusal, TextsInput, TextsOutput } from './batch/batch-job.js';
import { firstBeyondFieldLimit } from './batch/field-limit.js';
import { FreshDocuments } from './batch/fresh-documents.js';
import { takenSegments } from './batch/taken-segments.js';
import { buildRange } from './build-range.js';
import type { BuildResources } from './build-resources.js';
import { builderBytesLeft, documentBytes } from './memory-budget.js';
import { type DividedBatch, divided, type Parts, rangesOf, united } from './parts.js';

/**
 * More operations fail than were known when the texts were collected. The embeddings are those of documents with these operations
 * applied, so the batch has to be repeated.
 */
export interface Outdated {
  /** All operations that fail. */
  refusals: Refusal[];
}

/** A batch that has been applied, or one whose documents are still to be built by several threads. */
export type Applied = { whole: ApplyOutput } | { divided: DividedBatch } | Outdated;

/** Applies a batch of operations in order, as if one at a time; an operation that fails changes nothing. */
export function applyDocuments(input: ApplyInput, parts: Parts, resources: BuildResources): Applied {
  const known = input.refusals?.length ?? 0;
  return untilAccepted(input, resources, (batch, refused) => {
    if (input.embedded && refused.size > known) return { refusals: refusalsOf(refused) };
    return applied(batch, parts, resources);
  });
}

function applied(batch: DocumentBatch, parts: Parts, resources: BuildResources): Applied {
  const fresh = new FreshDocuments();
  const results = batch.results();
  const taken = segmentsFor(batch, parts, resources);
  const outcome = batch.outcome(results, fresh, taken);
  const { documents, pending } = batch;
  const ranges = rangesOf(batch, fresh, parts);
  if (ranges.length > 1) return { divided: divided(batch, fresh, outcome, ranges, taken) };
  const { primaryKey } = outcome;
  const built = buildRange(
    {
      documents,
      pending: pending.reader,
      fresh,
      range: { from: 0, to: fresh.count },
      taken,
      primaryKey,
      fields: batch.input.view.fields,
      memoryBudget: builderBytesLeft(resources.writerOptions.memoryBudget, pending.bytes + fresh.bytes),
    },
    resources,
  );
  return { whole: united(outcome, [built], built.fields) };
}

/** The segments that a batch takes. Vectors would need new graphs, which takes longer than everything else. */
function segmentsFor({ input, bytes }: DocumentBatch, { takingBytes }: Parts, { writerOptions }: BuildResources) {
  if (Object.keys(input.view.settings.embedders).length > 0) return new Set<number>();
  const limits = { leastBytes: takingBytes, mostBytes: documentBytes(writerOptions.memoryBudget) };
  return takenSegments(input.segmentBytes, bytes, limits);
}

/** Writes the texts of a batch that need embeddings to a file. */
export function textsOfDocuments(input: TextsInput, resources: BuildResources): TextsOutput {
  return untilAccepted(input, resources, (batch, refused) => {
    const count = batch.writeTexts(input);
    return { count, refusals: refusalsOf(refused) };
  });
}

function refusalsOf(refused: ReadonlyMap<number, ApiError>): Refusal[] {
  return [...refused].map(([operation, { code, message }]) => ({ operation, code, message }));
}

/** Repeats the work, each time with the operations found to fail, until no further one fails. */
function untilAccepted<T>(
  input: ApplyInput,
  resources: BuildResources,
  attempt: (batch: DocumentBatch, refused: Map<number, ApiError>) => T,
): T {
  const refused = new Map(input.refusals?.map(({ operation, code, message }) => [operation, new ApiError(code, message)]));
  for (;;) {
    const batch = new DocumentBatch(input, resources, refused);
    try {
      return attempt(batch, refused);
    } catch (error) {
      if (error instanceof RefusedDocument) {
        refused.set(error.operation, error.reason);
        continue;
      }
      if (!(error instanceof ApiError) || error.code !== 'max_fields_limit_exceeded') throw error;
      // Documents are built in the order of their ids, so the operation that exceeded the limit has to be determined separately.
      const operation = firstBeyondFieldLimit(resources.instance, input, refused);
      if (operation < 0) throw error;
      refused.set(operation, error);
    } finally {
      batch.close();
    }
  }
}
