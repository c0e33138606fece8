import { SegmentBuilder } from '../../../bindings/engine/builder.js';
import { builderConfig } from '../../../bindings/engine/builder-config.js';
import { tooManyFields } from '../../../bindings/engine/json.js';
import type { StoredSegment } from '../types.js';
import type { BatchDocuments } from './batch-documents.js';
import type { DocumentRange, FreshDocuments } from './fresh-documents.js';
import type { PendingReader } from './pending-columns.js';
import { type DeletedDocuments, Removals } from './removals.js';
import { SegmentWriter } from './segment-writer.js';
import { deltaOf, type StatsDelta, Tally } from './tally.js';
import type { BuildResources } from './worker-jobs.js';

/** A range of documents to be built, with what they are built from. */
export interface RangeWork {
  documents: BatchDocuments;
  pending: PendingReader;
  fresh: FreshDocuments;
  range: DocumentRange;
  primaryKey: string | null;
  /** Field paths known before: field id -> path. */
  fields: string[];
  /** Bytes for the segment builder. */
  memoryBudget: number;
}

export interface BuiltRange {
  segments: StoredSegment[];
  /** All field paths known afterwards. */
  fields: string[];
  /** Stored versions of the documents that were replaced. */
  deleted: DeletedDocuments;
  delta: StatsDelta;
}

/**
 * Builds segments of documents; documents that equal their stored version are left alone.
 * @throws {RefusedDocument}
 * @throws {ApiError} max_fields_limit_exceeded
 */
export function buildRange(work: RangeWork, { instance, writerOptions, progress }: BuildResources): BuiltRange {
  const { documents, pending, fresh, range, memoryBudget } = work;
  const tally = new Tally(instance);
  const removals = new Removals(documents.stored, tally);
  const writer = new SegmentWriter({ ...writerOptions, memoryBudget, instance, config: configOf(work) });
  try {
    for (const [index, [internalId, place]] of fresh.inOrder(range)) {
      const document = pending.get(place);
      // The builder accepts documents as they were sent.
      const json = documents.asSent(document) ?? documents.version(document);
      const decisions = documents.decide(document, json);
      if (document.stored && decisions.every(({ unchanged }) => unchanged) && documents.isStored(document, json)) continue;
      const vectors = documents.settled(decisions);
      writer.add(internalId, document.key, json, vectors);
      removals.remove(document.stored);
      tally.countVectors(vectors, 1);
      progress('indexing documents', index - range.from, range.to - range.from);
    }
    const segments = writer.finish();
    tally.countSegments(segments, writer.fieldDocuments);
    return { segments, fields: writer.fields, deleted: removals.deleted, delta: deltaOf(tally) };
  } catch (error) {
    writer.discard();
    throw error;
  }
}

/**
 * The field paths known after these documents, for threads that build the ranges after them at the same time.
 * @throws {ApiError} max_fields_limit_exceeded
 */
export function learnRange(work: RangeWork, { instance }: BuildResources): string[] {
  const { documents, pending, fresh, range } = work;
  const builder = new SegmentBuilder(instance, configOf(work));
  try {
    for (const [, [, place]] of fresh.inOrder(range)) {
      const document = pending.get(place);
      if (!builder.learn(documents.asSent(document) ?? documents.version(document))) throw tooManyFields();
    }
    return builder.fields;
  } finally {
    builder.dispose();
  }
}

function configOf({ documents, fields, primaryKey }: RangeWork) {
  return builderConfig(documents.input.view.settings, fields, primaryKey ?? '');
}
