import t from 'tap';
import { startServer } from '../server.js';
import { MODEL_DIMENSIONS, restEmbedder, startModel } from '../support/model.js';
import { officialClient } from '../support/official-client.js';

t.test('the official client drives embedders, hybrid search and similar documents', async (t) => {
  const model = await startModel(t);
  const server = await startServer('--experimental-embedding-cache-entries', '10');
  t.teardown(() => server.close());
  const client = officialClient(server.url);
  const index = client.index('lamps');
  await index.updateEmbedders({ m: restEmbedder(model) as never, u: { source: 'userProvided', dimensions: 2 } }).waitTask();
  await index.updateFilterableAttributes(['kind']).waitTask();
  const documents = [
    { id: 1, title: 'brass lamp', kind: 'a', _vectors: { u: [1, 0] } },
    { id: 2, title: 'wool rug', kind: 'a', _vectors: { u: [4, 3] } },
    { id: 3, title: 'iron gate', kind: 'b', _vectors: { u: [0, 1] } },
    { id: 4, title: 'brass rug', kind: 'b', _vectors: { u: null } },
  ];
  t.equal((await index.addDocuments(documents).waitTask()).status, 'succeeded');
  t.same(Object.keys((await index.getEmbedders()) ?? {}), ['m', 'u']);

  const ids = ({ hits }: { hits: Record<string, unknown>[] }) => hits.map(({ id }) => id);
  const semantic = await index.search('wool rug', { hybrid: { embedder: 'm', semanticRatio: 1 }, showRankingScore: true });
  t.match(semantic.hits[0], { id: 2, _rankingScore: 1 });
  t.match(semantic, { semanticHitCount: 4 });
  const requests = model.requests;
  await index.search('wool rug', { hybrid: { embedder: 'm', semanticRatio: 1 } });
  t.equal(model.requests, requests, 'the embedding of the query is kept');

  const near = await index.search('', {
    vector: [1, 0],
    hybrid: { embedder: 'u' },
    showRankingScore: true,
    retrieveVectors: true,
  });
  t.same(ids(near), [1, 2, 3, 4]);
  t.same(
    near.hits.map(({ _rankingScore }) => Number(_rankingScore?.toFixed(4))),
    [1, 0.9, 0.5, 0],
  );
  t.match(near.hits[1]?._vectors, { u: { embeddings: [[4, 3]], regenerate: false }, m: { regenerate: true } });
  t.same(ids(await index.search('', { vector: [1, 0], hybrid: { embedder: 'u' }, filter: 'kind = b' })), [3, 4]);
  t.same(ids(await index.searchSimilarDocuments({ id: 1, embedder: 'u' })), [2, 3]);
  t.same(ids(await index.searchSimilarDocuments({ id: 1, embedder: 'u', filter: 'kind = b' })), [3]);

  const both = await index.search('brass', { vector: [0, 1], hybrid: { embedder: 'u', semanticRatio: 0.9 } });
  t.same(ids(both).slice(0, 2), [3, 2]);
  t.match(both, { semanticHitCount: Number });
  const words = await index.search('brass lamp', { hybrid: { embedder: 'm', semanticRatio: 0.1 }, limit: 1 });
  t.match(words, { semanticHitCount: 0 }, 'words suffice, and nothing is embedded');

  const many = await client.multiSearch({
    queries: [
      { indexUid: 'lamps', q: 'iron gate', hybrid: { embedder: 'm', semanticRatio: 1 }, limit: 1 },
      { indexUid: 'lamps', q: 'wool', limit: 1 },
    ],
  });
  t.same(many.results.map(ids), [[3], [2]]);
  const merged = await client.multiSearch({
    federation: { limit: 2 },
    queries: [
      { indexUid: 'lamps', q: 'iron gate', hybrid: { embedder: 'm', semanticRatio: 1 } },
      { indexUid: 'lamps', q: 'rug of wool', hybrid: { embedder: 'm', semanticRatio: 1 } },
    ],
  });
  t.equal(merged.hits.length, 2);

  const own = { indexUid: 'lamps', vector: [1, 0.5], hybrid: { embedder: 'u' }, retrieveVectors: true };
  const answered = await fetch(`${server.url}/multi-search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ federation: {}, queries: [{ indexUid: 'lamps', q: 'wool' }, own] }),
  });
  t.match(await answered.text(), '"queryVectors":{"1":[1.0,0.5]}', 'components of vectors are floats');
});

t.test('details show the target, and of each document the vector that is nearest to it', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  await server.task('PATCH', '/indexes/a/settings', { embedders: { u: { source: 'userProvided', dimensions: 2 } } });
  const vectors = [
    [1, 0.5],
    [
      [0, 1],
      [4, 2],
      [2, 1],
    ],
    null,
    [0, 0],
    [2, 1],
  ];
  const documents = vectors.map((u, place) => ({ id: place + 1, title: 'lamp', _vectors: { u } }));
  t.equal((await server.task('POST', '/indexes/a/documents', documents)).status, 'succeeded');
  const search = { vector: [1, 0.5], hybrid: { embedder: 'u' }, showRankingScoreDetails: true };
  const shown = async (route: string, body: unknown) => {
    const { hits } = (await server.call('POST', route, body)).body;
    return Object.fromEntries(
      hits.map(({ id, _rankingScoreDetails: details }: { id: number; _rankingScoreDetails: Record<string, unknown> }) => [
        id,
        details,
      ]),
    );
  };
  const key = 'vectorSort([1,0.5])';
  const expected = (value: unknown, similarity: number | null) => ({
    [key]: { order: 0, score: similarity ?? 0, value, similarity },
  });
  const details = await shown('/indexes/a/search', search);
  t.same(details, {
    1: expected([1, 0.5], 1),
    2: expected([4, 2], 1),
    3: expected(null, null),
    4: expected([0, 0], 1),
    5: expected([2, 1], 1),
  });
  t.same(
    await shown('/multi-search', { federation: {}, queries: [{ indexUid: 'a', ...search }] }),
    details,
    'in a federated search',
  );
  const hybrid = await shown('/indexes/a/search', { ...search, q: 'lamp', hybrid: { embedder: 'u', semanticRatio: 0.9 } });
  t.same(hybrid['2'], expected([4, 2], 1), 'beside keywords');
  await server.task('PATCH', '/indexes/a/settings/embedders', { u: { binaryQuantized: true } });
  t.same((await shown('/indexes/a/search', search))['2'][key].value, [1, 1], 'of bits');
});

t.test(
  'numbers beyond 32 bits are stored and shown as the largest ones, in documents, in requests and from models',
  async (t) => {
    const model = await startModel(t);
    const embedding = [1e300, -1e300, ...new Array(MODEL_DIMENSIONS - 2).fill(0)];
    model.fault = (texts) => ({ status: 200, body: JSON.stringify({ data: texts.map(() => ({ embedding })) }) });
    const server = await startServer();
    t.teardown(() => server.close());
    const embedders = { u: { source: 'userProvided', dimensions: 2 }, m: restEmbedder(model) };
    await server.task('PATCH', '/indexes/a/settings', { embedders });
    const largest = (2 - 2 ** -23) * 2 ** 127;
    const added = await server.task('POST', '/indexes/a/documents', [{ id: 1, title: 'x', _vectors: { u: [1e39, -1e39] } }]);
    t.equal(added.status, 'succeeded');
    const { body } = await server.call('GET', '/indexes/a/documents/1?retrieveVectors=true');
    t.match(body._vectors, { u: { embeddings: [[largest, -largest]] }, m: { embeddings: [[largest, -largest, 0]] } });
    const hybrid = { embedder: 'u', semanticRatio: 1 };
    const found = await server.call('POST', '/indexes/a/search', {
      vector: [-1e39, 1],
      hybrid,
      retrieveVectors: true,
      showRankingScoreDetails: true,
    });
    t.match(found.body, { queryVector: [-largest, 1], hits: [{ id: 1 }] });
  },
);

t.test('distributions with tiny deviations', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  const settingsOf = (distribution: object) => ({ embedders: { u: { source: 'userProvided', dimensions: 2, distribution } } });
  const refused = await server.call('PATCH', '/indexes/a/settings', settingsOf({ mean: 0.5, sigma: 1e-300 }));
  t.match(refused, { status: 400, body: { code: 'invalid_settings_embedders', message: /sigma/ } });
  const vectors = [[1, 0], [0, 1], [-1, 0], null];
  for (const [mean, scores] of [
    [0, [1, 1, 0.5, 0]],
    [0.5, [1, 2 ** -23, 2 ** -23, 0]],
  ] as const) {
    const uid = `mean-${mean * 10}`;
    await server.task('PATCH', `/indexes/${uid}/settings`, settingsOf({ mean, sigma: 1e-45 }));
    await server.task(
      'POST',
      `/indexes/${uid}/documents`,
      vectors.map((u, id) => ({ id, _vectors: { u } })),
    );
    const hybrid = { embedder: 'u', semanticRatio: 1 };
    const { body } = await server.call('POST', `/indexes/${uid}/search`, { vector: [1, 0], hybrid, showRankingScore: true });
    t.same(
      body.hits.map(({ _rankingScore: score }: { _rankingScore: number }) => score),
      scores,
    );
  }
});

t.test('a model that does not answer fails the search', async (t) => {
  const model = await startModel(t);
  const server = await startServer();
  t.teardown(() => server.close());
  await server.task('PATCH', '/indexes/a/settings', { embedders: { m: restEmbedder(model) }, searchCutoffMs: 300 });
  await server.task('POST', '/indexes/a/documents', [{ id: 1, title: 'brass lamp' }]);
  const search = (body: object) => server.call('POST', '/indexes/a/search', body);
  model.delay = 1000;
  const semantic = { q: 'tub', hybrid: { embedder: 'm', semanticRatio: 1 } };
  t.match(await search(semantic), { status: 400, body: { code: 'vector_embedding_error' } });
  const hybrid = { q: 'brass tub', hybrid: { embedder: 'm', semanticRatio: 0.9 } };
  t.match(await search(hybrid), { status: 200, body: { hits: [{ id: 1 }], semanticHitCount: 0 } });
  t.match(await search({ q: 'brass' }), { status: 200, body: { hits: [{ id: 1 }] } }, 'words need no model');
});

t.test('documents with several vectors are ranked in batches by ordinal', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  const client = officialClient(server.url);
  const index = client.index('turns');
  await index
    .updateSettings({ embedders: { u: { source: 'userProvided', dimensions: 2 } }, filterableAttributes: ['kind'] })
    .waitTask();
  const documents = [
    { id: 1, title: 'rug', kind: 'a', _vectors: { u: [1, 0] } },
    { id: 2, title: 'gate', kind: 'a', _vectors: { u: [0.9, 0.436] } },
    {
      id: 3,
      title: 'lamp',
      kind: 'c',
      _vectors: {
        u: [
          [0, 1],
          [0.5, 0.866],
        ],
      },
    },
    { id: 4, title: 'brass', kind: 'b', _vectors: { u: [0.8, 0.6] } },
  ];
  t.equal((await index.addDocuments(documents).waitTask()).status, 'succeeded');
  const search = { vector: [1, 0], hybrid: { embedder: 'u', semanticRatio: 0.9 }, distinct: 'kind' };
  const ids = ({ hits }: { hits: Record<string, unknown>[] }) => hits.map(({ id }) => id);
  t.same(
    ids(await index.search('', { ...search, limit: 2 })),
    [1, 3],
    'the two nearest first vectors, and the nearest second one',
  );
  t.same(ids(await index.search('', { ...search, limit: 3 })), [1, 4, 3]);
  const both = await index.search('brass', { ...search, limit: 1 });
  t.match({ ids: ids(both), total: both.estimatedTotalHits }, { ids: [1], total: 3 });
  const next = await index.search('brass', { ...search, limit: 1, offset: 1 });
  t.match(next, { estimatedTotalHits: 3 }, 'the page before is counted too');
  const threshold = { vector: [1, 0], hybrid: { embedder: 'u', semanticRatio: 1 }, rankingScoreThreshold: 0.8 };
  const enough = await index.search('', { ...threshold, page: 1, hitsPerPage: 1 });
  t.match({ ids: ids(enough), total: enough.totalHits }, { ids: [1], total: 3 }, 'nearer ones of later turns are counted');
});
