import t from 'tap';
import { traceMilliseconds } from '../../observe/gauges.js';
import { startServer } from '../server.js';
import { until } from '../support/until.js';

/** Samples of the text format by name and labels. */
function samples(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));
}

t.test('durations of traces are printed', async (t) => {
  t.equal(traceMilliseconds('12.50ms'), 12.5);
  t.equal(traceMilliseconds('1.25s'), 1250);
  t.equal(traceMilliseconds('500.00µs'), 0.5);
  t.ok(Math.abs(traceMilliseconds('10.00ns') - 1e-5) < 1e-12);
});

t.test('the metrics in the format of Prometheus', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  t.match(await server.call('GET', '/metrics'), { status: 400, body: { code: 'feature_not_enabled' } });
  await server.call('GET', '/health');
  await server.call('PATCH', '/experimental-features', { metrics: true });
  await server.task('POST', '/indexes/books/documents', [{ id: 1 }, { id: 2 }]);
  await server.call('POST', '/indexes/books/search', { q: '' });
  await server.call('GET', '/indexes/nowhere');
  await server.call('GET', '/no/such/path');

  const answer = await server.call('GET', '/metrics');
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4');
  const values = samples(answer.body);
  const expected: [string, number][] = [
    ['meilisearch_http_requests_total{method="POST",path="/indexes/{index_uid}/search",status="200"}', 1],
    ['meilisearch_http_requests_total{method="GET",path="/indexes/{index_uid}",status="404"}', 1],
    ['meilisearch_http_response_time_seconds_count{method="POST",path="/indexes/{index_uid}/search"}', 1],
    ['meilisearch_index_count', 1],
    ['meilisearch_index_docs_count{index="books"}', 2],
    ['meilisearch_nb_tasks{kind="statuses",value="succeeded"}', 1],
    ['meilisearch_nb_tasks{kind="statuses",value="failed"}', 0],
    ['meilisearch_nb_tasks{kind="types",value="documentAdditionOrUpdate"}', 1],
    ['meilisearch_nb_tasks{kind="indexes",value="books"}', 1],
    ['meilisearch_is_indexing', 0],
    ['meilisearch_last_indexed_documents_count{batch_uid="0",index="books"}', 2],
    ['meilisearch_search_queue_size', 1000],
    ['meilisearch_searches_running', 0],
    ['meilisearch_task_queue_latency_seconds', 0],
  ];
  for (const [name, value] of expected) t.equal(values.get(name), value, name);
  t.ok(values.get('meilisearch_db_size_bytes')! > 0);
  const { updatedAt } = (await server.call('GET', '/indexes/books')).body;
  t.equal(values.get('meilisearch_last_update'), Math.floor(Date.parse(updatedAt) / 1000));
  t.ok([...values.keys()].some((name) => name.startsWith('meilisearch_last_finished_batches_progress_trace_ms')));
  t.notMatch(answer.body, '/health', 'requests are counted only while the feature is on');
  t.notMatch(answer.body, 'no/such');
});

t.test('a waiting task is counted', async (t) => {
  const server = await startServer('--experimental-max-number-of-batched-tasks', '0', '--experimental-enable-metrics');
  t.teardown(() => server.close());
  await server.call('POST', '/indexes', { uid: 'a' });
  const values = samples((await server.call('GET', '/metrics')).body);
  t.ok(values.get('meilisearch_task_queue_latency_seconds')! > 0);
  t.equal(values.get('meilisearch_nb_tasks{kind="statuses",value="enqueued"}'), 1);
});

t.test('the queue is compacted while it serves', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  t.match(await server.call('POST', '/tasks/compact'), { status: 400, body: { code: 'feature_not_enabled' } });
  await server.call('PATCH', '/experimental-features', { taskQueueCompactionRoute: true });
  for (let i = 0; i < 20; i++) await server.call('POST', '/indexes', { uid: `index-${i}` });
  const answer = await server.call('POST', '/tasks/compact');
  t.match(answer, { status: 200, body: { preSize: /^\d.* [KM]?i?B$/, postSize: /^\d.* [KM]?i?B$/, status: 'succeeded' } });
  t.same(Object.keys(answer.body), ['preSize', 'postSize', 'status']);
  t.equal((await server.task('POST', '/indexes', { uid: 'after' })).status, 'succeeded');
  t.equal((await server.call('GET', '/tasks?limit=100')).body.results.length, 21);
});

t.test('metrics of segments, merges and memory of an index', async (t) => {
  const server = await startServer('--experimental-enable-metrics');
  t.teardown(() => server.close());
  const figures = async () => samples((await server.call('GET', '/metrics')).body);
  const of = (name: string) => `peregrine_index_${name}{index="books"}`;
  await server.task('POST', '/indexes/books/documents', [{ id: 1 }, { id: 2 }]);
  const before = await figures();
  t.equal(before.get(of('segments')), 1);
  t.equal(before.get(of('deleted_documents')), 0);
  t.equal(before.get(of('merges_total')), 0);
  t.ok(before.get(of('memory_bytes'))! > 0);
  const unused = before.get('peregrine_shared_memory_bytes')! - before.get(of('memory_bytes'))!;
  t.ok(unused >= 0 && unused < 1024, `${unused} bytes are lost to alignment`);
  const unasked = (await server.call('GET', '/indexes/books/stats')).body;
  t.notOk('segments' in unasked, 'statistics are those of the interface unless more is asked for');

  for (let id = 3; id < 9; id++) await server.task('POST', '/indexes/books/documents', [{ id }, { id: 1, changed: id }]);
  const merged = await until('a merge', async () => {
    const { segments } = (await server.call('GET', '/indexes/books/stats?showSegments=true')).body;
    return segments.merges > 0 && !segments.isMerging ? segments : null;
  });
  t.ok(merged.mergedDocuments >= 4 && merged.mergeSeconds > 0 && merged.memorySize > 0 && merged.fileSize > 0);
  t.equal(merged.documents - merged.deletedDocuments, 8);
  const after = await figures();
  t.ok(after.get(of('merges_total'))! >= 1);
  t.match((await server.call('GET', '/stats?showSegments=true&sizeFormat=human')).body, {
    indexes: { books: { segments: { fileSize: /B$/, memorySize: /B$/ } } },
  });
  t.match(await server.call('GET', '/stats?showSegments=2'), { status: 400, body: { code: 'invalid_stats_show_segments' } });
});
