import fs from 'node:fs/promises';
import type { Service } from '../http/service.js';
import { folderSize } from '../storage/folder-size.js';
import type { BatchRecord } from '../tasks/types.js';
import { TASK_STATUSES, TASK_TYPES } from '../tasks/types.js';

/** The state that gauges are read from. */
export interface State {
  service: Service;
  databaseBytes: number;
  freeBytes: number;
  /** The batches that ended last, newest first. */
  batches: BatchRecord[];
  tasks: Record<'statuses' | 'types' | 'indexes', Map<string, number>>;
  /** Microseconds since 1970; null when no task waits. */
  oldestWaiting: number | null;
}

/** Number of ended batches whose figures are shown. */
const LAST_BATCHES = 3;

export async function readState(service: Service): Promise<State> {
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
