import { builderConfig } from '../../../bindings/engine/builder-config.js';
import type { IndexSettings, IndexView } from '../../../bindings/index-types.js';
import type { StoredSegment } from '../types.js';
import { checkReserved, reservedMembers } from './reserved.js';
import { SegmentWriter } from './segment-writer.js';
import { StoredDocuments } from './stored-documents.js';
import type { BuildResources } from './worker-jobs.js';

export interface RebuildInput {
  view: IndexView;
  /** What to build for: new settings, or those of the view. */
  settings: IndexSettings;
  /** Ids of the segments whose live documents are taken. */
  sources: number[];
  /** The documents were not checked against these settings before. */
  checkDocuments: boolean;
}

/** A document that no longer exists has no place in the new segments. */
export const NOWHERE = 0xffffffff;

export interface RebuildOutput {
  segments: StoredSegment[];
  fields: string[];
  /** By source segment id: local number -> place among all documents of the new segments, or {@link NOWHERE}. */
  places: [segment: number, Uint32Array][];
}

/** Builds new segments from the live documents of old ones, in the order of their internal ids. */
export function rebuild({ view, settings, sources, checkDocuments }: RebuildInput, resources: BuildResources): RebuildOutput {
  const stored = new StoredDocuments(resources.open(view));
  const segments = view.segments.flatMap(({ id }, index) => (sources.includes(id) ? [index] : []));
  const places = new Map(
    segments.map((index) => [index, new Uint32Array(view.segments[index]?.docCount ?? 0).fill(NOWHERE)] as const),
  );
  const { instance, writerOptions, progress } = resources;
  const config = builderConfig(settings, view.fields, view.primaryKey ?? '');
  const writer = new SegmentWriter({ ...writerOptions, instance, config });
  const reserved = reservedMembers(settings);
  const total = segments.reduce((sum, index) => sum + (view.segments[index]?.liveCount ?? 0), 0);
  let place = 0;
  try {
    for (const location of stored.inOrder(segments)) {
      const key = stored.key(location);
      const json = stored.read(location);
      if (checkDocuments) checkReserved(reserved, key, json);
      writer.add(location.internalId, key, json, stored.vectors(location));
      (places.get(location.segment) as Uint32Array)[location.local] = place++;
      progress('indexing documents', place, total);
    }
    return {
      segments: writer.finish(),
      fields: writer.fields,
      places: [...places].map(([index, map]) => [view.segments[index]?.id ?? 0, map]),
    };
  } catch (error) {
    writer.discard();
    throw error;
  }
}
