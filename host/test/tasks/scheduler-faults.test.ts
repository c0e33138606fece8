import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { ApiError } from '../../../bindings/errors.js';
import { DoubtfulWrite } from '../../storage/errors.js';
import type { LedgerWrite } from '../../storage/ledger/ledger.js';
import { TaskPayloads } from '../../tasks/queue/payloads.js';
import { TaskQueue } from '../../tasks/queue/queue.js';
import type { NewTask } from '../../tasks/queue/records.js';
import { age } from '../support/age.js';
import { addition, startScheduler } from '../support/running-scheduler.js';
import { TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

/** Replaces commits by `fault`, which is passed the real commit. */
function disturb({ ledger }: TestDatabase, fault: (operations: LedgerWrite[], real: () => Promise<void>) => Promise<void>): void {
  const commit = ledger.commit.bind(ledger);
  ledger.commit = (operations) => fault(operations, () => commit(operations));
}

const broken = () => new ApiError('io_error', 'the disk is broken');
const deletion = (indexUid: string, ids: string[]): NewTask => ({
  type: 'documentDeletion',
  indexUid,
  details: null,
  work: { kind: 'deleteByIds', ids },
});

t.test('a merge whose commit fails does not block later merges', async (t) => {
  const test = await TestDatabase.open(t);
  for (const uid of ['a', 'b', 'c']) {
    await test.create(uid);
    await test.apply(uid, await test.add([{ id: 1, text: uid }]));
  }
  const before = test.segmentFiles;
  for (const file of before) age(path.join(test.folder, 'segments', file));
  await test.reopen();
  t.same([...test.indexStore.merges.outdatedIndexes].sort(), ['a', 'b', 'c']);

  let built = 0;
  const { merges: segmentMerges } = test.indexStore;
  const merge = segmentMerges.mergeIfWorthwhile.bind(segmentMerges);
  segmentMerges.mergeIfWorthwhile = async (uid) => {
    const draft = await merge(uid);
    built++;
    return draft;
  };
  let merges = 0;
  disturb(test, async (operations, real) => {
    if (operations.some(({ key }) => key.startsWith('batch/'))) return real();
    await until('all merges are ready', () => built >= before.length);
    if (++merges <= 2) throw broken();
    return real();
  });
  const { queue } = await startScheduler(t, test);
  await until('two merges have failed', () => merges >= 2);
  await queue.register(deletion('nowhere', ['1']));
  await until('the third merge is stored', () => merges === 3 && test.segmentFiles.length === 3);
  const after = test.segmentFiles;
  t.equal(after.filter((file) => before.includes(file)).length, 2, 'the file that the third replaced is gone, its pin too');
  const left = [...test.indexStore.merges.outdatedIndexes];
  for (const uid of left) await queue.register(await addition(test, uid, '{"id":2}'));
  await until('those that failed are merged again', () => test.indexStore.merges.outdatedIndexes.length === 0);
});

t.test('files of a doubtful commit are kept', async (t) => {
  const test = await TestDatabase.open(t);
  await test.create('a');
  await test.apply('a', await test.add([{ id: 1 }]));
  let failed = false;
  disturb(test, async (operations, real) => {
    if (failed || !operations.some(({ key }) => key.startsWith('batch/'))) throw broken();
    await real();
    failed = true;
    throw new DoubtfulWrite(broken());
  });
  const { queue } = await startScheduler(t, test);
  await queue.register(await addition(test, 'a', '{"id":2}'));
  await until('the write has failed', () => failed);
  await until('the batch has ended', () => queue.running.size === 0);
  await test.reopen();
  t.same(
    (await test.documents('a')).map(({ id }) => id),
    [1, 2],
  );
});

t.test('files of a doubtful commit are kept at shutdown', async (t) => {
  const test = await TestDatabase.open(t);
  await test.create('a');
  await test.apply('a', await test.add([{ id: 1 }]));
  let asked = false;
  disturb(test, async (_, real) => {
    await real();
    throw new DoubtfulWrite(broken());
  });
  test.ledger.holds = async () => {
    asked = true;
    throw broken();
  };
  const { queue, scheduler } = await startScheduler(t, test);
  await queue.register(await addition(test, 'a', '{"id":2}'));
  await until('the ledger is asked', () => asked);
  await scheduler.close(1000);
  await test.reopen();
  t.same(
    (await test.documents('a')).map(({ id }) => id),
    [1, 2],
  );
});

t.test('a task that cannot be encoded is refused alone', async (t) => {
  const test = await TestDatabase.open(t);
  const queue = await TaskQueue.load(test.ledger, Number.POSITIVE_INFINITY);
  const unwritable = { ...deletion('a', []), details: { number: 1n } };
  const settled = await Promise.allSettled(
    [deletion('a', ['1']), unwritable, deletion('a', ['2'])].map((task) => queue.register(task)),
  );
  t.same(
    settled.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.same([...queue.pending], [0, 1]);
  t.equal((await queue.register(deletion('a', ['3']))).uid, 2, 'the queue goes on');
});

t.test('doubtful registrations are deleted by the next write', async (t) => {
  const test = await TestDatabase.open(t);
  const queue = await TaskQueue.load(test.ledger, Number.POSITIVE_INFINITY);
  const write = test.ledger.write.bind(test.ledger);
  test.ledger.write = async (operations, sync) => {
    await write(operations, sync);
    if (operations.length < 3) return;
    test.ledger.write = write;
    throw new DoubtfulWrite(broken());
  };
  // the registrations after the first share the next write
  const settled = await Promise.allSettled(['0', '1', '2', '3'].map((id) => queue.register(deletion('a', [id]))));
  t.same(
    settled.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'rejected'],
  );
  await queue.register(deletion('a', ['4']));
  const again = await TaskQueue.load(test.ledger, Number.POSITIVE_INFINITY);
  t.same(await again.records(again.pending), await queue.records(queue.pending), 'the ledger has what was acknowledged');
});

t.test(
  'payload files are removed once the end of their tasks is stored, before it is seen; a failure does not keep it from being seen',
  async (t) => {
    const test = await TestDatabase.open(t);
    await test.create('a');
    const { queue } = await startScheduler(t, test);
    const waits = ({ uid }: { uid: number }) => queue.pending.has(uid);
    const stored: string[][] = [];
    const payloads = () => fs.readdirSync(path.join(test.folder, 'payloads'));
    disturb(test, async (operations, real) => {
      await real();
      if (operations.some(({ key }) => key.startsWith('batch/'))) stored.push(payloads());
    });
    const { prototype } = TaskPayloads;
    const { dropNames } = prototype;
    t.teardown(() => {
      prototype.dropNames = dropNames;
    });
    const seen: boolean[] = [];
    prototype.dropNames = async function (files) {
      await dropNames.call(this, files);
      seen.push(!waits(task), payloads().length > 0);
      if (stored.length === 2) throw broken();
    };
    const withFile = async (id: number) => {
      const { payload, work, ...rest } = await addition(test, 'a', `{"id":${id}}`);
      return { ...rest, work: { ...work, file: await test.payload([{ id }]) } as NewTask['work'] };
    };
    let task = await queue.register(await withFile(1));
    await until('the first task has ended', () => !waits(task));
    task = await queue.register(await withFile(2));
    await until('the second task has ended', () => !waits(task));
    t.same(
      stored.map((files) => files.length),
      [1, 1],
      'they are there until the end is stored',
    );
    t.same(seen, [false, false, false, false], 'they are gone before the end is seen');
  },
);
