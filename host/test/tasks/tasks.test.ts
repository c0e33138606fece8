import t from 'tap';
import { inRanges, toRanges } from '../../tasks/ranges.js';
import { formatDuration, formatMoment, now, parseMoment } from '../../time/moments.js';
import { startServer } from '../server.js';

t.test('timestamps are ordered, and parsed as they were printed', async (t) => {
  const a = now();
  const b = now();
  t.ok(b > a);
  t.equal(parseMoment(formatMoment(a))?.moment, a);
  t.same(parseMoment('2024-02-29'), { moment: Date.UTC(2024, 1, 29) * 1000, wholeDay: true });
  for (const bad of ['', '2024', '2024-02-30', '2024-01-01T00:00:00', '1700000000', '2024-01-01T25:00:00Z'])
    t.equal(parseMoment(bad), null, bad);
  t.equal(parseMoment('2024-01-01T02:00:00+02:00')?.moment, Date.UTC(2024, 0, 1) * 1000);
  t.equal(parseMoment('1970-01-01T00:00:00.0000019Z')?.moment, 1.5);
});

t.test('durations are printed in ISO 8601', async (t) => {
  t.equal(formatDuration(0, 12_000), 'PT0.012S');
  t.equal(formatDuration(0, 1), 'PT0.000001S');
  t.equal(formatDuration(0, 86_403_000_000), 'P1DT3S');
  t.equal(formatDuration(0, 86_400_000_000), 'P1D');
  t.equal(formatDuration(5, 5), 'PT0S');
  t.equal(formatDuration(5, 4), null);
  t.equal(formatDuration(5, null), null);
});

t.test('uids form ranges, in which they are found', async (t) => {
  const ranges = toRanges([1, 2, 3, 7, 9, 10]);
  t.same(ranges, [
    [1, 3],
    [7, 7],
    [9, 10],
  ]);
  t.ok(inRanges(ranges, 2));
  t.notOk(inRanges(ranges, 8));
});

t.test('a task is shown from its summary to its end', async (t) => {
  const server = await startServer();
  t.teardown(server.close);
  const { status, body } = await server.call('POST', '/indexes', { uid: 'books', primaryKey: 'isbn' });
  t.equal(status, 202);
  t.same(Object.keys(body), ['taskUid', 'indexUid', 'status', 'type', 'enqueuedAt']);
  const task = await server.finished(body.taskUid);
  t.match(task, {
    uid: 0,
    batchUid: 0,
    indexUid: 'books',
    status: 'succeeded',
    canceledBy: null,
    error: null,
    details: { primaryKey: 'isbn' },
  });
  t.match(task.duration, /^PT\d/);
  const again = await server.task('POST', '/indexes', { uid: 'books' });
  t.match(again, { status: 'failed', error: { code: 'index_already_exists', link: '/docs/errors#index_already_exists' } });
  t.match((await server.call('GET', '/batches/0')).body, {
    uid: 0,
    progress: null,
    details: { primaryKey: 'isbn' },
    stats: { totalNbTasks: 1 },
  });
  const withoutKey = await server.task('POST', '/indexes', { uid: 'other' });
  t.same((await server.call('GET', `/batches/${withoutKey.batchUid}`)).body.details, {});
});

t.test('tasks are listed, filtered and paged', async (t) => {
  const server = await startServer();
  t.teardown(server.close);
  for (const uid of ['a', 'b', 'c']) await server.task('POST', '/indexes', { uid });
  const uids = async (query: string) => {
    const { body } = await server.call('GET', `/tasks${query}`);
    return body.results?.map((task: { uid: number }) => task.uid) ?? body.code;
  };
  t.same(await uids(''), [2, 1, 0]);
  t.match((await server.call('GET', '/tasks?limit=1&from=1&reverse=true')).body, { total: 3, limit: 1, from: 1, next: 2 });
  t.match((await server.call('GET', '/tasks?limit=0')).body, { results: [], total: 3, from: null, next: 2 });
  t.same(await uids('?indexUids=a,c'), [2, 0]);
  t.same(await uids('?uids=1,,2,'), [2, 1]);
  t.same(await uids('?uids='), []);
  t.same(await uids('?uids=1,*'), [2, 1, 0]);
  t.same(await uids('?types=INDEXCREATION&statuses=Succeeded&uids=1'), [1]);
  t.same(await uids('?batchUids=2'), [2]);
  t.same(await uids('?afterEnqueuedAt=2020-01-01&beforeEnqueuedAt=2999-01-01'), [2, 1, 0]);
  const { enqueuedAt } = (await server.call('GET', '/tasks/1')).body;
  t.same(await uids(`?afterEnqueuedAt=${enqueuedAt}`), [2]);
  t.same(await uids(`?beforeEnqueuedAt=${enqueuedAt}`), [0]);
  for (const [query, code] of [
    ['?limit=-1', 'invalid_task_limit'],
    ['?limit=4294967296', 'invalid_task_limit'],
    ['?from=*', 'invalid_task_from'],
    ['?reverse=TRUE', 'invalid_task_reverse'],
    ['?uids=1,x', 'invalid_task_uids'],
    ['?types=createIndex', 'invalid_task_types'],
    ['?statuses=done', 'invalid_task_statuses'],
    ['?indexUids=mov*', 'invalid_index_uid'],
    ['?canceledBy=-1', 'invalid_task_canceled_by'],
    ['?beforeFinishedAt=2024', 'invalid_task_before_finished_at'],
    ['?limit=z&foo=1', 'invalid_task_limit'],
    ['?foo=1&limit=z', 'bad_request'],
  ] as const)
    t.equal(await uids(query), code, query);
  t.match((await server.call('GET', '/tasks?uids=1,x')).body.message, /uids\[1\]/);
  t.match((await server.call('GET', '/tasks/9')).body, { code: 'task_not_found' });
  t.match((await server.call('GET', '/tasks/x')).body, { code: 'invalid_task_uids' });
});

t.test('tasks are canceled and deleted', async (t) => {
  const server = await startServer('--experimental-max-number-of-batched-tasks', '0');
  t.teardown(server.close);
  for (const uid of ['a', 'b']) await server.call('POST', '/indexes', { uid });
  t.match((await server.call('POST', '/tasks/cancel')).body, { code: 'missing_task_filters' });
  const { status, body } = await server.call('POST', '/tasks/cancel?uids=1');
  t.equal(status, 200);
  const cancelation = await server.finished(body.taskUid);
  t.match(cancelation, { indexUid: null, details: { matchedTasks: 1, canceledTasks: 1, originalFilter: '?uids=1' } });
  const canceled = await server.finished(1);
  t.match(canceled, { status: 'canceled', canceledBy: 2, batchUid: cancelation.batchUid, startedAt: cancelation.startedAt });
  t.equal((await server.call('GET', '/tasks/0')).body.status, 'enqueued', 'the other task still waits');
  t.match((await server.call('GET', `/batches?canceledBy=2`)).body, { total: 1, results: [{ stats: { totalNbTasks: 2 } }] });

  const deletion = await server.task('DELETE', '/tasks?uids=*');
  t.match(deletion, { details: { matchedTasks: 3, deletedTasks: 2 } });
  t.match((await server.call('GET', '/tasks/1')).body, { code: 'task_not_found' });
  t.match((await server.call('GET', `/batches/${cancelation.batchUid}`)).body, { code: 'batch_not_found' });
  t.match(await server.task('DELETE', '/tasks?uids=*'), { details: { deletedTasks: 1 } }, 'a deletion removes the one before it');
  await server.restart();
  t.match(await server.finished(0), { status: 'succeeded' }, 'what waited runs after a restart');
});

t.test('older tasks get the new names of their indexes', async (t) => {
  const server = await startServer();
  t.teardown(server.close);
  for (const uid of ['a', 'b']) await server.task('POST', '/indexes', { uid });
  const swap = await server.task('POST', '/swap-indexes', [{ indexes: ['a', 'b'] }]);
  t.match(swap, { status: 'succeeded', indexUid: null, details: { swaps: [{ indexes: ['a', 'b'], rename: false }] } });
  t.equal((await server.call('GET', '/tasks/0')).body.indexUid, 'b');
  const rename = await server.task('PATCH', '/indexes/b', { uid: 'c' });
  t.match(rename, { status: 'succeeded', indexUid: 'b', details: { oldIndexUid: 'b', newIndexUid: 'c' } });
  t.equal((await server.call('GET', '/indexes/b')).status, 404);
  const check = async () => {
    t.equal((await server.call('GET', '/tasks/0')).body.indexUid, 'c');
    t.equal((await server.call('GET', '/tasks/1')).body.indexUid, 'a');
    t.same((await server.call('GET', '/tasks/2')).body.details.swaps, [{ indexes: ['a', 'c'], rename: false }]);
    t.match((await server.call('GET', '/tasks?indexUids=c')).body, { total: 3, results: [{ uid: 3 }, { uid: 0 }] });
    t.match((await server.call('GET', '/tasks?indexUids=b')).body, { results: [{ uid: 3 }] });
  };
  await check();
  await server.restart();
  await check();
  t.match(await server.task('POST', '/swap-indexes', [{ indexes: ['a', 'zz'] }]), { error: { code: 'index_not_found' } });
  t.match(await server.task('PATCH', '/indexes/a', { uid: 'c' }), { error: { code: 'index_already_exists' } });
});

t.test('the documents of a waiting task can be read', async (t) => {
  const server = await startServer('--experimental-max-number-of-batched-tasks', '0');
  t.teardown(server.close);
  const { taskUid } = (await server.call('POST', '/indexes/i/documents', '[{"id":1,\n "a": 2}, {"id":2}]')).body;
  t.match((await server.call('GET', `/tasks/${taskUid}/documents`)).body, { code: 'feature_not_enabled' });
  await server.call('PATCH', '/experimental-features', { getTaskDocumentsRoute: true });
  const { body, headers } = await server.call('GET', `/tasks/${taskUid}/documents`);
  t.equal(body, '{"id":1,  "a": 2}\n{"id":2}\n');
  t.equal(headers.get('content-type'), 'application/x-ndjson');
  await server.restart();
  await server.finished(taskUid);
  t.match((await server.call('GET', `/tasks/${taskUid}/documents`)).body, { code: 'task_file_not_found' });
  t.match((await server.call('GET', '/tasks/99/documents')).body, { code: 'task_not_found' });
});
