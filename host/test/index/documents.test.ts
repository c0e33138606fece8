import t from 'tap';
import { startServer, type TestServer } from '../server.js';

let server: TestServer;
t.before(async () => {
  server = await startServer();
});
t.teardown(() => server.close());

const ids = async (index: string) => {
  const { body } = await server.call('GET', `/indexes/${index}/documents?fields=id&limit=1000`);
  return body.results.map(({ id }: { id: unknown }) => id);
};

t.test('documents are added, read, updated and deleted', async (t) => {
  const first = await server.task('POST', '/indexes/life/documents?customMetadata=spring', [
    { id: 1, a: { x: 1, y: 1 }, t: 'old' },
    { id: 'two', big: 2 },
    { id: 1, a: { x: 1, y: 2 }, t: 'old' },
  ]);
  t.match(first, { status: 'succeeded', customMetadata: 'spring', details: { receivedDocuments: 3, indexedDocuments: 2 } });
  await server.task('PUT', '/indexes/life/documents', [{ id: 1, a: { x: 9 }, n: null }]);
  t.same((await server.call('GET', '/indexes/life/documents/1')).body, { id: 1, a: { x: 9 }, t: 'old', n: null });
  t.match(await server.task('PUT', '/indexes/life/documents?skipCreation=TRUE', [{ id: 7 }]), {
    details: { indexedDocuments: 1 },
  });
  t.same(await ids('life'), [1, 'two']);
  t.match((await server.call('GET', '/indexes/life/stats')).body, {
    numberOfDocuments: 2,
    fieldDistribution: { a: 1, big: 1, id: 2, n: 1, t: 1 },
    isIndexing: false,
  });
  t.match(await server.task('DELETE', '/indexes/life/documents/two'), {
    details: { providedIds: 1, deletedDocuments: 1, originalFilter: null },
  });
  t.match((await server.call('GET', '/indexes/life/documents/two')).body, { code: 'document_not_found' });
  await server.restart();
  t.same(await ids('life'), [1]);
  t.match(await server.task('DELETE', '/indexes/life/documents'), { details: { deletedDocuments: 1 } });
  t.match((await server.call('GET', '/indexes/life')).body, { primaryKey: 'id' });
});

t.test('JSON, NDJSON and CSV are accepted', async (t) => {
  const csv = 'id:number,name,price:number,ok:boolean\n7,"Fig, dried",,true\n';
  await server.task('POST', '/indexes/formats/documents', csv, { 'content-type': 'text/csv; charset=utf-8' });
  t.same((await server.call('GET', '/indexes/formats/documents/7')).body, { id: 7, name: 'Fig, dried', price: null, ok: true });
  await server.task('POST', '/indexes/formats/documents', '{"id":8}\n\n{"id":9}', { 'content-type': 'application/x-ndjson' });
  await server.task('POST', '/indexes/formats/documents?csvDelimiter=%3B', 'id;n\n10;a,b\n', { 'content-type': 'text/csv' });
  t.same(await ids('formats'), [7, 8, 9, '10']);
  const bad = await server.call('POST', '/indexes/formats/documents', 'id,price:number\n1,abc\n', { 'content-type': 'text/csv' });
  t.match(bad, { status: 400, body: { code: 'malformed_payload', message: /abc/ } });
});

t.test('numbers keep their digits', async (t) => {
  await server.task('POST', '/indexes/digits/documents', '[{"id":14630868576586246730,"f":10.0}]');
  const response = await fetch(`${server.url}/indexes/digits/documents/14630868576586246730`);
  t.equal(await response.text(), '{"id":14630868576586246730,"f":10.0}');
  t.match(await server.task('POST', '/indexes/digits/documents/delete-batch', '[14630868576586246731, 1.0]'), {
    details: { deletedDocuments: 0 },
  });
  t.match(await server.task('POST', '/indexes/digits/documents/delete-batch', '[14630868576586246730]'), {
    details: { deletedDocuments: 1 },
  });
});

t.test('a failing addition leaves an empty index', async (t) => {
  const failed = await server.task('POST', '/indexes/inference/documents', [{ code_id: 1, fruit_id: 2 }]);
  t.match(failed, {
    status: 'failed',
    details: { indexedDocuments: 0 },
    error: { code: 'index_primary_key_multiple_candidates_found' },
  });
  t.match((await server.call('GET', '/indexes/inference')).body, { primaryKey: null });
  t.match(await server.task('POST', '/indexes/inference/documents?primaryKey=fruit_id', [{ code_id: 1, fruit_id: 2 }]), {
    status: 'succeeded',
  });
  const other = await server.task('POST', '/indexes/inference/documents?primaryKey=code_id', [{ code_id: 1, fruit_id: 2 }]);
  t.match(other, { error: { code: 'index_primary_key_already_exists' } });
  for (const [method, route, body] of [
    ['POST', '/indexes/none/documents/delete-batch', [1]],
    ['DELETE', '/indexes/none/documents'],
    ['DELETE', '/indexes/none/documents/1'],
    ['POST', '/indexes/none/compact'],
    ['PATCH', '/indexes/none', {}],
  ] as const)
    t.match(
      await server.task(method, route, body),
      { status: 'failed', error: { code: 'index_not_found' } },
      `${method} ${route}`,
    );
  t.equal((await server.call('GET', '/indexes/none')).status, 404);
});

t.test('deletion by filter', async (t) => {
  await server.task('PUT', '/indexes/filter/settings/filterable-attributes', ['kind', 'size']);
  await server.task(
    'POST',
    '/indexes/filter/documents',
    [1, 2, 3, 4].map((id) => ({ id, kind: id % 2 ? 'odd' : 'even', size: id })),
  );
  const deletion = await server.task('POST', '/indexes/filter/documents/delete', { filter: ['kind = odd', 'size > 1'] });
  t.match(deletion, { details: { providedIds: 0, deletedDocuments: 1, originalFilter: '["kind = odd","size > 1"]' } });
  t.same(await ids('filter'), [1, 2, 4]);
  const refused = await server.task('POST', '/indexes/filter/documents/delete', { filter: 'other = 1' });
  t.match(refused, { status: 'failed', details: { deletedDocuments: 0 }, error: { code: 'invalid_document_filter' } });

  await server.task('DELETE', '/indexes/filter/documents');
  const empty = await server.task('POST', '/indexes/filter/documents/delete', { filter: 'other = 1' });
  t.match(empty, { status: 'failed', error: { code: 'invalid_document_filter' } }, 'also without documents');
  await server.task('POST', '/indexes', { uid: 'keyless' });
  const keyless = await server.task('POST', '/indexes/keyless/documents/delete', { filter: 'other = 1' });
  t.match(keyless, { status: 'succeeded', details: { deletedDocuments: 0 } }, 'not without a primary key');
});

t.test('compaction drops what was deleted and keeps the rest', async (t) => {
  for (let id = 0; id < 5; id++) await server.task('POST', '/indexes/compact/documents', [{ id, text: `word${id} `.repeat(50) }]);
  await server.task('POST', '/indexes/compact/documents/delete-batch', [1, 3]);
  const { details } = await server.task('POST', '/indexes/compact/compact');
  t.match(details, { preCompactionSize: /^[\d.]+ [KMB]/, postCompactionSize: /^[\d.]+ [KMB]/ });
  t.same(await ids('compact'), [0, 2, 4]);
  t.same((await server.call('POST', '/indexes/compact/search', { q: 'word4' })).body.hits[0].id, 4);
});

t.test('the fields route lists fields with their settings', async (t) => {
  await server.task('POST', '/indexes/fields/documents', [{ id: 1, food: { kind: 'x' } }]);
  const { body } = await server.call('POST', '/indexes/fields/fields', {});
  t.same(
    body.results.map(({ name }: { name: string }) => name),
    ['food', 'food.kind', 'id'],
  );
  t.same(body.results[1], {
    name: 'food.kind',
    displayed: { enabled: true },
    searchable: { enabled: true },
    sortable: { enabled: false },
    distinct: { enabled: false },
    rankingRule: { enabled: false },
    filterable: { enabled: false, sortBy: 'alpha', facetSearch: false, equality: false, comparison: false },
    localized: { locales: [] },
  });
});
