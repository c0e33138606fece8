import type { LedgerWrite } from '../../storage/ledger/ledger.js';
import type { IndexRecord, StoredSegment } from '../record.js';
import { DEFAULT_CHAT } from '../settings/chat.js';
import { countBits } from '../tombstones.js';

/** An index at one moment: its record, and the tombstone bitmaps by segment id. Immutable. */
export interface IndexState {
  record: IndexRecord;
  tombstones: ReadonlyMap<number, Uint8Array>;
}

export const INDEX_PREFIX = 'index/';
export const TOMBSTONES_PREFIX = 'tombstones/';

/** Reads a record from the ledger. Records written by earlier versions lack embedders, foreign keys and chats. */
export function readRecord(value: Uint8Array): IndexRecord {
  const record = JSON.parse(Buffer.from(value).toString()) as IndexRecord;
  const { embedders = {}, embedderIds = 0, foreignKeys = [], chat = DEFAULT_CHAT } = record.settings;
  return {
    ...record,
    stats: { ...EMPTY_STATS, ...record.stats },
    settings: { ...record.settings, embedders, embedderIds, foreignKeys, chat },
  };
}

/** Statistics of an empty index. */
export const EMPTY_STATS = { documents: 0, rawBytes: 0, fieldDistribution: {}, embeddings: 0, embeddedDocuments: 0 } as const;

/** A state with live counts recomputed from the tombstones, and without segments that have no live document. */
export function withLiveCounts(record: IndexRecord, tombstones: Map<number, Uint8Array>): IndexState {
  const segments: StoredSegment[] = [];
  for (const segment of record.segments) {
    const bitmap = tombstones.get(segment.id);
    const liveCount = segment.docCount - (bitmap ? countBits(bitmap) : 0);
    if (liveCount > 0) segments.push(liveCount === segment.liveCount ? segment : { ...segment, liveCount });
  }
  const named = new Set(segments.map(({ id }) => id));
  const kept = new Map([...tombstones].filter(([id]) => named.has(id)));
  return { record: { ...record, segments }, tombstones: kept };
}

/** The ledger writes that take an index from one state to another; null: the index does not exist. */
export function ledgerWrites(uid: string, before: IndexState | null, after: IndexState | null): LedgerWrite[] {
  const writes: LedgerWrite[] = [
    after
      ? { type: 'put', key: INDEX_PREFIX + uid, value: Buffer.from(JSON.stringify(after.record)) }
      : { type: 'del', key: INDEX_PREFIX + uid },
  ];
  for (const [id, bitmap] of after?.tombstones ?? []) {
    if (before?.tombstones.get(id) === bitmap) continue;
    writes.push({ type: 'put', key: TOMBSTONES_PREFIX + id, value: Buffer.from(bitmap) });
  }
  return writes;
}
