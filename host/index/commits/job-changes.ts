import { ApiError } from '../../../bindings/errors.js';
import type { IndexSettings } from '../../../bindings/index-types.js';
import type { ApplyOutput } from '../build/batch/batch-job.js';
import { addDelta } from '../build/batch/tally.js';
import { NOWHERE, type RebuildOutput } from '../build/segments/rebuild.js';
import type { OperationResult } from '../document-operations.js';
import type { IndexRecord, StoredSegment } from '../record.js';
import { addBit, bitmapFor, bitsBeyond, union } from '../tombstones.js';
import type { Change } from './draft.js';
import { stateOf } from './index-changes.js';
import { movedBits, type Relocations } from './relocations.js';
import { type IndexState, withLiveCounts } from './state.js';

/** The change made by a batch of document operations, and the result of each operation. */
export function applied(
  uid: string,
  output: ApplyOutput,
  relocations: Relocations,
  now: string,
): { change: Change; results: OperationResult[] } {
  const results = output.results.map(
    (result): OperationResult => (result.ok ? result : { ok: false, error: new ApiError(result.code, result.message) }),
  );
  const change: Change = {
    uid,
    next(states) {
      const state = stateOf(states, uid);
      const { record } = state;
      const { primaryKey, fields, freeIds, nextInternalId, deleted } = output;
      const changes = output.segments.length > 0 || deleted.length > 0 || primaryKey !== record.primaryKey;
      if (!changes) return state;
      const tombstones = new Map(state.tombstones);
      const present = new Set(record.segments.map(({ id }) => id));
      for (const [segment, bitmap] of deleted) relocations.remove(tombstones, present, segment, bitmap);
      const segments = [...record.segments, ...output.segments];
      const stats = addDelta(record.stats, output.delta);
      return withLiveCounts(
        { ...record, primaryKey, fields, freeIds, nextInternalId, segments, stats, updatedAt: now },
        tombstones,
      );
    },
  };
  return { change, results };
}

/** A change of settings that requires no rebuilding. */
export function reconfigured(uid: string, settings: IndexSettings, now: string): Change {
  return {
    uid,
    next(states) {
      const { record, tombstones } = stateOf(states, uid);
      return { record: { ...record, settings, updatedAt: now }, tombstones };
    },
  };
}

/** New settings, with all documents rebuilt. `before`: the record from which they were read. */
export function rebuilt(before: IndexRecord, settings: IndexSettings, output: RebuildOutput, now: string): Change {
  const { uid } = before;
  return {
    uid,
    next(states) {
      const { record } = stateOf(states, uid);
      // Only merges may have been committed meanwhile, since they change no document.
      if (record.updatedAt !== before.updatedAt || record.stats !== before.stats) {
        throw new Error(`index ${uid} changed while it was built anew`);
      }
      const { segments, fields, embeddings, embeddedDocuments } = output;
      const stats = { ...record.stats, embeddings, embeddedDocuments };
      return { record: { ...record, settings, segments, fields, stats, updatedAt: now }, tombstones: new Map() };
    },
  };
}

/** New settings, with only the affected documents rebuilt; the others stay where they are. */
export function revised(
  uid: string,
  settings: IndexSettings,
  output: RebuildOutput,
  relocations: Relocations,
  now: string,
): Change {
  return {
    uid,
    next(states) {
      const state = stateOf(states, uid);
      const tombstones = new Map(state.tombstones);
      const present = new Set(state.record.segments.map(({ id }) => id));
      for (const [segment, places] of output.places) {
        relocations.remove(tombstones, present, segment, movedFrom(places));
      }
      const { fields, embeddings, embeddedDocuments } = output;
      const stats = { ...state.record.stats, embeddings, embeddedDocuments };
      const segments = [...state.record.segments, ...output.segments];
      return withLiveCounts({ ...state.record, settings, segments, fields, stats, updatedAt: now }, tombstones);
    },
  };
}

/**
 * New settings, with each segment replaced by one with the same documents in the same places. `before`: the state that the
 * segments were made from.
 */
export function partsRebuilt(before: IndexState, settings: IndexSettings, made: readonly StoredSegment[], now: string): Change {
  const { record: old, tombstones } = before;
  return {
    uid: old.uid,
    next(states) {
      const { record } = stateOf(states, old.uid);
      // Only merges may have been committed meanwhile, since they change no document; their segments are replaced too.
      if (record.updatedAt !== old.updatedAt || record.stats !== old.stats) {
        throw new Error(`index ${old.uid} changed while its segments were revised`);
      }
      const bitmaps = old.segments.flatMap(({ id }, index) => {
        const bitmap = tombstones.get(id);
        return bitmap ? [[(made[index] as StoredSegment).id, bitmap] as const] : [];
      });
      return withLiveCounts({ ...record, settings, segments: [...made], updatedAt: now }, new Map(bitmaps));
    },
  };
}

/** Bitmap of the local numbers that have a new place. */
function movedFrom(places: Uint32Array): Uint8Array {
  const bitmap = bitmapFor(places.length);
  for (const [local, place] of places.entries()) if (place !== NOWHERE) addBit(bitmap, local);
  return bitmap;
}

/** Replaces segments by those built from their live documents; changes nothing when one of the sources is gone. */
export function merged(before: IndexState, sources: number[], output: RebuildOutput, relocations: Relocations): Change {
  const { uid } = before.record;
  return {
    uid,
    next(states) {
      const state = states.get(uid) ?? null;
      const present = new Set(state?.record.segments.map(({ id }) => id));
      if (!state || !sources.every((id) => present.has(id))) return state;
      const tombstones = new Map(state.tombstones);
      for (const [source, places] of output.places) {
        const now = state.tombstones.get(source);
        tombstones.delete(source);
        if (!now) continue;
        const late = bitsBeyond(now, before.tombstones.get(source));
        for (const [id, bitmap] of movedBits({ segments: output.segments, places }, late)) {
          tombstones.set(id, union(tombstones.get(id), bitmap));
        }
      }
      relocations.add(output);
      const kept = state.record.segments.filter(({ id }) => !sources.includes(id));
      return withLiveCounts({ ...state.record, segments: [...kept, ...output.segments] }, tombstones);
    },
  };
}
