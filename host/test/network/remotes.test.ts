import t from 'tap';
import { startServer, type TestServer } from '../server.js';
import { addPaints, ask as askServer, found, type Json, query } from '../support/remotes.js';

/** Documents of each instance. */
const PAINTS: Record<string, object[]> = {
  here: [
    { id: 1, name: 'cobalt', kind: 'Blue', price: 10 },
    { id: 2, name: 'ochre', kind: 'earth', price: 5 },
  ],
  east: [
    { id: 3, name: 'cobalt sky', kind: 'blue', price: 20 },
    { id: 4, name: 'umber', kind: 'earth', price: 15 },
  ],
  west: [{ id: 5, name: 'cobalt', kind: 'grey', price: 1 }],
};
const KEY = 'a master key of enough bytes';
const servers = new Map<string, TestServer>();

t.before(async () => {
  for (const name of ['here', 'east', 'west']) {
    const server = await startServer(...(name === 'west' ? ['--master-key', KEY] : []));
    servers.set(name, server);
    await addPaints(server, PAINTS[name]!);
  }
  const url = (name: string) => servers.get(name)?.url ?? '';
  await here().call('PATCH', '/network', {
    self: 'here',
    remotes: {
      here: { url: 'http://127.0.0.1:1' },
      east: { url: url('east') },
      west: { url: url('west'), searchApiKey: KEY },
    },
  });
});
t.teardown(async () => {
  for (const server of servers.values()) await server.close();
});

const here = () => servers.get('here') as TestServer;
const ask = (queries: object[], federation: object = {}, headers = {}): Promise<Json> =>
  askServer(here(), queries, federation, headers);
const everywhere = (more: object = {}) => ['here', 'east', 'west'].map((name) => query(name, more));
const network = (remotes: object) => here().call('PATCH', '/network', { remotes });

t.test('hits of three instances are merged', async (t) => {
  const words = await ask(everywhere({ q: 'cobalt', attributesToRetrieve: ['id', 'big'] }));
  t.same(found(words), ['1 here', '5 west', '3 east'], 'by scores, then by the order of the queries');
  t.match(words, { estimatedTotalHits: 3, limit: 20, offset: 0, remoteErrors: {}, requestUid: String });
  t.same(Object.keys(words.hits[0]._federation), ['indexUid', 'queriesPosition', 'weightedRankingScore', 'remote']);
  t.equal(words.hits[1]._federation.queriesPosition, 2);
  const weighted = await ask([query('here', { q: 'cobalt' }), query('east', { q: 'cobalt' }, { weight: 3 })]);
  t.same(found(weighted), ['3 east', '1 here']);
  const sorted = await ask(everywhere({ sort: ['price:asc'] }), { offset: 1, limit: 3 });
  t.same(found(sorted), ['2 here', '1 here', '4 east']);
  t.match(sorted, { offset: 1, limit: 3, estimatedTotalHits: 5 });
  const page = await ask(everywhere({ sort: ['price:desc'] }), { page: 2, hitsPerPage: 2 });
  t.same(found(page), ['1 here', '2 here']);
  t.match(page, { page: 2, hitsPerPage: 2, totalPages: 3, totalHits: 5 });
});

t.test('numbers beyond doubles, formatted members and hits without members pass through', async (t) => {
  const body = '{"federation":{},"queries":[{"indexUid":"paints","q":"cobalt","federationOptions":{"remote":"here"}}]}';
  const answer = await fetch(`${here().url}/multi-search`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  t.match(await answer.text(), '"big":12345678901234567891');
  const bare = await ask([query('east', { attributesToRetrieve: [], q: 'sky', attributesToHighlight: ['name'] })]);
  t.match(bare.hits, [{ _formatted: { name: 'cobalt <em>sky</em>' }, _federation: { remote: 'east' } }]);
});

t.test('facets and distinct values are those of all instances', async (t) => {
  const facets = { facetsByIndex: { paints: ['kind', 'price'] } };
  const byIndex = await ask(everywhere(), facets);
  t.same(byIndex.facetsByIndex.paints.stats, { price: { min: 1, max: 20 } });
  t.equal(byIndex.facetsByIndex.paints.distribution.kind.earth, 2);
  const merged = await ask(everywhere(), { ...facets, mergeFacets: { maxValuesPerFacet: 1 } });
  t.same(Object.keys(merged.facetDistribution.price), ['1']);
  const distinct = await ask(everywhere({ attributesToRetrieve: ['id'] }), { ...facets, distinct: 'kind', mergeFacets: {} });
  t.same(found(distinct), ['1 here', '2 here', '5 west'], 'blue and Blue are one value');
  t.equal(distinct.estimatedTotalHits, 3);
  t.same(distinct.facetDistribution.kind, { Blue: 1, earth: 1, grey: 1 });
});

t.test('network members of queries are validated', async (t) => {
  t.match(await ask([query('nowhere')]), { code: 'invalid_multi_search_remote', message: /nowhere.*`east`/ });
  t.match(await ask([query('__proto__')]), { code: 'invalid_multi_search_remote' });
  t.match(await ask([query('here', { useNetwork: true })]), { code: 'invalid_multi_search_federation_options' });
  t.match(await ask([query('east'), query('east', { limit: 1 })]), { code: 'invalid_multi_search_query_pagination' });
  t.match(await ask([query('east', { filter: 'kind = ' })]), { code: 'invalid_search_filter' });
  t.match(await ask(everywhere(), { facetsByIndex: { absent: [] } }), { code: 'index_not_found' });
  const proxied = { 'meili-proxy-search': 'true' };
  t.match(await ask([query('east')], {}, proxied), { code: 'invalid_multi_search_remote' }, 'no instance asks on');
  t.match((await ask([query(null)], {}, proxied)).hits[0]._federation, { weightedScoreValues: [] });
});

t.test('useNetwork asks every instance', async (t) => {
  const merged = await ask(
    [{ indexUid: 'paints', useNetwork: true, sort: ['price:asc'] }],
    {},
    { 'meili-include-metadata': '1' },
  );
  t.same(found(merged), ['5 west', '2 here', '1 here', '4 east', '3 east']);
  t.match(merged.metadata, [{ remote: 'here' }, { remote: 'east', indexUid: 'paints', primaryKey: 'id' }, { remote: 'west' }]);
  for (const one of [
    await here().call('POST', '/indexes/paints/search', { q: 'cobalt', useNetwork: true, facets: ['kind'], limit: 2 }),
    await here().call('GET', '/indexes/paints/search?q=cobalt&useNetwork=true&facets=kind&limit=2'),
  ]) {
    t.same(found(one.body), ['1 here', '5 west']);
    t.match(one.body, { query: 'cobalt', limit: 2, estimatedTotalHits: 3, facetStats: {}, remoteErrors: {} });
    t.equal(
      Object.values(one.body.facetDistribution.kind as object).reduce((sum, count) => sum + count, 0),
      3,
    );
  }
  const each = {
    queries: [
      { indexUid: 'paints', q: 'ochre' },
      { indexUid: 'paints', q: 'cobalt', useNetwork: true },
    ],
  };
  const { results } = (await here().call('POST', '/multi-search', each)).body;
  t.same(results[0].hits[0]._federation, undefined);
  t.same(found(results[1]), ['1 here', '5 west', '3 east']);
  t.match(results[1], { indexUid: 'paints', requestUid: results[0].requestUid });
});

t.test('semantic hits are counted on the page, not in the answers of the instances', async (t) => {
  for (const [name, angle] of [
    ['here', 0.1],
    ['east', 0.2],
  ] as const) {
    const server = servers.get(name) as TestServer;
    await server.task('PATCH', '/indexes/sketches/settings', { embedders: { own: { source: 'userProvided', dimensions: 2 } } });
    const vector = (turn: number) => ({ _vectors: { own: [Math.cos(turn), Math.sin(turn)] } });
    await server.task('POST', '/indexes/sketches/documents?primaryKey=id', [
      { id: `${name}1`, ...vector(angle) },
      { id: `${name}2`, ...vector(1 + angle) },
    ]);
  }
  const sketch = { indexUid: 'sketches', vector: [1, 0], hybrid: { embedder: 'own', semanticRatio: 1 } };
  const queries = ['here', 'east'].map((remote) => ({ ...sketch, federationOptions: { remote } }));
  const three = await ask(queries, { limit: 3 });
  t.same(found(three), ['here1 here', 'east1 east', 'here2 here']);
  t.equal(three.semanticHitCount, 3);
  t.equal((await ask(queries, { limit: 1 })).semanticHitCount, 1);
  const both = queries.map((each) => ({ ...each, q: 'here1', hybrid: { embedder: 'own', semanticRatio: 0.3 } }));
  const mixed = await ask(both, { limit: 2 });
  t.same(found(mixed), ['here1 here', 'east1 east']);
  t.equal(mixed.semanticHitCount, 1, 'of words and vectors the hits of the page are told apart');
});

t.test('requests other than searches refuse useNetwork', async (t) => {
  const call = async (method: string, path: string, body?: object) => (await here().call(method, path, body)).body;
  const everywhere = { useNetwork: true };
  for (const [answer, code] of [
    [call('POST', '/indexes/paints/facet-search', { facetName: 'kind', ...everywhere }), 'invalid_search_use_network'],
    [call('POST', '/indexes/paints/documents/fetch', everywhere), 'invalid_document_use_network'],
    [call('GET', '/indexes/paints/documents?useNetwork=true'), 'invalid_document_use_network'],
    [call('GET', '/indexes/paints/documents/1?useNetwork=true'), 'invalid_document_use_network'],
    [call('POST', '/indexes/paints/search', { cursor: '', ...everywhere }), 'invalid_search_cursor'],
  ] as const) {
    t.match(await answer, { code });
  }
  t.match(await call('POST', '/indexes/paints/search', { cursor: '', useNetwork: false }), { hits: Array });
  t.match(await call('GET', '/indexes/paints/documents/1?useNetwork=false'), { id: 1 });
});

t.test('an instance that names itself under another name is asked once', async (t) => {
  await network({ mirror: { url: here().url } });
  t.same(found(await ask([query('mirror', { q: 'ochre' }), query(null, { q: 'ochre' })])), ['2 mirror', '2 here']);
  await network({ mirror: null });
});
