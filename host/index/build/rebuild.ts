import { builderConfig } from '../../../bindings/engine/builder-config.js';
import type { IndexSettings, IndexView } from '../../../bindings/index-types.js';
import type { StoredSegment } from '../types.js';
import type { BuildResources } from './build-resources.js';
import { checkReserved, reservedMembers } from './reserved.js';
import { SegmentWriter } from './segment-writer.js';
import { StoredDocuments } from './stored-documents.js';
import { embeddingsOf } from './tally.js';
import { LackingDocuments } from './vectors/check.js';
import { settled } from './vectors/decision.js';
import { EmbeddingsReader } from './vectors/embeddings-file.js';
import { TextWriter } from './vectors/texts.js';
import { type StoredDocument, VectorWork } from './vectors/work.js';

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
  /** File with the embeddings of texts; null: there are none. */
  embeddings?: string | null;
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
  const reserved = reservedMembers(settings);
  const work = input.changesVectors ? new VectorWork(view.uid, settings, view.settings) : null;
  // The stored graphs only fit vectors that do not change.
  const graphs = work ? [] : stored.largestGraphs(segments);
  const writer = new SegmentWriter({ ...writerOptions, instance, config, graphs });
  const embedded = input.embeddings ? new EmbeddingsReader(input.embeddings) : null;
  const total = segments.reduce((sum, index) => sum + (view.segments[index]?.liveCount ?? 0), 0);
  let read = 0;
  let place = 0;
  let embeddings = 0;
  let embeddedDocuments = 0;
  try {
    for (const location of stored.inOrder(segments)) {
      const key = stored.key(location);
      const before = { json: stored.read(location), vectors: stored.vectors(location) };
      const name = Buffer.from(key).toString('latin1');
      if (checkDocuments) checkReserved(reserved, key, before.json);
      const { stays, ...after } = work ? adopted(work, name, before, embedded) : { ...before, stays: false };
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
export function textsOfRebuild({ view, settings, sources, texts }: RebuildTextsInput, resources: BuildResources): number {
  const stored = new StoredDocuments(resources.open(view));
  const work = new VectorWork(view.uid, settings, view.settings);
  const writer = new TextWriter(texts);
  const lacking = new LackingDocuments(work);
  const total = view.segments.reduce((sum, { liveCount }) => sum + liveCount, 0);
  let read = 0;
  try {
    for (const location of stored.inOrder(segmentsOf(view, sources))) {
      const key = Buffer.from(stored.key(location)).toString('latin1');
      const before = { json: stored.read(location), vectors: stored.vectors(location) };
      const { entries, decisions } = work.adopt(key, before);
      lacking.note(key, entries, work.lackingIn(entries, before));
      writer.add(key, decisions, []);
      resources.progress('checking documents', read++, total);
    }
    lacking.end();
  } finally {
    writer.close();
  }
  return writer.count;
}

export interface RebuildTextsInput extends RebuildInput {
  /** The file to which the texts are written. */
  texts: string;
}

function segmentsOf(view: IndexView, sources: number[]): number[] {
  return view.segments.flatMap(({ id }, index) => (sources.includes(id) ? [index] : []));
}

/** A document under new settings; `stays`: it equals the stored one. */
function adopted(
  work: VectorWork,
  key: string,
  before: StoredDocument,
  embedded: EmbeddingsReader | null,
): StoredDocument & { stays: boolean } {
  const { json, decisions } = work.adopt(key, before);
  const stays = decisions.every(({ unchanged }) => unchanged) && Buffer.compare(json, before.json) === 0;
  return { json, vectors: decisions.map((decision) => settled(decision, (hash) => embedded?.get(hash) ?? null)), stays };
}
