import { SegmentBuilder } from '../../../bindings/engine/builder.js';
import { builderConfig } from '../../../bindings/engine/builder-config.js';
import { tooManyFields } from '../../../bindings/engine/json.js';
import type { StoredSegment } from '../record.js';
import type { BatchDocuments } from './batch/batch-documents.js';
import { type DocumentRange, type FreshDocuments, MAX_NEIGHBOURS } from './batch/fresh-documents.js';
import type { PendingReader } from './batch/pending-columns.js';
import { type DeletedDocuments, Removals } from './batch/removals.js';
import { deltaOf, type StatsDelta, Tally } from './batch/tally.js';
import type { BuildResources } from './build-resources.js';
import type { StoredDocuments } from './documents/stored-documents.js';
import { SegmentWriter } from './segments/segment-writer.js';

/** A range of documents to be built, with what they are built from. */
export interface RangeWork {
  documents: BatchDocuments;
  pending: PendingReader;
  fresh: FreshDocuments;
  range: DocumentRange;
  /** Positions of segments of which all documents are built again. */
  taken: ReadonlySet<number>;
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
  const { documents, range, memoryBudget } = work;
  const tally = new Tally(instance);
  const removals = new Removals(documents.stored, tally);
  const writer = new SegmentWriter({ ...writerOptions, memoryBudget, instance, config: configOf(work) });
  try {
    const total = range.to - range.from;
    for (let index = range.from; index < range.to; ) {
      const added =
        addTaken(work, index, writer, removals, tally) ||
        addNeighbours(work, index, writer, tally) ||
        addDocument(work, index, writer, removals, tally);
      for (const end = index + added; index < end; index++) progress('indexing documents', index - range.from, total);
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
 * Adds new documents that are stored as they were sent, and are neighbours in their payload.
 * @returns how many; 0 when the next document is not one of these
 */
function addNeighbours(
  { documents, pending, fresh, range }: RangeWork,
  index: number,
  writer: SegmentWriter,
  tally: Tally,
): number {
  const { place, count: places } = fresh.neighbours(index, Math.min(range.to, index + MAX_NEIGHBOURS));
  // Where each document has vectors of its own, neighbours need not be looked for.
  const first = documents.vectors.isIdle ? null : pending.lastSource(place);
  if (first && !documents.isStoredAsSent(documents.sent(first))) return 0;
  const source = pending.neighbours(place, places);
  if (!source) return 0;
  const run = documents.payload(source.payload).run(source.index, source.index + source.count);
  if (!documents.isStoredAsSent(run.bytes)) return 0;
  const count = run.places.length / 2;
  const { keys, ends } = pending.keys(place, place + count);
  const vectorsOf = (document: number) => {
    const vectors = documents.settledNew(place + document).map((each) => each.vectors);
    tally.countVectors(vectors, 1);
    return vectors;
  };
  writer.addRun(
    { ids: fresh.ids(index, index + count), keys, keyEnds: ends, documents: run },
    documents.vectors.isIdle ? null : vectorsOf,
  );
  return count;
}

/** Adds a document that is built again as it is stored. @returns how many; 0 when the next document is not one of these */
function addTaken(
  { documents, fresh }: RangeWork,
  index: number,
  writer: SegmentWriter,
  removals: Removals,
  tally: Tally,
): number {
  const location = fresh.taken(index);
  if (!location) return 0;
  const stored = documents.stored as StoredDocuments;
  const json = stored.read(location);
  const vectors = stored.vectors(location);
  writer.add(location.internalId, stored.key(location), json, vectors);
  removals.remove(location, json);
  tally.countVectors(vectors, 1);
  return 1;
}

/** Adds any document, unless it equals its stored version and that stays where it is. Returns 1. */
function addDocument(work: RangeWork, index: number, writer: SegmentWriter, removals: Removals, tally: Tally): number {
  const { documents, pending, fresh, taken } = work;
  const { place } = fresh.neighbours(index, index + 1);
  const document = pending.get(place);
  // The builder accepts documents as they were sent.
  const json = documents.asSent(document) ?? documents.version(document);
  const settled = documents.settled(document, place);
  const stays = document.stored && !taken.has(document.stored.segment);
  if (stays && settled.every(({ unchanged }) => unchanged) && documents.isStored(document, json)) return 1;
  const vectors = settled.map((each) => each.vectors);
  writer.add(fresh.ids(index, index + 1)[0] as number, document.key, json, vectors);
  removals.remove(document.stored);
  tally.countVectors(vectors, 1);
  return 1;
}

/**
 * The field paths known after these documents, for threads that build the ranges after them at the same time.
 * @throws {ApiError} max_fields_limit_exceeded
 */
export function learnRange(work: RangeWork, { instance }: BuildResources): string[] {
  const { documents, pending, fresh, range } = work;
  const builder = new SegmentBuilder(instance, configOf(work));
  try {
    for (const [index, [, place]] of fresh.inOrder(range)) {
      // The fields of stored documents are known.
      if (fresh.taken(index)) continue;
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
