import path from 'node:path';
import type { Test } from 'tap';
import { Logs } from '../../logging/logs.js';
import { TaskPayloads } from '../../tasks/queue/payloads.js';
import { TaskQueue } from '../../tasks/queue/queue.js';
import type { NewTask } from '../../tasks/queue/records.js';
import type { BatchWaits } from '../../tasks/scheduler/plan.js';
import { Scheduler } from '../../tasks/scheduler/scheduler.js';
import type { TestDatabase } from './test-database.js';

/** Starts the scheduler of a database, without webhooks and models. */
export async function startScheduler(
  t: Test,
  { ledger, folder, indexStore }: TestDatabase,
  gathering?: BatchWaits,
): Promise<{ queue: TaskQueue; scheduler: Scheduler }> {
  const queue = await TaskQueue.load(ledger, Number.POSITIVE_INFINITY);
  const scheduler = new Scheduler({
    ledger,
    indexStore,
    queue,
    limits: { tasks: 1000, bytes: 1 << 30, documents: 1e9 },
    payloads: new TaskPayloads(ledger, path.join(folder, 'payloads')),
    database: folder,
    deliveries: { announce: () => ({ writes: [], adopt() {} }) },
    embedders: {
      uncached: () => [],
      embedDocuments: async () => [],
      holdEmbeddings: () => () => {},
      settled: async (settings) => settings,
    },
    executors: {},
    ...(gathering && { gathering }),
    log: Logs.silent().module('tasks'),
  });
  scheduler.start();
  t.teardown(() => scheduler.close(1000));
  return { queue, scheduler };
}

/** An addition of documents that are stored in the ledger with the task. @param bytes the size that it claims */
export async function addition({ indexStore }: TestDatabase, uid: string, lines: string, bytes?: number): Promise<NewTask> {
  const { content } = (await indexStore.payloads.take(Buffer.from(lines), 'ndjson')) as { content: Uint8Array };
  return {
    type: 'documentAdditionOrUpdate',
    indexUid: uid,
    details: null,
    work: {
      kind: 'import',
      method: 'replace',
      primaryKey: null,
      skipCreation: false,
      createsIndex: false,
      file: null,
      bytes: bytes ?? content.length,
    },
    payload: content,
  };
}
