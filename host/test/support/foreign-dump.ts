import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { BATCHES, T, TASKS } from './foreign-dump-tasks.js';

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
