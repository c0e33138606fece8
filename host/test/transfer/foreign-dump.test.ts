import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { startServer } from '../server.js';
import { testFolder } from '../support/folders.js';
import {
  FILES,
  FROZEN,
  INSTANCE,
  keyOf,
  MASTER_KEY,
  MOVIE_SETTINGS,
  SCOPED_KEY,
  SEARCH_KEY,
  WEBHOOK,
  writeDump,
} from '../support/foreign-dump.js';
import { BATCHES, NOT_FOUND, TASKS } from '../support/foreign-dump-tasks.js';

t.test('a dump with all documented parts is imported', async (t) => {
  const file = writeDump(testFolder(t), FILES);
  const server = await startServer('--import-dump', file, ...FROZEN);
  t.teardown(() => server.close());
  const get = async (route: string) => (await server.call('GET', route)).body;

  t.equal(fs.readFileSync(path.join(server.folder, 'instance-uid'), 'utf8'), INSTANCE);
  t.match((await get('/indexes')).results, [
    { uid: 'books', primaryKey: null, createdAt: '2026-03-01T08:00:06.123456789Z' },
    { uid: 'movies', primaryKey: 'id', createdAt: '2026-03-01T08:00:00.123456789Z', updatedAt: '2026-03-01T08:00:05.123456789Z' },
  ]);
  const { chat: _chat, vectorStore: _store, aSettingOfTomorrow: _tomorrow, foreignKeys: _keys, ...settings } = MOVIE_SETTINGS;
  const shown = await get('/indexes/movies/settings');
  for (const [name, value] of Object.entries(settings)) t.same(shown[name], value, name);
  t.same((await get('/indexes/books/settings')).rankingRules, ['words', 'typo']);
  t.equal((await get('/indexes/books/stats')).numberOfDocuments, 0);

  const raw = await (
    await fetch(`${server.url}/indexes/movies/documents?fields=id,large`, { headers: { authorization: `Bearer ${MASTER_KEY}` } })
  ).text();
  t.match(raw, '{"id":7,"large":9007199254740993}', 'numbers keep their digits');
  t.match((await server.call('POST', '/indexes/movies/search', { q: 'movie', sort: ['year:asc'] })).body.hits, [{ id: 3 }]);
  t.match((await server.call('POST', '/indexes/movies/search', { q: 'creme', filter: 'year < 2000' })).body.hits, [{ id: 7 }]);
  t.match(await server.call('POST', '/indexes/movies/search', { filter: 'title CONTAINS x' }), {
    status: 400,
    body: { code: 'invalid_search_filter' },
  });

  const keys = (await get('/keys')).results;
  t.equal(keys.length, 2, 'no default keys beside those of the dump');
  t.match(keys, [
    { uid: SCOPED_KEY, name: null, description: null, indexes: ['movies', 'news_*'], expiresAt: '2099-01-01T00:00:00Z' },
    { uid: SEARCH_KEY, name: 'Default Search API Key', key: keyOf(SEARCH_KEY), expiresAt: null },
  ]);
  const search = await server.call(
    'POST',
    '/indexes/movies/search',
    { q: 'wonder' },
    { authorization: `Bearer ${keyOf(SEARCH_KEY)}` },
  );
  t.match(search, { status: 200, body: { hits: [{ id: 1 }] } });

  t.match(await get('/experimental-features'), { metrics: true, containsFilter: true, logsRoute: false });
  t.match((await get('/webhooks')).results, [
    { uuid: WEBHOOK, url: 'http://127.0.0.1:9/hook', headers: { Authorization: 'Bearer a-XXXX...' } },
  ]);

  const tasks = (await get('/tasks?limit=100&reverse=true')).results;
  t.same(
    tasks.map(({ uid }: { uid: number }) => uid),
    TASKS.map(({ uid }) => uid),
  );
  const task = (uid: number) => tasks[uid];
  t.match(task(0), {
    type: 'documentAdditionOrUpdate',
    status: 'succeeded',
    indexUid: 'movies',
    batchUid: 0,
    details: { receivedDocuments: 3, indexedDocuments: 3 },
    customMetadata: 'nightly',
    enqueuedAt: '2026-03-01T08:00:00.123456Z',
    duration: 'PT1S',
  });
  t.notOk('customMetadata' in task(1));
  t.match(task(2), { type: 'indexDeletion', status: 'failed', error: NOT_FOUND });
  t.same(
    TASKS.slice(1, 19).map(({ uid }) => [task(uid).type, task(uid).details]),
    [
      ['settingsUpdate', { rankingRules: ['words'] }],
      ['indexDeletion', { deletedDocuments: 0 }],
      ['documentDeletion', { providedIds: 2, deletedDocuments: 1, originalFilter: null }],
      ['documentDeletion', { providedIds: 0, deletedDocuments: 0, originalFilter: '"year > 3000"' }],
      ['documentDeletion', { deletedDocuments: 4 }],
      ['indexCreation', { primaryKey: 'isbn' }],
      ['indexUpdate', { primaryKey: null }],
      ['indexSwap', { swaps: [{ indexes: ['movies', 'books'], rename: false }] }],
      ['taskCancelation', { matchedTasks: 2, canceledTasks: 1, originalFilter: '?statuses=enqueued' }],
      ['documentAdditionOrUpdate', { receivedDocuments: 1, indexedDocuments: 0 }],
      ['taskDeletion', { matchedTasks: 0, deletedTasks: 0, originalFilter: '?uids=99' }],
      ['snapshotCreation', undefined],
      ['export', { url: 'http://target', indexes: {} }],
      ['upgradeDatabase', { upgradeFrom: 'v1.49.0', upgradeTo: 'v1.50.0' }],
      ['indexCompaction', { preCompactionSize: '2 MiB', postCompactionSize: '1 MiB' }],
      [
        'documentEdition',
        { deletedDocuments: 0, editedDocuments: 3, originalFilter: null, context: null, function: 'doc.x = 1' },
      ],
      ['networkTopologyChange', { movedDocuments: 0, message: 'done' }],
      ['dsrClear', { deletedDocuments: 0 }],
    ],
  );
  t.match(task(10), { status: 'canceled', canceledBy: 9 });
  t.same(
    tasks.slice(19, 24).map(({ status, startedAt }: { status: string; startedAt: null }) => [status, startedAt]),
    Array.from({ length: 5 }, () => ['enqueued', null]),
    'what had not ended waits',
  );
  t.equal((await get('/tasks?canceledBy=9')).total, 1);
  t.equal((await get('/tasks?indexUids=movies&types=indexCompaction')).total, 1);

  const batches = (await get('/batches?reverse=true')).results;
  t.match(batches, [
    {
      uid: 0,
      progress: null,
      details: { receivedDocuments: 3, indexedDocuments: 3 },
      stats: BATCHES[0]!.stats,
      duration: 'PT1S',
      batchStrategy: 'batched all enqueued tasks',
    },
    {
      uid: 2,
      stats: { status: { enqueued: 0, processing: 0, succeeded: 0, failed: 1, canceled: 0 } },
      batchStrategy: 'unspecified',
    },
  ]);

  await server.restart('--master-key', MASTER_KEY);
  for (const uid of [19, 20, 21, 22, 23]) t.match(await server.finished(uid), { status: 'succeeded' }, `task ${uid} goes on`);
  const { results } = (await server.call('POST', '/indexes/movies/documents/fetch', { fields: ['id', 'title'] })).body;
  t.same(results, [
    { id: 7, title: 'Crème brûlée' },
    { id: 3, title: 'The movie' },
    { id: 40, title: 'Late one' },
    { id: 41, title: 'Late two' },
  ]);
  t.match(await get('/indexes/movies/settings'), { synonyms: { film: ['movie'] }, stopWords: [] });
  t.match(await get('/indexes/fresh'), { uid: 'fresh', primaryKey: null });
  t.equal((await server.task('POST', '/indexes', { uid: 'next' })).uid, 25, 'uids go on after those of the dump');
});

t.test('a dump with only the required parts is imported', async (t) => {
  const file = writeDump(testFolder(t), { 'metadata.json': FILES['metadata.json']! });
  const server = await startServer('--import-dump', file, '--master-key', MASTER_KEY);
  t.teardown(() => server.close());
  t.equal((await server.call('GET', '/indexes')).body.total, 0);
  t.equal((await server.call('GET', '/tasks')).body.total, 0);
  t.equal((await server.call('GET', '/keys')).body.total, 4, 'a dump without keys leaves the default ones');
});

t.test('a dump with faulty content is refused, and the message names the file', async (t) => {
  const cases: Array<[name: string, content: string | null, message: RegExp]> = [
    ['keys.jsonl', 'null\n', /`keys\.jsonl` in it has null where an object must be/],
    ['batches/queue.jsonl', '[1]\n', /`batches\/queue\.jsonl` in it has \[1\] where an object must be/],
    ['tasks/queue.jsonl', '5\n', /`tasks\/queue\.jsonl` in it has 5 where an object must be/],
    ['tasks/update_files/19.jsonl', null, /`tasks\/update_files\/19\.jsonl` is missing/],
    ['webhooks.json', '[]', /`webhooks\.json` in it has \[\] where an object must be/],
    ['indexes/movies/metadata.json', null, /`indexes\/movies\/metadata\.json` is missing/],
    ['indexes/movies/metadata.json', 'null', /`indexes\/movies\/metadata\.json` in it is empty/],
    ['indexes/movies/settings.json', null, /`indexes\/movies\/settings\.json` is missing/],
    ['indexes/movies/settings.json', '[]', /the index `movies`/],
    ['indexes/movies/documents.jsonl', null, /`indexes\/movies\/documents\.jsonl` is missing/],
    ['indexes/movies/documents.jsonl', '{"id":1}\n{"id"', /the index `movies`: .*malformed/],
  ];
  for (const [name, content, message] of cases) {
    const { [name]: _, ...others } = FILES;
    const folder = testFolder(t);
    const file = writeDump(folder, content === null ? others : { ...others, [name]: content });
    await t.rejects(startServer('--import-dump', file, '--master-key', MASTER_KEY), { message }, `${name}: ${content}`);
  }
  await t.rejects(startServer('--import-dump', testFolder(t)), { message: /is not a file/ }, 'a folder');
});
