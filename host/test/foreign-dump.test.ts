import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { startServer } from './server.js';
import { testFolder } from './support/database.js';

/**
 * A dump as another server of this interface writes it: every file that one can hold, members that we do not write, and files and
 * members that nobody knows.
 */
const MASTER_KEY = 'a master key of enough bytes';
const FROZEN = ['--master-key', MASTER_KEY, '--experimental-max-number-of-batched-tasks', '0'];
const INSTANCE = 'c0ffee00-1234-4abc-8def-0123456789ab';
const SEARCH_KEY = '4bc0887a-0e41-4f3b-935d-0c451dcee9c8';
const SCOPED_KEY = '11111111-2222-4333-8444-555555555555';
const WEBHOOK = '0193a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b';

const T = (second: number) => `2026-03-01T08:00:${String(second).padStart(2, '0')}.123456789Z`;
/** Uids 0 and 1 as a portable Roaring bitmap. */
const UIDS_0_1 = [58, 48, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 16, 0, 0, 0, 0, 0, 1, 0];

interface DumpedTask {
  uid: number;
  [member: string]: unknown;
}

const finished = (uid: number, type: unknown, details: unknown, members: object = {}): DumpedTask => ({
  uid,
  batchUid: uid,
  indexUid: null,
  status: 'succeeded',
  type,
  canceledBy: null,
  details,
  error: null,
  enqueuedAt: T(uid),
  startedAt: T(uid + 1),
  finishedAt: T(uid + 2),
  network: null,
  customMetadata: null,
  ...members,
});

const enqueued = (uid: number, type: unknown, details: unknown, members: object = {}): DumpedTask => ({
  ...finished(uid, type, details, members),
  batchUid: null,
  status: 'enqueued',
  startedAt: null,
  finishedAt: null,
  ...members,
});

const documentImport = (count: number, members: object = {}) => ({
  documentImport: {
    primary_key: null,
    method: 'ReplaceDocuments',
    documents_count: count,
    allow_index_creation: true,
    on_missing_document: 'create',
    ...members,
  },
});

const received = (received_documents: number, indexed_documents: number | null) => ({
  DocumentAdditionOrUpdate: { received_documents, indexed_documents },
});

const NOT_FOUND = {
  message: 'Index `gone` not found.',
  code: 'index_not_found',
  type: 'invalid_request',
  link: 'https://example.org/errors#index_not_found',
};

const TASKS: DumpedTask[] = [
  finished(0, documentImport(3), received(3, 3), { indexUid: 'movies', customMetadata: 'nightly' }),
  finished(
    1,
    { settings: { settings: { rankingRules: ['words'] }, is_deletion: false, allow_index_creation: true } },
    { SettingsUpdate: { settings: { rankingRules: ['words'] } } },
    { indexUid: 'movies' },
  ),
  finished(2, 'indexDeletion', { ClearAll: { deleted_documents: 0 } }, { indexUid: 'gone', status: 'failed', error: NOT_FOUND }),
  finished(
    3,
    { documentDeletion: { documents_ids: ['7', '8'] } },
    { DocumentDeletion: { provided_ids: 2, deleted_documents: 1 } },
    { indexUid: 'movies' },
  ),
  finished(
    4,
    { documentDeletionByFilter: { filter: 'year > 3000' } },
    { DocumentDeletionByFilter: { original_filter: '"year > 3000"', deleted_documents: 0 } },
    { indexUid: 'movies' },
  ),
  finished(5, 'documentClear', { ClearAll: { deleted_documents: 4 } }, { indexUid: 'books' }),
  finished(6, { indexCreation: { primary_key: 'isbn' } }, { IndexInfo: { primary_key: 'isbn' } }, { indexUid: 'books' }),
  finished(
    7,
    { indexUpdate: { primary_key: null, uid: null } },
    { IndexInfo: { primary_key: null, new_index_uid: null, old_index_uid: null } },
    { indexUid: 'books' },
  ),
  finished(
    8,
    { indexSwap: { swaps: [{ indexes: ['movies', 'books'] }] } },
    { IndexSwap: { swaps: [{ indexes: ['movies', 'books'] }] } },
  ),
  finished(
    9,
    { taskCancelation: { query: '?statuses=enqueued', tasks: UIDS_0_1 } },
    { TaskCancelation: { matched_tasks: 2, canceled_tasks: 1, original_filter: '?statuses=enqueued' } },
  ),
  finished(10, documentImport(1), received(1, 0), { indexUid: 'movies', status: 'canceled', canceledBy: 9 }),
  finished(
    11,
    { tasksDeletion: { query: '?uids=99', tasks: UIDS_0_1 } },
    { TaskDeletion: { matched_tasks: 0, deleted_tasks: 0, original_filter: '?uids=99' } },
  ),
  finished(12, 'snapshotCreation', null),
  finished(
    13,
    { export: { url: 'http://target', api_key: null, payload_size: null, indexes: {} } },
    { Export: { url: 'http://target', api_key: null, payload_size: null, indexes: {} } },
  ),
  finished(14, { upgradeDatabase: { from: [1, 49, 0] } }, { UpgradeDatabase: { from: [1, 49, 0], to: [1, 50, 0] } }),
  finished(
    15,
    { indexCompaction: { index_uid: 'movies' } },
    { IndexCompaction: { index_uid: 'movies', pre_compaction_size: '2 MiB', post_compaction_size: '1 MiB' } },
    { indexUid: 'movies' },
  ),
  finished(
    16,
    { documentEdition: { filter: null, context: null, function: 'doc.x = 1' } },
    {
      DocumentEdition: { deleted_documents: 0, edited_documents: 3, original_filter: null, context: null, function: 'doc.x = 1' },
    },
    { indexUid: 'movies' },
  ),
  finished(17, { networkTopologyChange: {} }, { NetworkTopologyChange: { moved_documents: 0, message: 'done' } }),
  finished(18, 'dsrClear', { DsrClear: { deleted_documents: 0 } }),
  // a task that ran when the dump was made, and those that waited
  enqueued(19, documentImport(2), received(2, null), { indexUid: 'movies', status: 'processing', startedAt: T(30) }),
  enqueued(20, documentImport(1, { method: 'UpdateDocuments', primary_key: 'id' }), received(1, null), { indexUid: 'movies' }),
  enqueued(
    21,
    {
      settings: { settings: { synonyms: { film: ['movie'] }, stopWords: null }, is_deletion: false, allow_index_creation: true },
    },
    { SettingsUpdate: { settings: { synonyms: { film: ['movie'] }, stopWords: null } } },
    { indexUid: 'movies' },
  ),
  enqueued(
    22,
    { documentDeletion: { documents_ids: ['1'] } },
    { DocumentDeletion: { provided_ids: 1, deleted_documents: null } },
    { indexUid: 'movies' },
  ),
  enqueued(23, { indexCreation: { primary_key: null } }, { IndexInfo: { primary_key: null } }, { indexUid: 'fresh' }),
  finished(24, { dumpCreation: { keys: [], instance_uid: null } }, { Dump: { dump_uid: null } }, { batchUid: null }),
];

const BATCHES = [
  {
    uid: 0,
    progress: null,
    details: { receivedDocuments: 3, indexedDocuments: 3 },
    stats: {
      totalNbTasks: 1,
      status: { succeeded: 1 },
      types: { documentAdditionOrUpdate: 1 },
      indexUids: { movies: 1 },
      progressTrace: { 'processing tasks > indexing': '120.41ms', 'processing tasks': '151.90ms' },
      writeChannelCongestion: { attempts: 12, blocking_attempts: 0, blocking_ratio: 0 },
      internalDatabaseSizes: { documents: '1.25 MiB (+320.00 KiB)' },
    },
    embedderStats: { totalCount: 0, errorCount: 0, lastError: null },
    startedAt: T(1),
    finishedAt: T(2),
    enqueuedAt: { earliest: T(0), oldest: T(0) },
    stopReason: 'batched all enqueued tasks',
  },
  {
    uid: 2,
    details: { deletedDocuments: 0 },
    stats: { totalNbTasks: 1, status: { failed: 1 }, types: { indexDeletion: 1 }, indexUids: { gone: 1 } },
    startedAt: T(3),
    finishedAt: T(4),
  },
];

const MOVIES = [
  { id: 7, title: 'Crème brûlée', year: 1994, genres: ['Drama'], large: 9007199254740993n },
  {
    id: 1,
    title: 'Wonder',
    year: 2001,
    genres: ['Comedy', 'Drama'],
    large: 1n,
    _vectors: { default: { embeddings: [[0.1, 0.2]], regenerate: false } },
  },
  { id: 3, title: 'The film', year: 1980, genres: [], large: 2n },
];

const MOVIE_SETTINGS = {
  displayedAttributes: ['*'],
  searchableAttributes: ['title', 'genres'],
  filterableAttributes: [
    'year',
    { attributePatterns: ['genres'], features: { facetSearch: true, filter: { equality: true, comparison: false } } },
  ],
  sortableAttributes: ['year'],
  foreignKeys: [],
  rankingRules: ['words', 'typo', 'proximity', 'attributeRank', 'sort', 'wordPosition', 'exactness', 'year:desc'],
  stopWords: ['the'],
  nonSeparatorTokens: [],
  separatorTokens: ['&sep;'],
  dictionary: [],
  synonyms: { movie: ['film'] },
  distinctAttribute: null,
  proximityPrecision: 'byWord',
  typoTolerance: {
    enabled: true,
    minWordSizeForTypos: { oneTypo: 4, twoTypos: 9 },
    disableOnWords: ['eclair'],
    disableOnAttributes: [],
    disableOnNumbers: false,
  },
  faceting: { maxValuesPerFacet: 50, sortFacetValuesBy: { '*': 'alpha', genres: 'count' } },
  pagination: { maxTotalHits: 500 },
  embedders: { default: { source: 'userProvided', dimensions: 2 } },
  searchCutoffMs: 900,
  localizedAttributes: [{ attributePatterns: ['title'], locales: ['eng', 'fra'] }],
  facetSearch: true,
  prefixSearch: 'indexingTime',
  chat: { description: 'Movies', documentTemplate: '{{ doc.title }}', documentTemplateMaxBytes: 400, searchParameters: {} },
  vectorStore: 'stable',
  aSettingOfTomorrow: { x: 1 },
};

/** JSON of a value whose big integers are written as such. */
const text = (value: unknown) =>
  JSON.stringify(value, (_name, member) => (typeof member === 'bigint' ? `<<${member}>>` : member)).replaceAll(
    /"<<(\d+)>>"/g,
    '$1',
  );
const lines = (values: unknown[]) => values.map((value) => `${text(value)}\n`).join('');

const FILES: Record<string, string> = {
  'metadata.json': text({ dumpVersion: 'V6', dbVersion: '1.50.0', dumpDate: T(40) }),
  'instance_uid.uuid': INSTANCE,
  'keys.jsonl': lines([
    {
      uid: SEARCH_KEY,
      name: 'Default Search API Key',
      description: 'for front ends',
      actions: ['search'],
      indexes: ['*'],
      expires_at: null,
      created_at: T(0),
      updated_at: T(0),
    },
    {
      uid: SCOPED_KEY,
      actions: ['documents.*', 'indexes.get', '*.get'],
      indexes: ['movies', 'news_*'],
      expires_at: '2099-01-01T00:00:00Z',
      created_at: T(1),
      updated_at: T(2),
    },
  ]),
  'tasks/queue.jsonl': lines(TASKS),
  'tasks/update_files/19.jsonl': lines([
    { id: 40, title: 'Late one', year: 2020 },
    { id: 41, title: 'Late two', year: 2021 },
  ]),
  'tasks/update_files/20.jsonl': lines([{ id: 3, title: 'The movie' }]),
  'batches/queue.jsonl': lines(BATCHES),
  'indexes/movies/metadata.json': text({ uid: 'movies', primaryKey: 'id', createdAt: T(0), updatedAt: T(5) }),
  'indexes/movies/settings.json': text(MOVIE_SETTINGS),
  'indexes/movies/documents.jsonl': lines(MOVIES),
  'indexes/books/metadata.json': text({ uid: 'books', primaryKey: null, createdAt: T(6), updatedAt: T(6) }),
  'indexes/books/settings.json': text({ displayedAttributes: ['*'], rankingRules: ['words', 'typo'] }),
  'indexes/books/documents.jsonl': '',
  'experimental-features.json': text({
    metrics: true,
    containsFilter: true,
    logsRoute: false,
    vectorStore: true,
    aFeatureOfTomorrow: true,
  }),
  'network.json': text({
    self: 'ms-0',
    remotes: { 'ms-1': { url: 'http://other', searchApiKey: 'x' } },
    shards: {},
    leader: null,
  }),
  'webhooks.json': text({
    webhooks: { [WEBHOOK]: { url: 'http://127.0.0.1:9/hook', headers: { Authorization: 'Bearer a-secret-token' } } },
  }),
  'chat-completions-settings/default.json': text({ source: 'openAi', apiKey: 'sk-secret', prompts: {} }),
  'dynamic-search-rules/rules.jsonl': '{"uid":"r"}\n',
  'a-file-of-tomorrow.bin': '\0\u0001',
};

/** A gzipped tar made by tar itself of the files below a folder, with its folders and all names beginning with `./`. */
function writeDump(folder: string, files: Record<string, string>): string {
  const root = path.join(folder, 'content');
  fs.rmSync(root, { recursive: true, force: true });
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), content);
  }
  const file = path.join(folder, 'foreign.dump');
  execFileSync('tar', ['-C', root, '-czf', file, '.']);
  return file;
}

const keyOf = (uid: string) => createHmac('sha256', MASTER_KEY).update(uid).digest('hex');

t.test('a dump with all that the documented form has', async (t) => {
  const file = writeDump(testFolder(t), FILES);
  const server = await startServer('--import-dump', file, ...FROZEN);
  t.teardown(() => server.close());
  const get = async (route: string) => (await server.call('GET', route)).body;

  t.equal(fs.readFileSync(path.join(server.folder, 'instance-uid'), 'utf8'), INSTANCE);
  t.match((await get('/indexes')).results, [
    { uid: 'books', primaryKey: null, createdAt: '2026-03-01T08:00:06.123456789Z' },
    { uid: 'movies', primaryKey: 'id', createdAt: '2026-03-01T08:00:00.123456789Z', updatedAt: '2026-03-01T08:00:05.123456789Z' },
  ]);
  const {
    embedders: _embedders,
    chat: _chat,
    vectorStore: _store,
    aSettingOfTomorrow: _tomorrow,
    foreignKeys: _keys,
    ...settings
  } = MOVIE_SETTINGS;
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

t.test('a dump with nothing but what it must have', async (t) => {
  const file = writeDump(testFolder(t), { 'metadata.json': FILES['metadata.json']! });
  const server = await startServer('--import-dump', file, '--master-key', MASTER_KEY);
  t.teardown(() => server.close());
  t.equal((await server.call('GET', '/indexes')).body.total, 0);
  t.equal((await server.call('GET', '/tasks')).body.total, 0);
  t.equal((await server.call('GET', '/keys')).body.total, 4, 'a dump without keys leaves the default ones');
});
