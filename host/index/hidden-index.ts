import type { IndexSettings } from '../../bindings/index-types.js';
import type { IndexJobs } from './build/jobs.js';
import { blankRecord } from './commits/operations.js';
import type { LiveStates } from './memory/live-states.js';
import type { IndexRecord, StoredSegment } from './types.js';

/** An index that is none of the database: only searches find it, and they are not counted. */
export interface HiddenIndex {
  /** Search threads get it anew, as if documents had been written. */
  renew(): void;
  close(): void;
}

/** What such an index is made of. */
export interface HiddenIndexSource {
  uid: string;
  settings: IndexSettings;
  primaryKey: string;
}

interface Parts {
  live: LiveStates;
  jobs: IndexJobs;
  /** Folder of payloads. */
  payloads: string;
  load: (segments: StoredSegment[], record: IndexRecord) => Promise<void>;
}

/** Builds an index of a payload's documents; one at a time. */
export async function openHiddenIndex(
  parts: Parts,
  { uid, settings, primaryKey }: HiddenIndexSource,
  file: string,
): Promise<HiddenIndex> {
  const { live, jobs, payloads, load } = parts;
  const blank = { ...blankRecord(uid, primaryKey, ''), settings };
  const { fields, segments } = await jobs.applyHidden({
    view: live.view(blank),
    freeIds: [],
    nextInternalId: 0,
    operations: [{ type: 'add', file, method: 'replace', primaryKey, skipCreation: false }],
    payloads,
  });
  await load(segments, blank);
  const record = { ...blank, fields, segments };
  live.setHidden(record);
  return { renew: () => live.setHidden(record), close: () => live.removeHidden(record) };
}
