import { own } from '../../../bindings/own.js';
import type { Draft } from '../../index/draft.js';
import type { IndexStore } from '../../index/index-store.js';
import type { IndexRecord } from '../../index/record.js';
import type { WriteCounts } from '../../index/threads/job-threads.js';
import type { BatchStats } from '../batch.js';

/** Bytes of the indexes by kind of storage. */
export type StoreSizes = Record<'documents' | 'segments', number>;

export function storeSizes(indexes: Iterable<IndexRecord>): StoreSizes {
  const sizes = { documents: 0, segments: 0 };
  for (const { stats, segments } of indexes) {
    sizes.documents += stats.rawBytes;
    for (const { fileLength } of segments) sizes.segments += fileLength;
  }
  return sizes;
}

/** Measures how a batch changes storage: bytes of its indexes, writes to segment files, and ledger writes (one per draft). */
export class StorageMeter {
  readonly #before: StoreSizes;
  /** Writes made so far by other batches. */
  #others: WriteCounts;

  constructor(
    private readonly indexStore: IndexStore,
    uids: Iterable<string>,
  ) {
    this.#before = storeSizes([...uids].flatMap((uid) => indexStore.indexes.get(uid) ?? []));
    this.#others = indexStore.segmentWrites;
  }

  /** Counts writes during this work for other batches. */
  async except<T>(work: () => Promise<T>): Promise<T> {
    const own = difference(this.indexStore.segmentWrites, this.#others);
    try {
      return await work();
    } finally {
      this.#others = difference(this.indexStore.segmentWrites, own);
    }
  }

  /**
   * The storage statistics of the batch: writes, sizes after it, and how much they changed.
   * @param wrote whether the batch is of a kind that writes documents or settings
   */
  change(drafts: Draft[], wrote: boolean): Partial<BatchStats> {
    const after = storeSizes(drafts.flatMap(({ record }) => record ?? []));
    const changes = Object.entries(after)
      .filter(([name, bytes]) => drafts.length > 0 && bytes !== own(this.#before, name))
      .map(([name, bytes]) => [name, `${binary(bytes)} (${signed(bytes - own(this.#before, name)!)})`]);
    const writes = difference(this.indexStore.segmentWrites, this.#others);
    return {
      ...(wrote ? { writeChannelCongestion: congestion(writes, drafts.length) } : {}),
      ...(changes.length > 0 ? { internalDatabaseSizes: Object.fromEntries(changes) } : {}),
    };
  }
}

function difference(a: WriteCounts, b: WriteCounts): WriteCounts {
  return { attempts: a.attempts - b.attempts, blocked: a.blocked - b.blocked };
}

function congestion({ attempts: written, blocked }: WriteCounts, drafts: number) {
  const attempts = written + drafts;
  return { attempts, blocking_attempts: blocked, blocking_ratio: attempts > 0 ? blocked / attempts : 0 };
}

function signed(bytes: number): string {
  return `${bytes < 0 ? '-' : '+'}${binary(Math.abs(bytes))}`;
}

/** Binary units, always with two decimals. */
function binary(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.floor(Math.log2(bytes) / 10);
  return `${(bytes / 1024 ** power).toFixed(2)} ${['B', 'KiB', 'MiB', 'GiB', 'TiB'][power]}`;
}
