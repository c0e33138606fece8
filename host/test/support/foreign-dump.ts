import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/**
 * A dump as another server with the same interface writes it: every file that a dump can have, members that Peregrine does not write, and
 * unknown files and members.
 */
export const MASTER_KEY = 'a master key of enough bytes';
export const FROZEN = ['--master-key', MASTER_KEY, '--experimental-max-number-of-batched-tasks', '0'];
export const INSTANCE = 'c0ffee00-1234-4abc-8def-0123456789ab';
export const SEARCH_KEY = '4bc0887a-0e41-4f3b-935d-0c451dcee9c8';
export const SCOPED_KEY = '11111111-2222-4333-8444-555555555555';
export const WEBHOOK = '0193a1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b';

const T = (second: number) => `2026-03-01T08:00:${String(second).padStart(2, '0')}.123456789Z`;
/** The set of uids 0 and 1 as a portable Roaring bitmap. */
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

export const NOT_FOUND = {
  message: 'Index `gone` not found.',
  code: 'index_not_found',
  type: 'invalid_request',
  link: 'https://example.org/errors#index_not_found',
};

export const TASKS: DumpedTask[] = [
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
  // a task that was running when the dump was made, and waiting ones
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

export const BATCHES = [
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

export const MOVIE_SETTINGS = {
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

/** JSON of a value, with bigints written as numbers. */
const text = (value: unknown) =>
  JSON.stringify(value, (_name, member) => (typeof member === 'bigint' ? `<<${member}>>` : member)).replaceAll(
    /"<<(\d+)>>"/g,
    '$1',
  );
const lines = (values: unknown[]) => values.map((value) => `${text(value)}\n`).join('');

export const FILES: Record<string, string> = {
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
    { id: 40, title: 'Late one', year: 2020, _vectors: { default: [1, 0] } },
    { id: 41, title: 'Late two', year: 2021, _vectors: { default: null } },
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

/** A gzipped archive of a folder made by the command tar, with entries for folders, and names that begin with `./`. */
export function writeDump(folder: string, files: Record<string, string>): string {
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

export const keyOf = (uid: string) => createHmac('sha256', MASTER_KEY).update(uid).digest('hex');
