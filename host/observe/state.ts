import fs from 'node:fs/promises';
import type { Chats } from '../chats/chats.js';
import type { IndexStore } from '../index/index-store.js';
import type { Options } from '../options/launch.js';
import type { Personalization } from '../personalization/personalization.js';
import type { SearchPool } from '../search/pool/pool.js';
import { folderSize } from '../storage/folder-size.js';
import type { BatchRecord } from '../tasks/batch.js';
import type { TaskQueue } from '../tasks/queue/queue.js';
import { TASK_STATUSES, TASK_TYPES } from '../tasks/task-types.js';
import type { Deliveries } from '../webhooks/deliveries.js';

/** The parts of the server that gauges show. */
export interface ObservedService {
  options: Options;
  indexStore: IndexStore;
  searches: SearchPool;
  /** null: no reranking service is configured. */
  personalization: Personalization | null;
  queue: TaskQueue;
  chats: Chats;
  deliveries: Pick<Deliveries, 'metrics'>;
}

/** The state that gauges are read from. */
export interface State {
  service: ObservedService;
  databaseBytes: number;
  freeBytes: number;
  /** The batches that ended last, newest first. */
  batches: BatchRecord[];
  tasks: Record<'statuses' | 'types' | 'indexes', Map<string, number>>;
  /** Microseconds since 1970; null when no task waits. */
  oldestWaiting: number | null;
}

/** Number of ended batches whose metrics are shown. */
const LAST_BATCHES = 3;

export async function readState(service: ObservedService): Promise<State> {
  const { options, queue } = service;
  const [databaseBytes, disk, batches] = await Promise.all([
    folderSize(options.dbPath),
    fs.statfs(options.dbPath),
    Promise.all(queue.batches.slice(-LAST_BATCHES).map((uid) => queue.batch(uid))),
  ]);
  const tasks: State['tasks'] = {
    statuses: new Map(TASK_STATUSES.map((name) => [name, 0])),
    types: new Map(TASK_TYPES.map((name) => [name, 0])),
    indexes: new Map(),
  };
  queue.table.scan((row) => {
    add(tasks.statuses, queue.running.of(row.uid) ? 'processing' : row.status);
    add(tasks.types, row.type);
    for (const uid of row.indexUids) add(tasks.indexes, uid);
  });
  const oldest = [...queue.pending].find((uid) => !queue.running.of(uid));
  return {
    service,
    databaseBytes,
    freeBytes: disk.bavail * disk.bsize,
    batches: batches.filter((batch) => batch !== null).reverse(),
    tasks,
    oldestWaiting: oldest === undefined ? null : queue.table.get(oldest)!.enqueuedAt,
  };
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
