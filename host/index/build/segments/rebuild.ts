import { builderConfig } from '../../../../bindings/engine/builder-config.js';
import type { IndexSettings, IndexView } from '../../../../bindings/index-types.js';
import type { StoredSegment } from '../../record.js';
import { embeddingsOf } from '../batch/tally.js';
import type { BuildResources } from '../build-resources.js';
import { keyText } from '../documents/key-text.js';
import { StoredMembers } from '../documents/reserved.js';
import { StoredDocuments } from '../documents/stored-documents.js';
import { LackingDocuments } from '../vectors/check.js';
import { type EmbeddedFiles, EmbeddedTexts } from '../vectors/embedded-texts.js';
import { TextWriter } from '../vectors/texts.js';
import { type StoredDocument, VectorWork } from '../vectors/work.js';
import { SegmentWriter } from './segment-writer.js';

export interface RebuildInput {
  view: IndexView;
  /** Settings to build with: new ones, or those of the view. */
  settings: IndexSettings;
  /** Ids of the segments whose live documents are taken. */
  sources: number[];
  /** The documents have not been checked against these settings. */
  checkDocuments: boolean;
  /** These settings may change the vectors of documents. */
  changesVectors: boolean;
  /** Skips documents whose vectors do not change. */
  changedAlone?: boolean;
  /** The embeddings of the texts that {@link textsOfRebuild} has collected; null: it was not called. */
  embedded?: EmbeddedFiles | null;
}

/** Place of a document that has been deleted or is skipped. */
export const NOWHERE = 0xffffffff;

export interface RebuildOutput {
  segments: StoredSegment[];
  fields: string[];
  /** By id of the source segment: local number -> position among all documents of the new segments, or {@link NOWHERE}. */
  places: [segment: number, Uint32Array][];
  /** Vectors of all documents, including skipped ones, and the number of documents with vectors. */
  embeddings: number;
  embeddedDocuments: number;
}

/** Builds new segments from the live documents of old ones, by ascending internal id. */
export function rebuild(input: RebuildInput, resources: BuildResources): RebuildOutput {
  const { view, settings, sources, checkDocuments, changedAlone = false } = input;
  const stored = new StoredDocuments(resources.open(view));
  const segments = segmentsOf(view, sources);
  const places = new Map(
    segments.map((index) => [index, new Uint32Array(view.segments[index]?.docCount ?? 0).fill(NOWHERE)] as const),
  );
  const { instance, writerOptions, progress } = resources;
  const config = builderConfig(settings, view.fields, view.primaryKey ?? '');
  const reserved = new StoredMembers(instance, settings);
  const work = input.changesVectors ? new VectorWork(view.uid, settings, view.settings) : null;
  // The stored graphs only fit vectors that do not change.
  const graphs = work ? [] : stored.largestGraphs(segments);
  const writer = new SegmentWriter({ ...writerOptions, instance, config, graphs });
  const embedded = input.embedded && work ? new EmbeddedTexts(input.embedded, work.embedders.length) : null;
  const total = segments.reduce((sum, index) => sum + (view.segments[index]?.liveCount ?? 0), 0);
  let read = 0;
  let place = 0;
  let embeddings = 0;
  let embeddedDocuments = 0;
  try {
    for (const location of stored.inOrder(segments)) {
      const key = stored.key(location);
      const before = { json: stored.read(location), vectors: stored.vectors(location) };
      const name = keyText(key);
      if (checkDocuments) reserved.check(key, before.json);
      const { stays, ...after } = work ? migrated(work, name, before, embedded, read) : { ...before, stays: false };
      const { json, vectors } = changedAlone && stays ? before : after;
      if (!changedAlone || !stays) {
        writer.add(location.internalId, key, json, vectors);
        (places.get(location.segment) as Uint32Array)[location.local] = place++;
      }
      const count = embeddingsOf(vectors);
      embeddings += count;
      if (count > 0) embeddedDocuments++;
      progress('indexing documents', read++, total);
    }
    return {
      segments: writer.finish(),
      fields: writer.fields,
      places: [...places].map(([index, map]) => [view.segments[index]?.id ?? 0, map]),
      embeddings,
      embeddedDocuments,
    };
  } catch (error) {
    writer.discard();
    throw error;
  } finally {
    embedded?.close();
  }
}

/**
 * Writes the texts that new settings need embeddings of to a file.
 * @throws {ApiError} when documents do not fit the settings
 * @returns their number
 */
export function textsOfRebuild(
  { view, settings, sources, prefix, uncached }: RebuildTextsInput,
  resources: BuildResources,
): number {
  const stored = new StoredDocuments(resources.open(view));
  const work = new VectorWork(view.uid, settings, view.settings);
  const writer = new TextWriter(prefix, work.embedders, uncached);
  const lacking = new LackingDocuments(work);
  const total = view.segments.reduce((sum, { liveCount }) => sum + liveCount, 0);
  let read = 0;
  try {
    for (const location of stored.inOrder(segmentsOf(view, sources))) {
      const key = keyText(stored.key(location));
      const before = { json: stored.read(location), vectors: stored.vectors(location) };
      const { json, entries, vectors } = work.migrate(key, before);
      lacking.note(key, entries, work.lackingIn(entries, before));
      writer.add(read, work.texts(key, json, vectors), (embedder) => work.owner(key, [], vectors, embedder));
      resources.progress('checking documents', read++, total);
    }
    lacking.end();
  } finally {
    writer.close();
  }
  return writer.count;
}

export interface RebuildTextsInput extends RebuildInput {
  /** Of the files to which the texts are written: see vectors/texts.ts. */
  prefix: string;
  /** Names of the embedders whose vectors are not cached. */
  uncached: readonly string[];
}

function segmentsOf(view: IndexView, sources: number[]): number[] {
  return view.segments.flatMap(({ id }, index) => (sources.includes(id) ? [index] : []));
}

/** A document under new settings; `stays`: it equals the stored one. @param place its number among the documents of the segments */
function migrated(
  work: VectorWork,
  key: string,
  before: StoredDocument,
  embedded: EmbeddedTexts | null,
  place: number,
): StoredDocument & { stays: boolean } {
  const { json, vectors } = work.migrate(key, before);
  const settled = work.settled(vectors, place, embedded);
  const stays = settled.every(({ unchanged }) => unchanged) && Buffer.compare(json, before.json) === 0;
  return { json, vectors: settled.map((each) => each.vectors), stays };
}
