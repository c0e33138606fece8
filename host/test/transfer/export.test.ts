import http from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { startServer, type TestServer } from '../server.js';
import { until } from '../support/until.js';

const KEY = 'a master key of enough bytes';

async function settled(server: TestServer): Promise<void> {
  const waiting = async () => (await server.call('GET', '/tasks?statuses=enqueued,processing&limit=0')).body.total;
  await until('all tasks end', async () => (await waiting()) === 0);
}

const documentsOf = async (server: TestServer, uid: string) =>
  (await server.call('GET', `/indexes/${uid}/documents?limit=1000`)).body.results;

t.test('documents and settings are exported to another instance', async (t) => {
  const source = await startServer();
  const target = await startServer('--master-key', KEY);
  t.teardown(() => Promise.all([source.close(), target.close()]));
  const movies = Array.from({ length: 200 }, (_, id) => ({ id, year: 1950 + (id % 70), title: `movie number ${id} é` }));
  await source.task('PATCH', '/indexes/movies/settings', { filterableAttributes: ['year'], stopWords: ['the'] });
  await source.task('POST', '/indexes/movies/documents?primaryKey=id', movies);
  await source.task('POST', '/indexes/books/documents', [{ isbn_id: 'a' }]);
  await source.task('POST', '/indexes', { uid: 'skipped' });

  await t.test('patterns, a filter and a limit for payloads are applied', async (t) => {
    const indexes = { 'mov*': { filter: 'year > 2000' }, books: {} };
    const task = await source.task('POST', '/export', { url: `${target.url}/`, apiKey: KEY, payloadSize: '500 B', indexes });
    t.equal(task.status, 'succeeded', JSON.stringify(task.error));
    const wanted = movies.filter(({ year }) => year > 2000);
    t.same(task.details, {
      url: `${target.url}/`,
      apiKey: 'a mXXXXX...',
      payloadSize: '500 B',
      indexes: {
        movies: { filter: 'year > 2000', overrideSettings: false, matchedDocuments: wanted.length },
        books: { filter: null, overrideSettings: false, matchedDocuments: 1 },
      },
    });
    await settled(target);
    t.same(await documentsOf(target, 'movies'), wanted);
    t.same(await documentsOf(target, 'books'), [{ isbn_id: 'a' }]);
    t.equal((await target.call('GET', '/indexes/skipped')).status, 404);
    const { body: settings } = await target.call('GET', '/indexes/movies/settings');
    t.same(settings, (await source.call('GET', '/indexes/movies/settings')).body);
    const { body: additions } = await target.call('GET', '/tasks?types=documentAdditionOrUpdate&indexUids=movies&limit=1000');
    t.ok(additions.total > 3, `${additions.total} payloads`);
  });

  await t.test('settings of an index that exists are replaced when asked for', async (t) => {
    await target.task('PATCH', '/indexes/movies/settings', { stopWords: ['a'], synonyms: { x: ['y'] } });
    const stopWords = async () => (await target.call('GET', '/indexes/movies/settings/stop-words')).body;
    await source.task('POST', '/export', { url: target.url, apiKey: KEY });
    await settled(target);
    t.same(await stopWords(), ['a']);
    t.same(await documentsOf(target, 'movies'), await documentsOf(source, 'movies').then(sorted));
    await source.task('POST', '/export', { url: target.url, apiKey: KEY, indexes: { '*': { overrideSettings: true } } });
    await settled(target);
    t.same(await stopWords(), ['the']);
  });

  await t.test('errors of the other instance and of the filter fail the task', async (t) => {
    const wrongKey = await source.task('POST', '/export', { url: target.url, apiKey: 'wrong' });
    t.match(wrongKey, { status: 'failed', error: { code: 'remote_invalid_api_key' }, details: { indexes: { '*': {} } } });
    const indexes = { movies: { filter: 'title = x' } };
    const wrongFilter = await source.task('POST', '/export', { url: target.url, apiKey: KEY, indexes });
    t.match(wrongFilter, { status: 'failed', error: { code: 'invalid_document_filter' } });
    for (const filter of ['title = x', 'title =', 5]) {
      const empty = await source.task('POST', '/export', { url: target.url, apiKey: KEY, indexes: { skipped: { filter } } });
      t.match(empty, { status: 'failed', error: { code: 'invalid_document_filter' } }, `also without documents: ${filter}`);
    }
    const nothing = await source.task('POST', '/export', { url: 'http://127.0.0.1:9', indexes: { 'none*': {} } });
    t.match(nothing, { status: 'succeeded', details: { url: 'http://127.0.0.1:9', indexes: {} } });
    const linkLocal = await source.task('POST', '/export', { url: 'http://169.254.169.254/' });
    t.match(linkLocal, { status: 'failed', error: { code: 'remote_could_not_send_request' } });
    t.same(source.errors, [], 'the log reports no errors of the service');
  });
});

/** Merged documents keep the places of their first versions. */
function sorted(documents: { id: number; year: number }[]) {
  return [...documents].sort((a, b) => Number(b.year > 2000) - Number(a.year > 2000) || a.id - b.id);
}

t.test('temporary failures are retried, and the export can be canceled', async (t) => {
  const source = await startServer();
  t.teardown(() => source.close());
  await source.task('POST', '/indexes/a/documents', [{ id: 1 }]);
  let refusals = 3;
  const seen: string[] = [];
  const peer = http.createServer((request, response) => {
    request.resume();
    seen.push(`${request.method} ${request.url} ${request.headers['content-encoding'] ?? ''}`.trim());
    if (request.url?.startsWith('/hang')) return;
    response.statusCode = refusals-- > 0 ? 503 : 200;
    response.end('{}');
  });
  await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve));
  t.teardown(() => peer.closeAllConnections());
  t.teardown(() => peer.close());
  const url = `http://127.0.0.1:${(peer.address() as AddressInfo).port}`;
  const task = await source.task('POST', '/export', { url: `${url}/with/path` });
  t.match(task, { status: 'succeeded', details: { indexes: { a: { matchedDocuments: 1 } } } });
  t.same(seen, [...Array(4).fill('GET /with/path/indexes/a'), 'POST /with/path/indexes/a/documents gzip']);

  const { body: hanging } = await source.call('POST', '/export', { url: `${url}/hang` });
  await until('the export calls', () => seen.at(-1)!.includes('/hang'));
  await source.task('POST', `/tasks/cancel?uids=${hanging.taskUid}`);
  t.match(await source.finished(hanging.taskUid), { status: 'canceled', details: { indexes: { '*': {} } } });
  t.equal((await source.task('POST', '/indexes/a/documents', [{ id: 2 }])).status, 'succeeded');
});
