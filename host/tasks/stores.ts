import { own } from '../../bindings/own.js';
import type { WriteCounts } from '../index/build/jobs.js';
import type { EngineRoom } from '../index/engine.js';
import type { Draft, IndexRecord } from '../index/types.js';
import type { BatchStats } from './types.js';

/** Bytes that indexes hold, by what holds them. */
export type StoreSizes = Record<'documents' | 'segments', number>;

export function storeSizes(indexes: Iterable<IndexRecord>): StoreSizes {
  const sizes = { documents: 0, segments: 0 };
  for (const { stats, segments } of indexes) {
    sizes.documents += stats.rawBytes;
    for (const { fileLength } of segments) sizes.segments += fileLength;
  }
  return sizes;
}

/** What the indexes of a batch hold before it, and the writes so far. */
export interface StoresBefore {
  sizes: StoreSizes;
  writes: WriteCounts;
}

export function storesBefore(engine: EngineRoom, uids: Iterable<string>): StoresBefore {
  const sizes = storeSizes([...uids].flatMap((uid) => engine.indexes.get(uid) ?? []));
  return { sizes, writes: engine.segmentWrites };
}

/**
 * What a batch says of its writes: to segment files and, a draft each, to the ledger; sizes after it and by how much they changed.
 * @param wrote it is of a kind that writes documents or settings
 */
export function storesChange(
  { sizes: before, writes }: StoresBefore,
  engine: EngineRoom,
  drafts: Draft[],
  wrote: boolean,
): Partial<BatchStats> {
  const after = storeSizes(drafts.flatMap(({ record }) => record ?? []));
  const changes = Object.entries(after)
    .filter(([name, bytes]) => drafts.length > 0 && bytes !== own(before, name))
    .map(([name, bytes]) => [name, `${binary(bytes)} (${signed(bytes - own(before, name)!)})`]);
  return {
    ...(wrote ? { writeChannelCongestion: congestion(writes, engine.segmentWrites, drafts.length) } : {}),
    ...(changes.length > 0 ? { internalDatabaseSizes: Object.fromEntries(changes) } : {}),
  };
}

function congestion(before: WriteCounts, after: WriteCounts, drafts: number) {
  const attempts = after.attempts - before.attempts + drafts;
  const blocked = after.blocked - before.blocked;
  return { attempts, blocking_attempts: blocked, blocking_ratio: attempts > 0 ? blocked / attempts : 0 };
}

function signed(bytes: number): string {
  return `${bytes < 0 ? '-' : '+'}${binary(Math.abs(bytes))}`;
}

/** Binary units, always two decimals. */
function binary(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.floor(Math.log2(bytes) / 10);
  return `${(bytes / 1024 ** power).toFixed(2)} ${['B', 'KiB', 'MiB', 'GiB', 'TiB'][power]}`;
}
