import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { startServer, type TestServer } from '../server.js';
import { onlyFile, testFolder } from '../support/folders.js';

const MASTER_KEY = 'a master key of enough bytes';
const FROZEN = ['--experimental-max-number-of-batched-tasks', '0'];

const WORDS = ['red', 'green', 'blue', 'apple', 'pear', 'plum', 'tree', 'garden'];
const DOCUMENTS = Array.from({ length: 500 }, (_, i) => ({
  id: (i * 7919) % 500,
  title: `${WORDS[i % 8]} ${WORDS[(i >> 3) % 8]} ${WORDS[(i >> 6) % 8]}`,
  size: i % 13,
  place: { city: WORDS[(i + 2) % 8] },
}));
const SETTINGS = {
  filterableAttributes: ['size', 'place.city'],
  sortableAttributes: ['size'],
  synonyms: { crimson: ['red'] },
  stopWords: ['the'],
  typoTolerance: { disableOnWords: ['plum'] },
  localizedAttributes: [{ attributePatterns: ['title'], locales: ['eng'] }],
};
const SEARCHES = [
  { q: 'red apple' },
  { q: 'crimson', limit: 50 },
  { q: 'geren tree', showRankingScore: true },
  { q: 'pe', filter: 'size > 4 AND place.city = blue', sort: ['size:desc'], facets: ['place.city'] },
  { q: '', limit: 500 },
];

/** Everything that a dump must contain, as routes show it. */
async function contentOf(server: TestServer) {
  const get = async (route: string) => (await server.call('GET', route)).body;
  const searches = [];
  for (const search of SEARCHES) {
    const { body } = await server.call('POST', '/indexes/fruit/search', search);
    const { processingTimeMs: _time, requestUid: _uid, ...answer } = body;
    if (body.hits.length === 0) throw new Error(`nothing is found for ${JSON.stringify(search)}`);
    searches.push(answer);
  }
  return {
    indexes: await get('/indexes'),
    settings: await get('/indexes/fruit/settings'),
    documents: await get('/indexes/fruit/documents?limit=1000'),
    stats: await get('/indexes/fruit/stats'),
    searches,
    keys: await get('/keys'),
    webhooks: await get('/webhooks'),
    features: await get('/experimental-features'),
  };
}

async function fill(server: TestServer): Promise<void> {
  const { task } = server;
  await task('PATCH', '/indexes/fruit/settings', SETTINGS);
  await task('POST', '/indexes/fruit/documents?primaryKey=id&customMetadata=first', DOCUMENTS.slice(0, 300));
  await task('POST', '/indexes/fruit/documents', DOCUMENTS.slice(250));
  await task('POST', '/indexes/fruit/documents/delete-batch', [3, 5, 8]);
  await task('POST', '/indexes/fruit/documents/delete', { filter: 'size = 12' });
  await task('POST', '/indexes', { uid: 'empty', primaryKey: 'sku' });
  await task('POST', '/indexes/other/documents', [{ id: 'x', large: 1e21, exact: 9007199254740993n.toString() }]);
  await task('PATCH', '/indexes/other', { uid: 'renamed' });
  await task('POST', '/swap-indexes', [{ indexes: ['renamed', 'empty'] }]);
  await task('DELETE', '/indexes/missing');
  await task('DELETE', '/tasks?uids=0');
  await task('POST', '/tasks/cancel?statuses=enqueued');
  await server.call('PATCH', '/experimental-features', { containsFilter: true, editDocumentsByFunction: true });
  await server.call('POST', '/keys', { name: 'mine', actions: ['search'], indexes: ['f*'], expiresAt: null });
  await server.call('POST', '/webhooks', { url: 'http://127.0.0.1:9/', headers: { 'X-Secret': 'a secret in clear' } });
}

t.test('a dump makes an instance with the same content', async (t) => {
  const dumps = testFolder(t);
  const uid = 'c0ffee00-1234-4abc-8def-0123456789ab';
  const source = await startServer('--master-key', MASTER_KEY, '--dump-dir', dumps);
  t.teardown(() => source.close());
  await fill(source);
  fs.writeFileSync(path.join(source.folder, 'instance-uid'), uid);
  // A webhook would receive every task: one is enough.
  await source.restart('--master-key', MASTER_KEY, '--dump-dir', dumps, ...FROZEN);
  const waiting = [
    await source.call('POST', '/indexes/late/documents?primaryKey=id&customMetadata=later', '[{"id":1,\n"a":"b\\nc"},{"id":2}]', {
      'content-type': 'application/json',
    }),
    await source.call('PATCH', '/indexes/late/settings', { sortableAttributes: ['a'], stopWords: null }),
    await source.call('POST', '/indexes/fruit/documents/delete', { filter: ['size = 1'] }),
    await source.call('POST', '/indexes/fruit/documents/edit', { function: 'doc.size = 99', filter: 'size = 2' }),
  ];
  t.same(
    waiting.map(({ status }) => status),
    [202, 202, 202, 202],
  );
  const before = await contentOf(source);
  const dumped = await source.task('POST', '/dumps', { ignored: true });
  t.equal(dumped.status, 'succeeded');
  t.match(dumped.details.dumpUid, /^\d{8}-\d{9}$/);
  const file = onlyFile(dumps, '.dump');
  t.equal(path.basename(file), `${dumped.details.dumpUid}.dump`);
  t.same(fs.readdirSync(path.join(source.folder, 'staging')), [], 'nothing is left behind');

  const tasks = async ({ call }: TestServer) => (await call('GET', '/tasks?limit=100&reverse=true')).body.results;
  const batches = async ({ call }: TestServer) => (await call('GET', '/batches?limit=100&reverse=true')).body.results;
  const target = await startServer('--master-key', MASTER_KEY, '--import-dump', file, ...FROZEN);
  t.teardown(() => target.close());
  t.same(await contentOf(target), before);
  // its own task had not ended when the dump was written
  const isDump = ({ type }: { type: string }) => type === 'dumpCreation';
  const without = async (server: TestServer) => (await tasks(server)).filter((task: { type: string }) => !isDump(task));
  t.same(await without(target), await without(source));
  const [dumpTask] = (await tasks(target)).filter(isDump);
  t.match(dumpTask, { status: 'succeeded', details: { dumpUid: null }, batchUid: null, error: null });
  t.same(await batches(target), (await batches(source)).slice(0, -1));
  t.equal(fs.readFileSync(path.join(target.folder, 'instance-uid'), 'utf8'), uid);

  await target.restart('--master-key', MASTER_KEY);
  for (const { body } of waiting) {
    const task = await target.finished(body.taskUid);
    t.equal(task.status, 'succeeded', `task ${body.taskUid} runs after the import`);
  }
  const { body: late } = await target.call('GET', '/indexes/late/documents');
  t.same(late.results, [{ id: 1, a: 'b\nc' }, { id: 2 }]);
});

t.test('files of a dump are in the documented form', async (t) => {
  const dumps = testFolder(t);
  const server = await startServer('--dump-dir', dumps);
  t.teardown(() => server.close());
  await server.task('POST', '/indexes/a/documents', [{ id: 1 }]);
  await server.task('PATCH', '/indexes/a/settings', { stopWords: ['x'] });
  await server.task('POST', '/dumps');
  execFileSync('tar', ['xzf', onlyFile(dumps, '.dump'), '-C', dumps]);
  const json = (name: string) => JSON.parse(fs.readFileSync(path.join(dumps, name), 'utf8'));
  const lines = (name: string) =>
    fs
      .readFileSync(path.join(dumps, name), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  t.match(json('metadata.json'), { dumpVersion: 'V6', dbVersion: '1.50.0', dumpDate: /Z$/ });
  t.match(json('indexes/a/metadata.json'), { uid: 'a', primaryKey: 'id', createdAt: /Z$/, updatedAt: /Z$/ });
  t.match(json('indexes/a/settings.json'), { stopWords: ['x'], displayedAttributes: ['*'] });
  t.same(lines('indexes/a/documents.jsonl'), [{ id: 1 }]);
  t.match(lines('keys.jsonl')[0], { uid: String, actions: Array, indexes: ['*'], expires_at: null, created_at: /Z$/ });
  t.match(lines('tasks/queue.jsonl'), [
    {
      uid: 0,
      indexUid: 'a',
      status: 'succeeded',
      type: { documentImport: { primary_key: null, method: 'ReplaceDocuments', documents_count: 1, allow_index_creation: true } },
      details: { DocumentAdditionOrUpdate: { received_documents: 1, indexed_documents: 1 } },
    },
    {
      type: { settings: { settings: { stopWords: ['x'] }, is_deletion: false, allow_index_creation: true } },
      details: { SettingsUpdate: { settings: { stopWords: ['x'] } } },
    },
    { type: { dumpCreation: { keys: [], instance_uid: null } }, details: { Dump: { dump_uid: null } } },
  ]);
  t.match(lines('batches/queue.jsonl')[1], { uid: 1, stats: { totalNbTasks: 1 }, startedAt: /Z$/, finishedAt: /Z$/ });
  t.same(json('webhooks.json'), { webhooks: {} });
});

t.test('a folder that cannot be written fails the task, not the service', async (t) => {
  const folder = testFolder(t);
  fs.writeFileSync(path.join(folder, 'file'), '');
  const server = await startServer('--dump-dir', path.join(folder, 'file', 'dumps'));
  t.teardown(() => server.close());
  const task = await server.task('POST', '/dumps');
  t.match(task, { status: 'failed', details: { dumpUid: null }, error: { code: 'io_error', type: 'system' } });
  t.equal((await server.task('POST', '/indexes/a/documents', [{ id: 1 }])).status, 'succeeded');
});
