import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { seededRandom } from '../../../bindings/test/random.js';
import { toRanges } from '../../tasks/ranges.js';
import type { Details, TaskRecord, TaskWork } from '../../tasks/task.js';
import type { TaskType } from '../../tasks/task-types.js';
import { readRoaring, writeRoaring } from '../../transfer/dump/roaring.js';
import { type DumpTask, readBatch, readTask, writeTask } from '../../transfer/dump/task-form.js';
import { chunksOfLines, jsonLines, writeLines } from '../../transfer/lines.js';
import { testFolder } from '../support/folders.js';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const random = seededRandom(seed);

const FACTS = { canceledBy: null, error: null, enqueuedAt: 1_700_000_000_123_456, batchUid: 2, indexUid: 'a' };
const ENDED = { status: 'succeeded', startedAt: 1_700_000_000_200_000, finishedAt: 1_700_000_000_300_000, work: null } as const;

t.test('ended tasks of every type survive a dump', (t) => {
  const details: [TaskType, Details | null][] = [
    ['documentAdditionOrUpdate', { receivedDocuments: 3, indexedDocuments: 2 }],
    ['documentDeletion', { providedIds: 2, deletedDocuments: 1, originalFilter: null }],
    ['documentDeletion', { providedIds: 0, deletedDocuments: 1, originalFilter: '["a = 1","b = 2"]' }],
    ['documentDeletion', { deletedDocuments: 4 }],
    ['documentEdition', { deletedDocuments: 1, editedDocuments: 1, originalFilter: '"a = 1"', context: { b: 1 }, function: 'f' }],
    ['documentEdition', { deletedDocuments: null, editedDocuments: 0, originalFilter: null, context: null, function: 'f' }],
    ['settingsUpdate', { stopWords: ['a'], synonyms: null, displayedAttributes: ['*'] }],
    ['indexCreation', { primaryKey: null }],
    ['indexUpdate', { primaryKey: 'id' }],
    ['indexUpdate', { primaryKey: null, newIndexUid: 'b', oldIndexUid: 'a' }],
    ['indexDeletion', { deletedDocuments: 7 }],
    ['indexSwap', { swaps: [{ indexes: ['a', 'b'], rename: true }] }],
    ['taskCancelation', { matchedTasks: 2, canceledTasks: 1, originalFilter: '?uids=1,2' }],
    ['taskDeletion', { matchedTasks: 2, deletedTasks: 1, originalFilter: '?uids=1,2' }],
    ['dumpCreation', { dumpUid: '20300101-000000000' }],
    ['snapshotCreation', null],
    [
      'export',
      { url: 'http://a', apiKey: 'XXX...', payloadSize: '1 MB', indexes: { a: { filter: null, overrideSettings: true } } },
    ],
    ['export', { url: 'http://a', indexes: {} }],
    ['upgradeDatabase', { upgradeFrom: 'v1.49.0', upgradeTo: 'v1.50.0' }],
    ['indexCompaction', { preCompactionSize: '2 MB', postCompactionSize: '1 MB' }],
    ['indexCompaction', {}],
  ];
  for (const [uid, [type, shown]] of details.entries()) {
    const task: TaskRecord = { uid, type, details: shown, ...FACTS, ...ENDED };
    t.same(readTask(throughJson(writeTask(task))), task, type);
  }
  const failed: TaskRecord = {
    ...FACTS,
    ...ENDED,
    uid: 1,
    type: 'indexCreation',
    details: { primaryKey: null },
    status: 'failed',
    canceledBy: 9,
    customMetadata: '',
    error: { message: 'm', code: 'index_already_exists', type: 'invalid_request', link: 'l' },
  };
  t.same(readTask(throughJson(writeTask(failed))), failed);
  t.end();
});

t.test('waiting tasks survive a dump', (t) => {
  const works: [TaskType, Details | null, TaskWork][] = [
    [
      'documentDeletion',
      { providedIds: 2, deletedDocuments: null, originalFilter: null },
      { kind: 'deleteByIds', ids: ['1', 'x'] },
    ],
    [
      'documentDeletion',
      { providedIds: 0, deletedDocuments: null, originalFilter: '["a = 1"]' },
      { kind: 'deleteByFilter', filter: ['a = 1'] },
    ],
    ['documentDeletion', { deletedDocuments: null }, { kind: 'clear' }],
    [
      'settingsUpdate',
      { stopWords: ['a'] },
      { kind: 'settings', patch: { stopWords: ['a'], synonyms: null }, createsIndex: true },
    ],
    ['indexCreation', { primaryKey: 'k' }, { kind: 'indexCreation', primaryKey: 'k' }],
    [
      'indexUpdate',
      { primaryKey: null, newIndexUid: 'b', oldIndexUid: 'a' },
      { kind: 'indexUpdate', primaryKey: null, newUid: 'b' },
    ],
    ['indexDeletion', { deletedDocuments: null }, { kind: 'indexDeletion' }],
    [
      'indexSwap',
      { swaps: [{ indexes: ['a', 'b'], rename: false }] },
      { kind: 'indexSwap', swaps: [{ indexes: ['a', 'b'], rename: false }] },
    ],
    [
      'taskCancelation',
      { matchedTasks: 3, canceledTasks: null, originalFilter: '?uids=*' },
      {
        kind: 'taskCancelation',
        tasks: [
          [1, 1],
          [5, 70_000],
        ],
      },
    ],
    ['snapshotCreation', null, { kind: 'snapshotCreation' }],
    ['indexCompaction', {}, { kind: 'indexCompaction' }],
    [
      'export',
      { url: 'http://a', apiKey: 'XXX...', indexes: {} },
      {
        kind: 'export',
        url: 'http://a',
        apiKey: 'secret',
        payloadSize: 5,
        indexes: { 'a*': { filter: 'b = 1', overrideSettings: true } },
      },
    ],
  ];
  for (const [uid, [type, details, work]] of works.entries()) {
    const task: TaskRecord = {
      ...FACTS,
      batchUid: null,
      uid,
      type,
      details,
      status: 'enqueued',
      startedAt: null,
      finishedAt: null,
      work,
    };
    t.same(readTask(throughJson(writeTask(task))), task, work.kind);
  }
  t.throws(() => readTask({ ...writeTask({ ...FACTS, ...ENDED, uid: 4, type: 'indexDeletion', details: null }), type: 'new' }), {
    message: 'task 4 is of the unknown type "new"',
  });
  t.end();
});

t.test('optional members of task lines may be absent', (t) => {
  const line: DumpTask = { uid: 3, status: 'succeeded', type: 'documentClear', enqueuedAt: '2024-10-05T12:00:00.123456789Z' };
  t.match(readTask(line), { uid: 3, type: 'documentDeletion', batchUid: null, indexUid: null, details: null, startedAt: null });
  t.equal(readTask(line).enqueuedAt % 1_000_000, 123_456);
  const batch = readBatch({
    uid: 1,
    details: {},
    stats: { totalNbTasks: 1, status: { succeeded: 1 } as never },
    startedAt: '2024-10-05T12:00:00Z',
    stopReason: 'because',
  });
  t.match(batch, {
    stats: { status: { enqueued: 0, succeeded: 1, canceled: 0 }, types: {} },
    batchStrategy: 'because',
    finishedAt: null,
  });
  t.end();
});

t.test('Roaring bitmaps of uids are read', (t) => {
  t.comment(`seed ${seed}`);
  t.same([...writeRoaring([])], [58, 48, 0, 0, 0, 0, 0, 0]);
  // {1, 2, 65536}, by the published layout
  const small = [58, 48, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 24, 0, 0, 0, 28, 0, 0, 0, 1, 0, 2, 0, 0, 0];
  t.same(
    [
      ...writeRoaring([
        [1, 2],
        [65_536, 65_536],
      ]),
    ],
    small,
  );
  // one container of the runs 10..14 and 20..20
  const runs = [59, 48, 0, 0, 1, 0, 0, 5, 0, 2, 0, 10, 0, 4, 0, 20, 0, 0, 0];
  t.same(readRoaring(Uint8Array.from(runs)), [10, 11, 12, 13, 14, 20]);
  for (let round = 0; round < 12; round++) {
    const step = [1, 2, 50, 5000][round % 4]!;
    const uids: number[] = [];
    for (let uid = random.int(100_000); uid < 300_000; uid += 1 + random.int(step)) uids.push(uid);
    t.equal(readRoaring(writeRoaring(toRanges(uids))).join(), uids.join(), `${uids.length} uids`);
  }
  t.throws(() => readRoaring(Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8])), RangeError);
  t.throws(() => readRoaring(Uint8Array.from(small.slice(0, 28))), RangeError);
  t.end();
});

t.test('files are read in chunks of complete lines', async (t) => {
  const file = path.join(testFolder(t), 'lines');
  const values = Array.from({ length: 1000 }, (_, i) => ({ i, text: 'é\u2028'.repeat(random.int(40)) }));
  await writeLines(file, values);
  const read: unknown[] = [];
  for await (const value of jsonLines(file)) read.push(value);
  t.same(read, values);
  for (const bytes of [64, 10_000, 1 << 22]) {
    const chunks: Buffer[] = [];
    for await (const chunk of chunksOfLines(file, bytes)) chunks.push(chunk);
    t.ok(chunks.every((chunk) => chunk.at(-1) === 0x0a));
    t.ok(Buffer.concat(chunks).equals(fs.readFileSync(file)), `${chunks.length} chunks`);
  }
});

function throughJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}
