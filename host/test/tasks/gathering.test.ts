import path from 'node:path';
import t from 'tap';
import { Logs } from '../../logging/logs.js';
import { TaskPayloads } from '../../tasks/queue/payloads.js';
import { TaskQueue } from '../../tasks/queue/queue.js';
import { Gathering } from '../../tasks/scheduler/gathering.js';
import type { PlannedBatch } from '../../tasks/scheduler/plan.js';
import { Scheduler } from '../../tasks/scheduler/scheduler.js';
import type { TaskRecord } from '../../tasks/task.js';
import { TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

const MEGABYTE = 1e6;
const SECOND = 1e6;

const imported = (megabytes: number, enqueuedAt: number) =>
  ({ indexUid: 'a', enqueuedAt, work: { kind: 'import', bytes: megabytes * MEGABYTE } }) as unknown as TaskRecord;

t.test('a large batch waits for payloads that arrive or may follow, for less than building it takes', async (t) => {
  let arriving = false;
  const gathering = new Gathering({ isArriving: (uid) => uid === 'a' && arriving, segmentBytes: 300 * MEGABYTE });
  const batch = (tasks: TaskRecord[], isOpen = true): PlannedBatch => ({ state: 'documents', tasks, strategy: '', isOpen });
  const waits = (tasks: TaskRecord[], now: number) => gathering.remaining(batch(tasks), now);
  const one = [imported(90, 0)];
  t.ok(waits(one, 0) > 0, 'another payload may follow');
  t.equal(waits(one, SECOND), 0, 'none has followed');
  arriving = true;
  t.ok(waits(one, SECOND) > 0, 'another one is arriving');
  t.equal(waits(one, 2 * SECOND), 0, 'it takes long');
  t.ok(waits([imported(90, 0), imported(90, SECOND)], 2 * SECOND) > 0, 'more to build: more time to wait');
  t.equal(waits([imported(60, 0)], 0), 0, 'a smaller one is built at once');
  t.equal(waits([imported(200, 0), imported(100, 0)], 0), 0, 'a segment is full');
  t.equal(gathering.remaining(batch(one, false), 0), 0, 'nothing can be added to the batch');
  t.equal(waits([imported(90, 0), { ...imported(0, 0), work: null }], 0), 0, 'other work waits too');
});

t.test('payloads that arrive in time are one batch', async (t) => {
  const test = await TestDatabase.open(t);
  const { ledger, folder, indexStore } = test;
  await test.create('a', 'id');
  const queue = await TaskQueue.load(ledger, Number.POSITIVE_INFINITY);
  const { arrivals } = indexStore.payloads;
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
    gathering: { isArriving: (uid) => arrivals.has(uid), segmentBytes: 1e9 },
    executors: {},
    log: Logs.silent().module('tasks'),
  });
  scheduler.start();
  t.teardown(() => scheduler.close(1000));
  /** A task that claims to be large. */
  const add = async (id: number) => {
    const { content } = (await indexStore.payloads.take(Buffer.from(`{"id":${id}}`), 'ndjson')) as { content: Uint8Array };
    await queue.register({
      type: 'documentAdditionOrUpdate',
      indexUid: 'a',
      details: null,
      work: {
        kind: 'import',
        method: 'replace',
        primaryKey: null,
        skipCreation: false,
        createsIndex: false,
        file: null,
        bytes: 500 * MEGABYTE,
      },
      payload: content,
    });
  };
  t.notOk(arrivals.has('a'));
  await arrivals.during('a', async () => {
    await add(1);
    t.ok(arrivals.has('a'));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    t.equal(queue.running.size, 0, 'the first waits for the second');
    await add(2);
  });
  t.notOk(arrivals.has('a'));
  await until('both have ended', () => queue.pending.size === 0);
  t.equal(indexStore.indexes.get('a')!.segments.length, 1);
  t.same(await test.documents('a'), [{ id: 1 }, { id: 2 }]);
});
