import type { Meilisearch } from 'meilisearch';
import { generateTenantToken } from 'meilisearch/token';
import t from 'tap';
import { startServer, type TestServer } from '../server.js';
import { officialClient } from '../support/official-client.js';

const MASTER = 'a master key of enough bytes';
const PAINTS = [
  { id: 1, name: 'cobalt', kind: 'blue', price: 10 },
  { id: 2, name: 'ochre', kind: 'earth', price: 5 },
  { id: 3, name: 'cobalt sky', kind: 'blue', price: 20 },
];
const FABRICS = [
  { id: 7, label: 'linen', kind: 'plain', price: 12 },
  { id: 8, label: 'cobalt silk', kind: 'blue', price: 30 },
];

let server: TestServer;
let client: Meilisearch;

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
type Json = any;

t.before(async () => {
  server = await startServer('--master-key', MASTER);
  client = officialClient(server.url, MASTER);
  const attributes = { filterableAttributes: ['kind', 'price'], sortableAttributes: ['price'] };
  await server.task('PATCH', '/indexes/paints/settings', attributes);
  await server.task('PATCH', '/indexes/fabrics/settings', attributes);
  await server.task('POST', '/indexes/paints/documents', PAINTS);
  await server.task('POST', '/indexes/fabrics/documents', FABRICS);
});
t.teardown(() => server.close());

const ask = (body: object, headers?: Record<string, string>) => server.call('POST', '/multi-search', body, headers);
const ids = ({ hits }: { hits: Json[] }) => hits.map(({ id }) => id);

t.test('the official client asks several searches at once', async (t) => {
  const { results } = await client.multiSearch({
    queries: [
      { indexUid: 'paints', q: 'cobalt', facets: ['kind'] },
      { indexUid: 'fabrics', q: 'cobalt', attributesToHighlight: ['label'] },
      { indexUid: 'paints', hitsPerPage: 2, page: 2 },
    ],
  });
  t.same(
    results.map(({ indexUid }) => indexUid),
    ['paints', 'fabrics', 'paints'],
  );
  t.same(results.map(ids), [[1, 3], [8], [3]]);
  t.same(results[0]?.facetDistribution, { kind: { blue: 2 } });
  t.match(results[1]?.hits[0], { _formatted: { label: '<em>cobalt</em> silk' } });
  t.match(results[2], { hitsPerPage: 2, page: 2, totalPages: 2, totalHits: 3 });
});

t.test('the official client merges searches of two indexes', async (t) => {
  const merged = await client.multiSearch({
    federation: { facetsByIndex: { paints: ['kind'], fabrics: ['kind'] }, mergeFacets: {} },
    queries: [
      { indexUid: 'paints', q: 'cobalt' },
      { indexUid: 'fabrics', q: 'cobalt', federationOptions: { weight: 2 } },
    ],
  });
  t.same(ids(merged), [8, 1, 3], 'by weighted scores');
  t.match(merged.hits[0]?._federation, { indexUid: 'fabrics', queriesPosition: 1, weightedRankingScore: Number });
  t.same(merged.facetDistribution, { kind: { blue: 3 } });
  const sorted = await client.multiSearch({
    federation: { offset: 1, limit: 3, facetsByIndex: { paints: ['price'] } },
    queries: [
      { indexUid: 'paints', sort: ['price:asc'] },
      { indexUid: 'fabrics', sort: ['price:asc'] },
    ],
  });
  t.same(ids(sorted), [1, 7, 3], 'by their values');
  t.match(sorted, { offset: 1, limit: 3, estimatedTotalHits: 5 });
  t.same(sorted.facetsByIndex, {
    paints: { distribution: { price: { 5: 1, 10: 1, 20: 1 } }, stats: { price: { min: 5, max: 20 } } },
  });
});

t.test('distinct applies over all indexes', async (t) => {
  const queries = [{ indexUid: 'paints' }, { indexUid: 'fabrics' }];
  const facetsByIndex = { paints: ['kind'], fabrics: ['kind', 'price'] };
  const { body } = await ask({ queries, federation: { distinct: 'kind', facetsByIndex } });
  t.same(ids(body), [1, 2, 7], 'the first blue one wins');
  t.equal(body.estimatedTotalHits, 3);
  t.same(body.facetsByIndex.fabrics, {
    distribution: { kind: { plain: 1 }, price: { 12: 1 } },
    stats: { price: { min: 12, max: 30 } },
  });
});

t.test('with pages the distinct values of all hits are compared, so the total is exact', async (t) => {
  const tagged = (tags: string) => [...tags].map((tag, id) => ({ id, tag }));
  for (const [uid, tags] of [
    ['left', 'xyzx'],
    ['right', 'xwy'],
  ] as const) {
    await server.task('PATCH', `/indexes/${uid}/settings`, { filterableAttributes: ['tag'] });
    await server.task('POST', `/indexes/${uid}/documents`, tagged(tags));
  }
  const queries = [{ indexUid: 'left' }, { indexUid: 'right' }];
  for (const [page, tags, counts] of [
    [{}, 'xyzw', { estimatedTotalHits: 4 }],
    [{ limit: 2 }, 'xy', { estimatedTotalHits: 5 }],
    [{ hitsPerPage: 2 }, 'xy', { totalHits: 4, totalPages: 2 }],
    [{ hitsPerPage: 2, page: 2 }, 'zw', { totalHits: 4, totalPages: 2 }],
  ] as const) {
    const { body } = await ask({ queries, federation: { distinct: 'tag', ...page } });
    t.equal(body.hits.map(({ tag }: { tag: string }) => tag).join(''), tags);
    t.match(body, counts);
  }
});

t.test('a document found by several queries is shown once, for the best one', async (t) => {
  const queries = [
    { indexUid: 'paints', q: 'cobalt', attributesToRetrieve: ['id'] },
    { indexUid: 'paints', q: 'cobalt', filter: 'price > 15', attributesToRetrieve: ['name'], federationOptions: { weight: 3 } },
  ];
  const { body } = await ask({ queries, federation: {} });
  t.match(body.hits, [
    { name: 'cobalt sky', _federation: { queriesPosition: 1 } },
    { id: 1, _federation: { queriesPosition: 0 } },
  ]);
  t.equal(body.hits.length, 2);
  t.equal(body.estimatedTotalHits, 2);
});

t.test('answers of one request have the same uid, and metadata on request', async (t) => {
  const queries = [{ indexUid: 'paints', q: 'ochre' }, { indexUid: 'fabrics' }];
  const header = { 'service-include-metadata': 'true' };
  const { results } = (await ask({ queries }, header)).body;
  t.equal(results[0].requestUid, results[1].requestUid);
  t.match(results[0].metadata, { query: 'ochre', indexUid: 'paints', primaryKey: 'id', queryUid: /^[0-9a-f-]{36}$/ });
  t.notOk('query' in results[1].metadata);
  t.not(results[0].metadata.queryUid, results[1].metadata.queryUid);
  const merged = (await ask({ queries, federation: {} }, header)).body;
  t.same(
    merged.metadata.map(({ indexUid }: Json) => indexUid),
    ['paints', 'fabrics'],
  );
  t.notOk('metadata' in (await ask({ queries, federation: {} })).body);
});

t.test('errors name the position of the query', async (t) => {
  const good = { indexUid: 'paints' };
  const cases: [body: object, code: string, place: string][] = [
    [{ queries: [good, { indexUid: 'missing' }] }, 'index_not_found', '.queries[1]'],
    [{ queries: [good, { indexUid: 'paints', limit: -1 }] }, 'invalid_search_limit', '.queries[1].limit'],
    [{ queries: [good, { q: 'a' }] }, 'missing_index_uid', '.queries[1].indexUid'],
    [{ queries: [good, { indexUid: 'a/b' }] }, 'invalid_index_uid', '.queries[1].indexUid'],
    [{ queries: [good, { indexUid: 'paints', filter: 'name = a' }] }, 'invalid_search_filter', '.queries[1]'],
    [{ queries: [{ ...good, federationOptions: {} }] }, 'invalid_multi_search_federation_options', '.queries[0]'],
    [
      { federation: {}, queries: [good, { indexUid: 'paints', limit: 1 }] },
      'invalid_multi_search_query_pagination',
      '.queries[1]',
    ],
    [
      { federation: {}, queries: [good, { indexUid: 'paints', facets: ['a'] }] },
      'invalid_multi_search_query_facets',
      '.queries[1]',
    ],
    [{ federation: { distinct: 'name' }, queries: [good] }, 'invalid_search_distinct', '.queries[0]'],
    [{ federation: { facetsByIndex: { 'a/b': [] } }, queries: [] }, 'invalid_multi_search_facets_by_index', 'a/b'],
    [{ federation: { facetsByIndex: { missing: [] } }, queries: [good] }, 'index_not_found', 'not used'],
    [{ federation: { mergeFacets: { nope: 1 } }, queries: [good] }, 'invalid_multi_search_merge_facets', 'nope'],
    [{ federation: {}, queries: [{ ...good, federationOptions: { weight: -1 } }] }, 'invalid_multi_search_weight', 'weight'],
    [{ federation: {}, queries: [{ ...good, federationOptions: { remote: 'a' } }] }, 'feature_not_enabled', 'network'],
    [
      {
        federation: {},
        queries: [
          { ...good, sort: ['price:asc'] },
          { indexUid: 'fabrics', sort: ['price:desc'] },
        ],
      },
      'invalid_multi_search_query_ranking_rules',
      'opposite directions',
    ],
    [{ queries: 5 }, 'bad_request', '.queries'],
    [{ federation: [], queries: [] }, 'bad_request', '.federation'],
    [{}, 'bad_request', '.queries'],
  ];
  for (const [body, code, place] of cases) {
    const { status, body: error } = await ask(body);
    t.match([status, error.code], [400, code], JSON.stringify(body));
    t.ok(error.message.includes(place), `${error.message} names ${place}`);
  }
});

t.test('indexes may be named like members of every object', async (t) => {
  await server.task('POST', '/indexes/__proto__/documents', [{ id: 1, constructor: 'x' }]);
  await server.task('PUT', '/indexes/__proto__/settings/filterable-attributes', ['constructor']);
  const facetsByIndex = JSON.parse('{"__proto__": ["constructor"], "constructor": null}');
  await server.task('POST', '/indexes/constructor/documents', [{ id: 2 }]);
  const { body } = await ask({
    queries: [{ indexUid: '__proto__' }, { indexUid: 'constructor' }],
    federation: { facetsByIndex },
  });
  t.same(ids(body), [1, 2]);
  t.same(Object.getOwnPropertyDescriptor(body.facetsByIndex, '__proto__')?.value.distribution.constructor, { x: 1 });
});

t.test('permissions and filters apply per index', async (t) => {
  const key = await client.createKey({ actions: ['search'], indexes: ['paints'], expiresAt: null });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const both = [{ indexUid: 'paints' }, { indexUid: 'fabrics' }];
  for (const more of [{}, { federation: {} }]) {
    t.equal((await ask({ queries: [{ indexUid: 'paints' }], ...more }, bearer(key.key))).status, 200);
    const refused = await ask({ queries: both, ...more }, bearer(key.key));
    t.match([refused.status, refused.body.code], [403, 'invalid_api_key']);
    t.match(refused.body.message, /\.queries\[1\]/);
  }
  const all = await client.createKey({ actions: ['search'], indexes: ['*'], expiresAt: null });
  const searchRules = { paints: { filter: 'kind = blue' }, fabrics: { filter: 'price < 20' } };
  const token = await generateTenantToken({ apiKey: all.key, apiKeyUid: all.uid, searchRules });
  const plain = await ask({ queries: [{ indexUid: 'paints', filter: 'price > 10' }, { indexUid: 'fabrics' }] }, bearer(token));
  t.same(plain.body.results.map(ids), [[3], [7]]);
  t.same(ids((await ask({ queries: both, federation: {} }, bearer(token))).body), [1, 3, 7]);
  t.equal((await ask({ queries: [{ indexUid: 'constructor' }] }, bearer(token))).status, 403);
  const disjunctive = { filter: 'kind = earth', disjunctiveFacets: ['kind'] };
  const { results } = (await ask({ queries: [{ indexUid: 'paints', ...disjunctive }] }, bearer(token))).body;
  t.same(results[0].facetDistribution, { kind: { blue: 2 } }, 'what a token imposes holds for every count');
  const alone = await server.call('POST', '/indexes/paints/search', disjunctive, bearer(token));
  t.same(alone.body.facetDistribution, { kind: { blue: 2 } });
});

t.test('many queries keep their order', async (t) => {
  const queries = Array.from({ length: 200 }, (_, place) => ({ indexUid: 'paints', filter: `id = ${place % 4}`, limit: place }));
  await server.task('PUT', '/indexes/paints/settings/filterable-attributes', ['kind', 'price', 'id']);
  const { results } = (await ask({ queries })).body;
  t.same(
    results.map(({ limit }: Json) => limit),
    queries.map(({ limit }) => limit),
  );
  t.same((await ask({ queries: [] })).body, { results: [] });
});
