import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { autobatch, type IndexFacts } from '../../tasks/batches/autobatch.js';
import type { TaskRecord, TaskWork } from '../../tasks/task.js';
import { startServer } from '../server.js';

const FREE = { tasks: 1000, bytes: 1e9, documents: 1e9 };

function add(primaryKey: string | null = null, createsIndex = true): TaskWork {
  return { kind: 'import', method: 'replace', primaryKey, skipCreation: false, createsIndex, file: 'f', bytes: 10 };
}
const del: TaskWork = { kind: 'deleteByIds', ids: [] };
const delByFilter: TaskWork = { kind: 'deleteByFilter', filter: 'a = 1' };
const clear: TaskWork = { kind: 'clear' };
const settings: TaskWork = { kind: 'settings', patch: {}, createsIndex: true };
const deletion: TaskWork = { kind: 'indexDeletion' };
const creation: TaskWork = { kind: 'indexCreation', primaryKey: null };

async function batchOf(works: TaskWork[], index: IndexFacts = { exists: true, primaryKey: 'id' }, limits = FREE) {
  const [first, ...others] = works.map((work, uid) => ({ uid, type: 'indexCreation', work }) as TaskRecord);
  async function* rest() {
    yield* others;
  }
  const { state, tasks, reason } = await autobatch(first!, rest(), index, limits);
  return { state, count: tasks.length, reason };
}

t.test('a batch is bounded by its documents, and by the ids to be deleted', async (t) => {
  const ids: TaskWork = { kind: 'deleteByIds', ids: ['1', '2', '3'] };
  const reason = 'stopped before 6 documents, more than the limit of 5 documents in a batch';
  t.match(await batchOf([ids, ids, ids], undefined, { ...FREE, documents: 5 }), { count: 1, reason });
  t.match(await batchOf([ids, ids, ids], undefined, { ...FREE, documents: 6 }), { count: 2 });
  t.match(await batchOf([ids], undefined, { ...FREE, documents: 1 }), { count: 1, reason: null }, 'the first is always taken');
});

t.test('which tasks are batched together', async (t) => {
  const missing = { exists: false, primaryKey: null };
  const keyless = { exists: true, primaryKey: null };
  const cases: [TaskWork[], state: string, count: number, index?: IndexFacts][] = [
    [[add(), add(), del, add()], 'documents', 4],
    [[add(), delByFilter], 'documents', 1],
    [[del, delByFilter, add()], 'documents', 3],
    [[del, settings], 'deletions', 1],
    [[add(), clear, del], 'clear', 3],
    [[clear, add()], 'clear', 1],
    [[settings, settings, add()], 'settings', 2],
    [[settings, clear, settings, delByFilter, add()], 'clearAndSettings', 4],
    [[add(), settings, deletion], 'documents', 1],
    [[add(), del, deletion, add()], 'indexDeletion', 3],
    [[deletion, deletion], 'indexDeletion', 1],
    [[creation, add()], 'alone', 1],
    [[add(), creation], 'documents', 1],
    [[add('other'), add()], 'documents', 1],
    [[add('id'), add('other')], 'documents', 1],
    [[add(), add('k')], 'documents', 1, keyless],
    [[add('k'), add(), add('k'), add('l')], 'documents', 3, keyless],
    [[del, add('k')], 'documents', 2, keyless],
    [[del, add()], 'deletions', 1, missing],
    [[delByFilter, del, add()], 'deletionsByFilter', 2, missing],
    [[delByFilter, add(null, false)], 'documents', 2, missing],
    [[del, add(null, false)], 'documents', 2, missing],
    [[add(null, false), add()], 'documents', 1, missing],
    [[add(), add(null, false)], 'documents', 2, missing],
  ];
  for (const [works, state, count, index] of cases) {
    const name = works.map(({ kind }) => kind).join(' ');
    t.match(await batchOf(works, index), { state, count }, name);
  }
  t.match(await batchOf([add(), add(), add()], undefined, { ...FREE, tasks: 2 }), { count: 2, reason: /limit of 2/ });
  t.match(await batchOf([add(), add(), add()], undefined, { ...FREE, tasks: 9, bytes: 25 }), { count: 2, reason: /30 bytes/ });
  t.match(
    await batchOf([add(), settings], undefined, { ...FREE, tasks: 1, bytes: 1 }),
    { reason: /settings/ },
    'what the batch cannot take outweighs a limit',
  );
});

t.test('a queue filled while paused is split into the documented batches', async (t) => {
  const server = await startServer();
  t.teardown(server.close);
  await server.task('POST', '/indexes/i/documents', [{ id: 1 }, { id: 2 }, { id: 3 }]);
  await server.task('PUT', '/indexes/i/settings/filterable-attributes', ['id']);
  await server.restart('--experimental-max-number-of-batched-tasks', '0');
  const calls: [string, string, unknown?][] = [
    ['POST', '/indexes/i/documents', [{ id: 4 }, { id: 4 }]],
    ['PUT', '/indexes/i/documents', [{ id: 1, a: 1 }]],
    ['POST', '/indexes/i/documents/delete-batch', [2, 77]],
    ['PATCH', '/indexes/i/settings', { stopWords: ['the'] }],
    ['DELETE', '/indexes/i/documents'],
    ['PATCH', '/indexes/i/settings', { stopWords: ['a'] }],
    ['POST', '/indexes/i/documents/delete', { filter: 'id = 1' }],
    ['POST', '/indexes/i/documents', [{ id: 9 }]],
  ];
  const first = (await server.call(...calls[0]!)).body.taskUid;
  for (const call of calls.slice(1)) await server.call(...call);
  t.match((await server.call('GET', `/tasks/${first}`)).body, {
    status: 'enqueued',
    batchUid: null,
    details: { indexedDocuments: null },
  });
  await server.restart();
  const tasks = [];
  for (let i = 0; i < calls.length; i++) tasks.push(await server.finished(first + i));
  const base = tasks[0].batchUid;
  t.same(
    tasks.map((task) => task.batchUid - base),
    [0, 0, 0, 1, 1, 1, 1, 2],
  );
  t.ok(tasks.every((task) => task.status === 'succeeded'));
  t.same(tasks[0].details, { receivedDocuments: 2, indexedDocuments: 1 });
  t.match(tasks[2].details, { providedIds: 2, deletedDocuments: 2 }, 'beside additions a deletion counts the ids given');
  t.same(tasks[4].details, { deletedDocuments: 3 });
  t.match(tasks[6].details, { deletedDocuments: null }, 'absorbed');
  t.same((await server.call('GET', '/indexes/i/settings/stop-words')).body, ['a']);
  t.match((await server.call('GET', '/indexes/i/stats')).body, { numberOfDocuments: 1 });
  t.match((await server.call('GET', `/batches/${base}`)).body, {
    details: { receivedDocuments: 3, indexedDocuments: 2, providedIds: 2, deletedDocuments: 2 },
    stats: {
      totalNbTasks: 3,
      status: { succeeded: 3, failed: 0 },
      types: { documentAdditionOrUpdate: 2, documentDeletion: 1 },
      indexUids: { i: 3 },
    },
  });
});

t.test('the deletion of an index absorbs earlier tasks', async (t) => {
  const server = await startServer('--experimental-max-number-of-batched-tasks', '0');
  t.teardown(server.close);
  await server.call('POST', '/indexes/i/documents', [{ id: 1 }]);
  await server.call('DELETE', '/indexes/i/documents');
  await server.call('DELETE', '/indexes/i');
  await server.call('DELETE', '/indexes/i');
  await server.restart();
  t.match(await server.finished(0), { status: 'succeeded', batchUid: 0, details: { receivedDocuments: 1, indexedDocuments: 0 } });
  t.match(await server.finished(1), { status: 'succeeded', batchUid: 0, details: { deletedDocuments: null } });
  t.match(await server.finished(2), { status: 'succeeded', batchUid: 0, details: { deletedDocuments: 0 } });
  t.match(await server.finished(3), {
    status: 'failed',
    batchUid: 1,
    details: { deletedDocuments: 0 },
    error: { code: 'index_not_found' },
  });
});

t.test('one bad payload among three fails alone', async (t) => {
  const server = await startServer('--experimental-max-number-of-batched-tasks', '0');
  t.teardown(server.close);
  for (const documents of [[{ id: 1 }], [{ id: 'not valid' }], [{ id: 3 }]])
    await server.call('POST', '/indexes/i/documents', documents);
  await server.restart();
  const tasks = [await server.finished(0), await server.finished(1), await server.finished(2)];
  t.same(
    tasks.map((task) => [task.status, task.batchUid]),
    [
      ['succeeded', 0],
      ['failed', 0],
      ['succeeded', 0],
    ],
  );
  t.equal(tasks[1].error.code, 'invalid_document_id');
  t.match((await server.call('GET', '/indexes/i/stats')).body, { numberOfDocuments: 2 });
});

t.test('one bad change of settings among three fails alone', async (t) => {
  const server = await startServer('--experimental-max-number-of-batched-tasks', '0');
  t.teardown(server.close);
  for (const sizes of [{ oneTypo: 4 }, { oneTypo: 12 }, { twoTypos: 10 }])
    await server.call('PATCH', '/indexes/i/settings/typo-tolerance', { minWordSizeForTypos: sizes });
  await server.restart();
  t.match(await server.finished(1), { status: 'failed', error: { code: 'invalid_settings_typo_tolerance' } });
  t.match(await server.finished(2), { status: 'succeeded', batchUid: 0 });
  const { body } = await server.call('GET', '/indexes/i/settings/typo-tolerance');
  t.same(body.minWordSizeForTypos, { oneTypo: 4, twoTypos: 10 });
});

t.test('a faulty task does not affect the other tasks of its batch', async (t) => {
  const server = await startServer();
  t.teardown(server.close);
  await server.task('PATCH', '/indexes/i/settings', { filterableAttributes: ['n', '_geo'], sortableAttributes: ['_geo'] });
  await server.task(
    'POST',
    '/indexes/i/documents?primaryKey=id',
    Array.from({ length: 6 }, (_, id) => ({ id, n: id })),
  );
  await server.restart('--experimental-max-number-of-batched-tasks', '0');
  const crowd = Object.fromEntries(Array.from({ length: 70_000 }, (_, i) => [`f${i}`, 1]));
  const calls: [method: string, route: string, body: unknown, outcome: string][] = [
    ['POST', 'documents', [{ id: 10 }], 'succeeded'],
    ['POST', 'documents', [{ id: 11, _geo: { lat: 'north', lng: 1 } }], 'invalid_document_geo_field'],
    ['PUT', 'documents', [{ id: 12 }, { id: 'not valid' }], 'invalid_document_id'],
    ['POST', 'documents', [{ name: 'no id' }], 'missing_document_id'],
    ['POST', 'documents', [{ id: 13, ...crowd }], 'max_fields_limit_exceeded'],
    ['POST', 'documents', [{ id: 14, _vectors: 5 }], 'invalid_vectors_type'],
    ['POST', 'documents/delete-batch', [0, 99], 'succeeded'],
    ['PUT', 'documents', [{ id: 15, n: 15 }], 'succeeded'],
  ];
  const uids: number[] = [];
  for (const [method, route, body] of calls) uids.push((await server.call(method, `/indexes/i/${route}`, body)).body.taskUid);
  const other = (await server.call('POST', '/indexes/j/documents', [{ id: 1 }])).body.taskUid;
  await server.restart();
  const tasks = await Promise.all(uids.map(server.finished));
  t.same(
    tasks.map(({ status, error }) => error?.code ?? status),
    calls.map(([, , , outcome]) => outcome),
  );
  t.equal(new Set(tasks.map(({ batchUid }) => batchUid)).size, 1, 'they are one batch');
  const stored = (await server.call('POST', '/indexes/i/documents/fetch', { fields: ['id'], limit: 100 })).body.results;
  t.same(
    stored.map(({ id }: { id: number }) => id).sort((a: number, b: number) => a - b),
    [1, 2, 3, 4, 5, 10, 15],
  );
  t.match(await server.finished(other), { status: 'succeeded' });

  await server.restart('--experimental-max-number-of-batched-tasks', '0');
  const filters = ['n = 1', 'unknown = 1', 'n = 2'];
  const deletions: number[] = [];
  for (const filter of filters)
    deletions.push((await server.call('POST', '/indexes/i/documents/delete', { filter })).body.taskUid);
  await server.restart();
  const ended = await Promise.all(deletions.map(server.finished));
  t.same(
    ended.map(({ status, error, batchUid }) => [error?.code ?? status, batchUid]),
    ['succeeded', 'invalid_document_filter', 'succeeded'].map((outcome) => [outcome, ended[0].batchUid]),
  );
  t.equal((await server.call('GET', '/indexes/i/stats')).body.numberOfDocuments, 5);
});

t.test('a batch that fails as a whole does not stop the queue', async (t) => {
  const server = await startServer('--experimental-max-number-of-batched-tasks', '0');
  t.teardown(server.close);
  const large = [{ id: 1, text: 'word '.repeat(20_000) }];
  const broken = (await server.call('POST', '/indexes/i/documents', large)).body.taskUid;
  const [file] = fs.readdirSync(path.join(server.folder, 'payloads'));
  fs.truncateSync(path.join(server.folder, 'payloads', file!), 100);
  const after = (await server.call('POST', '/indexes/j/documents', [{ id: 1 }])).body.taskUid;
  await server.restart();
  t.match(await server.finished(broken), { status: 'failed', error: { code: 'internal' } });
  t.match(await server.finished(after), { status: 'succeeded' });
});
