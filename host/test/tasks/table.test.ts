import t from 'tap';
import { seededRandom } from '../../../bindings/test/random.js';
import { Access } from '../../auth/access.js';
import { Ledger } from '../../storage/ledger/ledger.js';
import { accumulateDetails } from '../../tasks/batches/batch-record.js';
import { BatchProgress } from '../../tasks/batches/progress.js';
import { RunningBatches } from '../../tasks/batches/running.js';
import { matchingTasks, pageOfTasks, type TaskFilter } from '../../tasks/filters.js';
import { IndexNames } from '../../tasks/queue/index-names.js';
import { TaskQueue } from '../../tasks/queue/queue.js';
import { type NameChange, NameHistory, namesOfSwaps, withPresentNames } from '../../tasks/queue/renames.js';
import { TaskTable } from '../../tasks/queue/table.js';
import type { Swap, TaskRecord } from '../../tasks/task.js';
import { GLOBAL_TYPES, TASK_STATUSES, TASK_TYPES } from '../../tasks/task-types.js';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const NAMES = ['a', 'b', 'c', 'd'];

function someTask(uid: number, random: ReturnType<typeof seededRandom>): TaskRecord {
  const type = random.pick(TASK_TYPES);
  const pair = (): [string, string] => [random.pick(NAMES), random.pick(NAMES)];
  const swaps = Array.from({ length: random.int(3) }, (): Swap => ({ indexes: pair(), rename: random.int(2) === 0 }));
  const details =
    type === 'indexSwap' ? { swaps } : type === 'indexUpdate' && random.int(2) ? { newIndexUid: random.pick(NAMES) } : null;
  const ended = random.int(3) > 0;
  return {
    uid,
    batchUid: ended ? random.int(500) : null,
    indexUid: GLOBAL_TYPES.has(type) ? null : random.pick(NAMES),
    status: ended ? random.pick(['succeeded', 'failed', 'canceled'] as const) : 'enqueued',
    type,
    canceledBy: random.int(10) ? null : random.int(uid + 1),
    details,
    error: null,
    enqueuedAt: 1000 + uid * 3,
    startedAt: ended ? 1001 + uid * 3 : null,
    finishedAt: ended ? 1002 + uid * 3 : null,
    work: null,
  };
}

/** The indexes and members of a task, computed from its record and the later swaps and renames. */
function naiveIndexes({ uid, type, indexUid, details }: TaskRecord, changes: NameChange[]): string[] {
  const own =
    type === 'indexSwap' ? (details!.swaps as Swap[]).flatMap(({ indexes }) => indexes) : indexUid === null ? [] : [indexUid];
  if (type === 'indexUpdate' && details) own.push(details.newIndexUid as string);
  return own.map((name) =>
    changes
      .filter(({ before }) => before > uid)
      .reduce((now, { names }) => names.find(([from]) => from === now)?.[1] ?? now, name),
  );
}

t.test('the task table agrees with a list', async (t) => {
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  for (let round = 0; round < 8; round++) {
    const table = new TaskTable();
    const tasks = new Map<number, TaskRecord>();
    const changes: NameChange[] = [];
    for (let uid = 0; uid < 3000; uid += 1 + random.int(3)) {
      const task = someTask(uid, random);
      tasks.set(uid, task);
      table.set(task);
      if (random.int(400) === 0) {
        const change = {
          before: uid,
          names: namesOfSwaps([{ indexes: ['a', random.pick(['b', 'c'])], rename: random.int(2) === 0 }]),
        };
        changes.push(change);
        table.rename(uid, new Map(change.names));
      }
      if (random.int(4) === 0) {
        const gone = random.pick([...tasks.keys()]);
        tasks.delete(gone);
        table.remove(gone);
      }
    }
    t.equal(table.count, tasks.size);
    t.equal(table.highest, Math.max(...tasks.keys()));
    for (const task of tasks.values()) {
      const row = table.get(task.uid)!;
      const seen = [row.type, row.status, row.batchUid, row.canceledBy, row.enqueuedAt, [...row.indexUids].sort()];
      const wanted = [
        task.type,
        task.status,
        task.batchUid ?? -1,
        task.canceledBy ?? -1,
        task.enqueuedAt,
        naiveIndexes(task, changes).sort(),
      ];
      if (JSON.stringify(seen) !== JSON.stringify(wanted)) t.same(seen, wanted, `task ${task.uid}`);
    }

    const queue = { table, running: new RunningBatches() } as unknown as TaskQueue;
    for (let i = 0; i < 20; i++) {
      const filter: TaskFilter = {
        ...(random.int(2) ? { types: [random.pick(TASK_TYPES), random.pick(TASK_TYPES)] } : {}),
        ...(random.int(2) ? { statuses: [random.pick(TASK_STATUSES)] } : {}),
        ...(random.int(2) ? { indexUids: [random.pick(NAMES)] } : {}),
        ...(random.int(3) ? {} : { afterFinishedAt: 1000 + random.int(9000) }),
        ...(random.int(3) ? {} : { beforeEnqueuedAt: 1000 + random.int(9000) }),
      };
      const matches = [...tasks.values()].filter(
        (task) =>
          (filter.types?.includes(task.type) ?? true) &&
          (filter.statuses?.includes(task.status) ?? true) &&
          (!filter.indexUids || naiveIndexes(task, changes).includes(filter.indexUids[0]!)) &&
          (filter.afterFinishedAt === undefined || (task.finishedAt !== null && task.finishedAt > filter.afterFinishedAt)) &&
          (filter.beforeEnqueuedAt === undefined || task.enqueuedAt < filter.beforeEnqueuedAt),
      );
      const listed = matches.filter((task) => !filter.indexUids || !GLOBAL_TYPES.has(task.type)).map(({ uid }) => uid);
      t.same(matchingTasks(queue, filter, Access.FULL), listed);
      const [limit, from, reverse] = [random.int(6), random.int(2) ? random.int(3000) : null, random.int(2) === 0];
      const ordered = reverse ? listed : [...listed].reverse();
      const rest = ordered.filter((uid) => from === null || (reverse ? uid >= from : uid <= from));
      t.same(pageOfTasks(queue, filter, { limit, from, reverse }, Access.FULL), {
        uids: rest.slice(0, limit),
        total: matches.length,
        from: limit > 0 ? (rest[0] ?? null) : null,
        next: rest[limit] ?? null,
      });
    }
  }
});

t.test('present names agree with applying renames one by one', async (t) => {
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  for (let round = 0; round < 200; round++) {
    const changes = Array.from({ length: random.int(12) }, (_, i): NameChange => {
      const names = NAMES.map((name) => ({ name, order: random.int(100) })).sort((a, b) => a.order - b.order);
      const swaps = Array.from({ length: 1 + random.int(2) }, (_, pair) => ({
        indexes: [names[2 * pair]!.name, names[2 * pair + random.int(2)]!.name] as [string, string],
        rename: random.int(2) === 0,
      }));
      return { before: 3 * i + random.int(3), names: namesOfSwaps(swaps) };
    });
    const history = new NameHistory(changes);
    const present = new IndexNames();
    for (const { before, names } of changes) present.rename(before, new Map(names));
    for (const name of NAMES) {
      for (let since = 0; since < 40; since++) {
        const record = { ...someTask(since, random), type: 'settingsUpdate' as const, details: null, indexUid: name };
        const wanted = naiveIndexes(record, changes);
        if (history.present(name, since) !== wanted[0]) t.same(history.present(name, since), wanted[0], `${name} since ${since}`);
        if (present.present(name, since) !== wanted[0])
          t.same(present.present(name, since), wanted[0], `${name} of task ${since}`);
      }
    }
  }
});

t.test('swaps and renames are applied to the records once, and an interrupted start applies the rest', async (t) => {
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  const ledger = await Ledger.open(`${t.testdir()}/ledger`);
  t.teardown(() => ledger.close());
  const queue = await TaskQueue.load(ledger, Number.POSITIVE_INFINITY);
  const changes: NameChange[] = [];
  const records = Array.from({ length: 3000 }, (_, uid) => someTask(uid, random));
  for (const record of records) {
    const names = random.int(20)
      ? null
      : { before: record.uid, names: namesOfSwaps([{ indexes: ['a', random.pick(['b', 'c'])], rename: random.int(2) === 0 }]) };
    if (names) changes.push(names);
    const change = queue.prepare({ tasks: [record], batch: null, removedTasks: [], removedBatches: [], names });
    await ledger.write(change.writes, false);
    change.adopt();
  }
  const shown = async (queue: TaskQueue) => {
    const rows: unknown[] = [];
    for (const { uid } of records) {
      const { named: _, ...record } = (await queue.record(uid))!;
      rows.push([[...queue.table.get(uid)!.indexUids].sort(), record]);
    }
    return rows;
  };
  const before = await shown(queue);
  t.same(
    before.map((row) => (row as [string[]])[0]),
    records.map((record) => naiveIndexes(record, changes).sort()),
  );
  const keys = async () => {
    const found: string[] = [];
    for await (const [key] of ledger.iterate('names/')) found.push(key);
    return found;
  };
  const pending = await keys();
  t.equal(pending.length, changes.length);
  const stored = new Map<string, Buffer>();
  for await (const [key, value] of ledger.iterate('')) stored.set(key, value);
  for (const start of ['first', 'second']) {
    const again = await TaskQueue.load(ledger, Number.POSITIVE_INFINITY);
    t.same(await shown(again), before, `${start} start`);
    t.same(await keys(), [], 'no change is left');
  }
  // the state after the process ended with half of the records written
  const half = [...stored].filter(([key]) => key.startsWith('names/') || random.int(2) === 0);
  await ledger.write(
    half.map(([key, value]) => ({ type: 'put' as const, key, value })),
    false,
  );
  const resumed = await TaskQueue.load(ledger, Number.POSITIVE_INFINITY);
  t.same(await shown(resumed), before, 'a start after one that was cut short');
});

t.test('records show the present names of indexes', async (t) => {
  const swap = {
    ...someTask(1, seededRandom(1)),
    type: 'indexSwap' as const,
    details: { swaps: [{ indexes: ['a', 'b'], rename: false }] },
  };
  const names = new Map([
    ['b', 'c'],
    ['c', 'b'],
  ]);
  for (const [before, shown] of [
    [5, ['a', 'c']],
    [1, ['a', 'b']],
  ] as const) {
    const table = new TaskTable();
    table.set(swap);
    table.rename(before, names);
    t.same(withPresentNames(swap, table.get(1)!).details, { swaps: [{ indexes: shown, rename: false }] });
  }
  t.same(namesOfSwaps([{ indexes: ['x', 'y'], rename: true }]), [['x', 'y']]);
});

t.test('details of a batch are combined from its tasks', async (t) => {
  const task = (type: TaskRecord['type'], details: TaskRecord['details']) => ({ type, details }) as TaskRecord;
  t.same(
    accumulateDetails([
      task('documentAdditionOrUpdate', { receivedDocuments: 2, indexedDocuments: null }),
      task('documentDeletion', { providedIds: 1, deletedDocuments: 1, originalFilter: null }),
      task('documentAdditionOrUpdate', { receivedDocuments: 3, indexedDocuments: 3 }),
      task('documentDeletion', { providedIds: 0, deletedDocuments: 4, originalFilter: 'x' }),
      task('documentDeletion', { providedIds: 0, deletedDocuments: null, originalFilter: 'y' }),
    ]),
    { receivedDocuments: 5, indexedDocuments: 3, providedIds: 1, deletedDocuments: 5, originalFilter: 'x&y' },
  );
  t.same(
    accumulateDetails([task('settingsUpdate', { stopWords: ['a'] }), task('settingsUpdate', { stopWords: null, synonyms: {} })]),
    {
      stopWords: null,
      synonyms: {},
    },
  );
});

t.test('progress has its steps and durations', async (t) => {
  const progress = new BatchProgress();
  progress.enter(0, 'outer', 0, 2);
  progress.enter(1, 'middle', 1, 3);
  progress.enter(2, 'inner', 50, 100);
  t.equal(Math.round(progress.view().percentage * 1e6), 25e6);
  t.same(
    progress.view().steps.map(({ currentStep }) => currentStep),
    ['outer', 'middle', 'inner'],
  );
  progress.enter(1, 'next', 2, 3);
  t.same(
    progress.view().steps.map(({ currentStep }) => currentStep),
    ['outer', 'next'],
  );
  const trace = progress.end();
  t.same(Object.keys(trace), ['outer > middle > inner', 'outer > middle', 'outer > next', 'outer']);
  for (const time of Object.values(trace)) t.match(time, /^\d+\.\d\d(?:s|ms|µs|ns)$/);
});
