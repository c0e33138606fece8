import t from 'tap';
import { Gathering } from '../../tasks/scheduler/gathering.js';
import type { PlannedBatch } from '../../tasks/scheduler/plan.js';
import type { TaskRecord } from '../../tasks/task.js';
import { addition, startScheduler } from '../support/running-scheduler.js';
import { TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

const MEGABYTE = 1e6;
const SECOND = 1e6;

const imported = (megabytes: number, enqueuedAt: number, uid = enqueuedAt) =>
  ({ uid, indexUid: 'a', enqueuedAt, work: { kind: 'import', bytes: megabytes * MEGABYTE } }) as unknown as TaskRecord;

t.test('a large batch waits for payloads that arrive or may follow, for less than building it takes', async (t) => {
  let arriving = false;
  const gathering = new Gathering({ isArriving: (uid) => uid === 'a' && arriving, segmentBytes: 300 * MEGABYTE });
  const batch = (tasks: TaskRecord[], isOpen = true): PlannedBatch => ({ state: 'documents', tasks, strategy: '', isOpen });
  const waits = (tasks: TaskRecord[], now: number) => gathering.remaining(batch(tasks), now, now / 1000);
  const one = [imported(90, 0)];
  t.ok(waits(one, 0) > 0, 'another payload may follow');
  t.equal(waits(one, SECOND), 0, 'none has followed');
  arriving = true;
  t.ok(waits(one, SECOND) > 0, 'another one is arriving');
  t.equal(waits(one, 2 * SECOND), 0, 'it takes long');
  t.ok(waits([imported(90, 0), imported(90, SECOND)], 2 * SECOND) > 0, 'more to build: more time to wait');
  t.equal(waits([imported(60, 0)], 0), 0, 'a smaller one is built at once');
  t.equal(waits([imported(200, 0), imported(100, 0)], 0), 0, 'a segment is full');
  t.equal(gathering.remaining(batch(one, false), 0, 0), 0, 'nothing can be added to the batch');
  t.equal(waits([imported(90, 0), { ...imported(0, 0), work: null }], 0), 0, 'other work waits too');
});

t.test('the waiting ends even when the wall clock was set back, and soon after a sender gives up', async (t) => {
  let arriving = true;
  const gathering = new Gathering({ isArriving: () => arriving, segmentBytes: 300 * MEGABYTE });
  const waits = (tasks: TaskRecord[], now: number, clock: number) =>
    gathering.remaining({ state: 'documents', tasks, strategy: '', isOpen: true }, now, clock);
  const one = [imported(90, 0, 1)];
  const two = [...one, imported(90, 2, 2)];
  t.ok(waits(one, 0, 0) <= 250, 'that a sender gives up is noticed');
  t.ok(waits(one, 1, 1000) > 0);
  t.equal(waits(one, 2, 2000), 0, 'the wall clock stands still');
  t.ok(waits(two, 2, 2000) > 0, 'more to build');
  arriving = false;
  t.ok(waits(two, 3, 2100) > 0);
  t.equal(waits(two, 4, 2300), 0);
});

t.test('payloads that arrive in time are one batch, and tasks of other indexes do not wait for it', async (t) => {
  const test = await TestDatabase.open(t);
  await test.create('a', 'id');
  await test.create('b', 'id');
  const { arrivals } = test.indexStore.payloads;
  const gathering = new Gathering({ isArriving: (uid) => arrivals.has(uid), segmentBytes: 1e9 });
  const { queue } = await startScheduler(t, test, gathering);
  const add = async (uid: string, id: number, megabytes: number) =>
    queue.register(await addition(test, uid, `{"id":${id}}`, megabytes * MEGABYTE));
  t.notOk(arrivals.has('a'));
  await arrivals.during('a', async () => {
    await add('a', 1, 500);
    t.ok(arrivals.has('a'));
    await add('b', 3, 0);
    await until('the small one has ended', () => queue.pending.size === 1);
    t.equal(queue.running.size, 0, 'the first waits for the second');
    await add('a', 2, 500);
  });
  t.notOk(arrivals.has('a'));
  await until('both have ended', () => queue.pending.size === 0);
  t.equal(test.indexStore.indexes.get('a')!.segments.length, 1);
  t.same(await test.documents('a'), [{ id: 1 }, { id: 2 }]);
  t.same(await test.documents('b'), [{ id: 3 }]);
});
