import { apiError } from '../../../bindings/errors.js';
import type { IndexSettings } from '../../../bindings/index-types.js';
import type { IndexRecord } from '../record.js';
import { DEFAULT_SETTINGS } from '../settings/settings.js';
import type { Change } from './draft.js';
import { EMPTY_STATS, type IndexState } from './state.js';

type States = ReadonlyMap<string, IndexState>;

/** @throws {ApiError} index_not_found */
export function stateOf(states: States, uid: string): IndexState {
  const state = states.get(uid);
  if (!state) throw apiError('index_not_found', 'notFound', { uid });
  return state;
}

function refuseExisting(states: States, uid: string): void {
  if (states.has(uid)) throw apiError('index_already_exists', 'exists', { uid });
}

function blankRecord(uid: string, primaryKey: string | null, now: string): IndexRecord {
  return {
    uid,
    createdAt: now,
    updatedAt: now,
    primaryKey,
    settings: DEFAULT_SETTINGS,
    fields: [],
    segments: [],
    nextInternalId: 0,
    freeIds: [],
    stats: EMPTY_STATS,
  };
}

export function creation(uid: string, primaryKey: string | null, now: string): Change {
  const record = blankRecord(uid, primaryKey, now);
  return {
    uid,
    next(states) {
      refuseExisting(states, uid);
      return { record, tombstones: new Map() };
    },
  };
}

export function deletion(uid: string): Change {
  return {
    uid,
    next(states) {
      stateOf(states, uid);
      return null;
    },
  };
}

/** Removes all documents. The primary key and the known fields stay, and so do the settings unless new ones are given. */
export function clearing(uid: string, now: string, settings?: IndexSettings): Change {
  return {
    uid,
    next(states) {
      const { record } = stateOf(states, uid);
      const empty = { segments: [], nextInternalId: 0, freeIds: [], stats: EMPTY_STATS };
      return { record: { ...record, ...empty, settings: settings ?? record.settings, updatedAt: now }, tombstones: new Map() };
    },
  };
}

/** Changes the primary key, the name, or both. */
export function update(uid: string, change: { primaryKey?: string; newUid?: string }, now: string): Change[] {
  const { newUid, ...rest } = change;
  const changed = (states: States): IndexState => {
    const { record, tombstones } = stateOf(states, uid);
    return { record: { ...record, ...rest, uid: newUid ?? uid, updatedAt: now }, tombstones };
  };
  if (newUid === undefined || newUid === uid) return [{ uid, next: changed }];
  const taken: Change = {
    uid: newUid,
    next(states) {
      refuseExisting(states, newUid);
      return changed(states);
    },
  };
  return [taken, deletion(uid)];
}

export interface SwapPair {
  indexes: [string, string];
  /** The second index does not exist, so the first takes its name. */
  rename: boolean;
}

/** Exchanges the names of documents, settings, keys, statistics and dates. */
export function swaps(pairs: SwapPair[]): Change[] {
  return pairs.flatMap(({ indexes: [a, b], rename }) => {
    if (rename) return [moved(a, b, true), deletion(a)];
    return [moved(a, b, false), moved(b, a, false)];
  });
}

function moved(from: string, to: string, mustBeFree: boolean): Change {
  return {
    uid: to,
    next(states) {
      if (mustBeFree) refuseExisting(states, to);
      const { record, tombstones } = stateOf(states, from);
      return { record: { ...record, uid: to }, tombstones };
    },
  };
}
