import t, { type Test } from 'tap';
import { startServer, type TestServer } from '../server.js';
import { onlyFile, testFolder } from '../support/folders.js';

const DOCUMENTS = [
  { id: 1, title: 'brass lamp', kind: 'oak' },
  { id: 2, title: 'lamp', kind: 'pine' },
  { id: 3, title: 'old lamp of brass', kind: 'oak' },
  { id: 4, title: 'stool', kind: 'pine' },
  { id: 5, title: 'bench', kind: 'elm' },
];

const pin = (id: string, position: number, indexUid?: string) => ({
  selector: { ...(indexUid === undefined ? {} : { indexUid }), id },
  action: { type: 'pin', position },
});

async function started(t: Test, ...flags: string[]): Promise<TestServer> {
  const server = await startServer(...flags);
  t.teardown(() => server.close());
  await server.call('PATCH', '/experimental-features', { dynamicSearchRules: true });
  await server.task('PATCH', '/indexes/shop/settings', { searchableAttributes: ['title'], filterableAttributes: ['kind'] });
  await server.task('POST', '/indexes/shop/documents', DOCUMENTS);
  return server;
}

const idsOf = async (server: TestServer, request: unknown): Promise<number[]> =>
  (await server.call('POST', '/indexes/shop/search', request)).body.hits.map(({ id }: { id: number }) => id);

t.test('rules survive a restart, in the order of their creation', async (t) => {
  const server = await started(t);
  for (const [uid, id] of [
    ['first', '4'],
    ['second', '3'],
  ] as const)
    t.match(await server.task('PATCH', `/dynamic-search-rules/${uid}`, { actions: [pin(id, 0)] }), { status: 'succeeded' });
  await server.task('PATCH', '/dynamic-search-rules/first', { description: 'later' });
  t.same(await idsOf(server, { limit: 3 }), [4, 3, 1], 'an update does not change the order');
  await server.restart();
  t.same(await idsOf(server, { limit: 3 }), [4, 3, 1]);
  t.match((await server.call('GET', '/dynamic-search-rules/first')).body, { description: 'later', active: true });
  const cleared = await server.task('DELETE', '/dynamic-search-rules');
  t.match(cleared, { type: 'dsrClear', status: 'succeeded', details: { deletedDocuments: 2 } });
  t.same(await idsOf(server, { limit: 3 }), [1, 2, 3]);
  t.match(await server.task('DELETE', '/dynamic-search-rules/nobody'), { status: 'succeeded', details: { updatedRules: 1 } });
});

t.test('dumps contain rules', async (t) => {
  const dumps = testFolder(t);
  const server = await started(t, '--dump-dir', dumps);
  await server.task('PATCH', '/dynamic-search-rules/r', { precedence: 3, actions: [pin('5', 0, 'shop')] });
  const { body: rule } = await server.call('GET', '/dynamic-search-rules/r');
  await server.task('POST', '/dumps');
  const other = await startServer('--import-dump', onlyFile(dumps, '.dump'));
  t.teardown(() => other.close());
  t.same((await other.call('GET', '/dynamic-search-rules/r')).body, rule);
  t.same(await idsOf(other, { limit: 2 }), [5, 1]);
});

t.test('pinned documents are shown at their positions', async (t) => {
  const server = await started(t);
  await server.task('PATCH', '/dynamic-search-rules/r', { actions: [pin('5', 1), pin('missing', 0), pin('4', 0, 'elsewhere')] });
  const { body } = await server.call('POST', '/indexes/shop/search', {
    q: 'lamp',
    facets: ['kind'],
    showRankingScore: true,
    showRankingScoreDetails: true,
  });
  t.same(
    body.hits.map(({ id }: { id: number }) => id),
    [2, 5, 1, 3],
  );
  t.match(body.hits[1], { _rankingScore: 1, _rankingScoreDetails: { pin: { order: 0, position: 1 } } });
  t.equal(body.estimatedTotalHits, 4);
  t.same(body.facetDistribution.kind, { elm: 1, oak: 2, pine: 1 });
  t.same(await idsOf(server, { q: 'nothing' }), [5], 'also where nothing is found');
  t.same(await idsOf(server, { q: 'lamp', rankingScoreThreshold: 0.99 }), [2, 5], 'no threshold removes them');
  t.same(await idsOf(server, { q: 'lamp', filter: 'kind = oak' }), [1, 3], 'but the filter does');
  t.same(await idsOf(server, { q: 'lamp', offset: 1, limit: 2 }), [5, 1]);
  t.same(await idsOf(server, { q: 'lamp', limit: 0 }), []);
  const federated = await server.call('POST', '/multi-search', {
    federation: {},
    queries: [
      { indexUid: 'shop', q: 'lamp' },
      { indexUid: 'shop', q: 'stool' },
    ],
  });
  t.same(
    federated.body.hits.map(({ id }: { id: number }) => id),
    [2, 5, 4, 1, 3],
    'once for all queries',
  );
  t.equal(federated.body.estimatedTotalHits, 5);
  await server.call('PATCH', '/experimental-features', { network: true });
  const turned = await server.call('POST', '/multi-search', {
    federation: {},
    queries: [
      { indexUid: 'shop', q: 'lamp', federationOptions: { queryPosition: 4 } },
      { indexUid: 'shop', q: 'stool', federationOptions: { queryPosition: 2 } },
    ],
  });
  const pinned = turned.body.hits.find(({ id }: { id: number }) => id === 5);
  t.equal(pinned?._federation.queriesPosition, 2, 'for the query of the lowest position');
  await server.call('PATCH', '/experimental-features', { dynamicSearchRules: false });
  t.same(await idsOf(server, { q: 'lamp' }), [2, 1, 3], 'nothing where the feature is off');
  t.match(await server.call('GET', '/dynamic-search-rules/r'), { status: 400, body: { code: 'feature_not_enabled' } });
});

t.test('a pinned document replaces all others with its distinct value', async (t) => {
  const server = await started(t);
  const vectors = DOCUMENTS.map(({ id }) => ({ id, _vectors: { own: [1, id] } }));
  await server.task('DELETE', '/indexes/shop/documents');
  await server.task('PATCH', '/indexes/shop/settings', { embedders: { own: { source: 'userProvided', dimensions: 2 } } });
  await server.task(
    'POST',
    '/indexes/shop/documents',
    DOCUMENTS.map((document, place) => ({ ...document, ...vectors[place] })),
  );
  await server.task('PATCH', '/dynamic-search-rules/r', { actions: [pin('3', 1)] });
  const search = async (more: object) =>
    (await server.call('POST', '/indexes/shop/search', { distinct: 'kind', facets: ['kind'], ...more })).body;
  const ids = ({ hits }: { hits: { id: number }[] }) => hits.map(({ id }) => id);
  const all = await search({});
  t.same(ids(all), [2, 3, 5], 'oak is the pinned one');
  t.equal(all.facetDistribution.kind.oak, 1);
  t.same(ids(await search({ q: 'lamp' })), [2, 3]);
  const paged = await search({ hitsPerPage: 1, page: 2 });
  t.match([ids(paged), paged.totalHits], [[3], 3]);
  const semantic = { vector: [1, 1], hybrid: { embedder: 'own', semanticRatio: 1 } };
  t.same(ids(await search(semantic)), [2, 3, 5]);
  t.same(ids(await search({ q: 'lamp', ...semantic, hybrid: { embedder: 'own', semanticRatio: 0.5 } })), [2, 3, 5]);
  await server.task('PATCH', '/dynamic-search-rules/r', { actions: [pin('3', 1), pin('1', 0)] });
  t.same(ids(await search({})), [1, 3, 2, 5], 'pins do not take each other out');
  await server.task('PATCH', '/dynamic-search-rules/r', { actions: [pin('3', 1)] });
  await server.task('PATCH', '/indexes/annex/settings', { filterableAttributes: ['kind'] });
  await server.task('POST', '/indexes/annex/documents', [
    { id: 7, kind: 'OAK' },
    { id: 8, kind: 'ash' },
  ]);
  const queries = [{ indexUid: 'annex' }, { indexUid: 'shop' }];
  const merged = (await server.call('POST', '/multi-search', { federation: { distinct: 'kind' }, queries })).body;
  t.same(ids(merged), [8, 3, 2, 5], 'over all indexes');
  t.equal(merged.estimatedTotalHits, 4);
  const facets = { disjunctiveFacets: ['kind'], facets: [], filter: 'kind = pine' };
  t.same(
    (await search(facets)).facetDistribution.kind,
    { elm: 1, oak: 1, pine: 2 },
    'as of a search without the filter and without hits',
  );
});

t.test('excluded words of a query do not fulfil conditions on words', async (t) => {
  const server = await started(t);
  const rule = (query: unknown) => ({ conditions: { query }, actions: [pin('5', 0)] });
  t.match(await server.task('PATCH', '/dynamic-search-rules/r', rule({ words: 'brass lamp' })), { status: 'succeeded' });
  for (const [q, applies] of [
    ['brass lamp', true],
    ['"old lamp" of brass', true],
    ['lamp "old brass', true],
    ['brass -lamp', false],
    ['brass -"old lamp"', false],
    ['brass -"old lamp', false],
    ['-brass lamp brass', true],
    ['brass-lamp', true],
    ['brass - lamp', true],
  ] as const)
    t.equal((await idsOf(server, { q }))[0] === 5, applies, q);
  t.match(await server.task('PATCH', '/dynamic-search-rules/r', rule({ isEmpty: true })), { status: 'succeeded' });
  t.same((await idsOf(server, { q: '-lamp' }))[0], 5, 'it asks for no word');
  t.same((await idsOf(server, { q: 'stool -lamp' }))[0], 4);
});

t.test('conditions on filters, also on a field with an inherited name', async (t) => {
  const server = await started(t);
  const rule = (values: string) => `{"conditions":{"filter":{"values":${values}}},"actions":[${JSON.stringify(pin('3', 0))}]}`;
  for (const [values, filter, first] of [
    ['{"kind":"oak"}', 'kind = Oak', 3],
    ['{"kind":["oak"]}', 'kind = oak OR kind = pine', 3],
    ['{"kind":["oak","pine"]}', 'kind = oak', 1],
    ['{"kind":null}', 'kind = oak', 3],
    ['{"__proto__":"oak"}', 'kind = oak', 1],
    ['{"kind":"oak"}', 'kind != pine', 3],
  ] as const) {
    t.match(await server.task('PATCH', '/dynamic-search-rules/r', rule(values)), { status: 'succeeded' });
    t.same(await idsOf(server, { filter, limit: 1 }), [first], `${values} ${filter}`);
  }
  t.same(await idsOf(server, { limit: 1 }), [1], 'no filter at all');
});

t.test('invalid requests about rules are refused', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  const url = '/dynamic-search-rules';
  const refused: [method: string, route: string, body: unknown, code: string][] = [
    ['PATCH', `${url}/a`, {}, 'feature_not_enabled'],
    ['PATCH', `${url}/a`, { active: 1 }, 'invalid_dynamic_search_rule_active'],
    ['PATCH', `${url}/b!d`, {}, 'invalid_index_uid'],
    ['PATCH', `${url}/a?x=1`, {}, 'bad_request'],
    ['PATCH', `${url}/a`, { conditions: { time: { start: '2030-01-01' } } }, 'invalid_dynamic_search_rule_conditions'],
    [
      'PATCH',
      `${url}/a`,
      { conditions: { time: { start: '2031-01-01T00:00:00Z', end: '2030-01-01T00:00:00Z' } } },
      'bad_request',
    ],
    ['PATCH', `${url}/a`, { conditions: { query: { isEmpty: true, words: 'a' } } }, 'bad_request'],
    ['PATCH', `${url}/a`, { conditions: { query: { nope: 1 } } }, 'invalid_dynamic_search_rule_conditions'],
    ['PATCH', `${url}/a`, { actions: [pin('1', 2 ** 32)] }, 'invalid_dynamic_search_rule_actions'],
    ['POST', url, { limit: -1 }, 'invalid_dynamic_search_rule_limit'],
    ['POST', url, { filter: { nope: 1 } }, 'invalid_dynamic_search_rule_filter'],
    ['POST', url, { filter: { active: 1 } }, 'invalid_dynamic_search_rule_filter_active'],
    ['DELETE', url, undefined, 'feature_not_enabled'],
  ];
  for (const [method, route, body, code] of refused)
    t.match(
      await server.call(method, route, body),
      { status: 400, body: { code } },
      `${method} ${route} ${JSON.stringify(body)}`,
    );
  await server.call('PATCH', '/experimental-features', { dynamicSearchRules: true });
  t.match(await server.call('GET', `${url}/a`), { status: 404, body: { code: 'dynamic_search_rule_not_found' } });
});

t.test('rules are listed and filtered', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  await server.call('PATCH', '/experimental-features', { dynamicSearchRules: true });
  for (const [uid, body] of [
    ['a', { description: 'Red shoes' }],
    ['b', { conditions: { query: { words: 'red hat' } }, active: false }],
    ['c', { description: 'blue hat' }],
  ] as const)
    await server.task('PATCH', `/dynamic-search-rules/${uid}`, body);
  const list = async (filter: unknown, page: object = {}) => {
    const { body } = await server.call('POST', '/dynamic-search-rules', { filter, ...page });
    return [body.total, ...body.results.map(({ uid }: { uid: string }) => uid)];
  };
  t.same(await list(null), [3, 'c', 'b', 'a']);
  t.same(await list(null, { offset: 1, limit: 1 }), [3, 'b']);
  t.same(await list({ active: true }), [2, 'c', 'a']);
  t.same(await list({ query: 'red' }), [2, 'b', 'a']);
  t.same(await list({ query: 'red zzz' }), [2, 'b', 'a']);
  t.same(await list({ query: 'zzz red' }), [0]);
  t.same(await list({ query: 'red shoes' }), [2, 'a', 'b'], 'those with more of the words come first');
  t.same(await list({ query: '"red hat"' }), [1, 'b']);
  t.same(await list({ query: 'hat -blue' }), [1, 'b']);
  t.same(await list({ query: 'red', active: false }), [1, 'b']);
  t.same(await list({ query: '  ' }), [3, 'c', 'b', 'a']);
});
