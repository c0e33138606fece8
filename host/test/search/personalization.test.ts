import http from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { seededRandom } from '../../../bindings/test/random.js';
import { itemsOf, membersOf, withoutMembers } from '../../personalization/json-ranges.js';
import { startServer } from '../server.js';

type Random = ReturnType<typeof seededRandom>;

function someJson(random: Random, depth: number): unknown {
  const kind = random.int(depth > 0 ? 6 : 4);
  if (kind === 0) return random.pick([0, -1.5, 1e21, true, false, null]);
  if (kind < 4) return random.pick(['', 'a', '"', '\\', '\\"', '{[,:]}', 'é\n', 'hits']);
  const items = Array.from({ length: random.int(4) }, () => someJson(random, depth - 1));
  return kind === 4
    ? items
    : Object.fromEntries(items.map((item, place) => [`${random.pick(['a"', 'b', '\\', ''])}${place}`, item]));
}

t.test('byte ranges of members and items agree with JSON.parse', async (t) => {
  const random = seededRandom(3);
  for (let i = 0; i < 2000; i++) {
    const object = Object.fromEntries(Array.from({ length: random.int(5) }, (_, place) => [`n${place}`, someJson(random, 3)]));
    const bytes = Buffer.from(JSON.stringify(object, null, random.int(3)));
    const read = membersOf(bytes).map(({ name, value }) => [name, JSON.parse(bytes.toString('utf8', value.from, value.to))]);
    if (JSON.stringify(read) !== JSON.stringify(Object.entries(object))) t.same(read, Object.entries(object));
    const without = JSON.parse(withoutMembers(bytes, new Set(['n0', 'n2'])).toString());
    const { n0, n2, ...others } = object;
    if (JSON.stringify(without) !== JSON.stringify(others)) t.same(without, others);
    const list = Buffer.from(JSON.stringify(Object.values(object), null, random.int(3)));
    const items = itemsOf(list, 0).map(({ from, to }) => JSON.parse(list.toString('utf8', from, to)));
    if (JSON.stringify(items) !== JSON.stringify(Object.values(object))) t.same(items, Object.values(object));
  }
  t.pass();
});

interface Asked {
  model: string;
  query: string;
  documents: string[];
  authorization: string | undefined;
}

/** A service that reverses the order of documents. */
async function startReranker(t: Test) {
  const reranker = { url: '', asked: [] as Asked[], status: 200, body: null as string | null, delay: 0 };
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { model, query, documents } = JSON.parse(Buffer.concat(chunks).toString());
    reranker.asked.push({ model, query, documents, authorization: request.headers.authorization });
    await new Promise((resolve) => setTimeout(resolve, reranker.delay));
    const results = documents.map((_: string, place: number) => ({ index: documents.length - 1 - place, relevance_score: 0.5 }));
    response.writeHead(reranker.status).end(reranker.body ?? JSON.stringify({ results }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  reranker.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rerank`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  t.teardown(close);
  return { reranker, close };
}

const FLAGS = (url: string) => ['--experimental-personalization-api-key', 'secret', '--experimental-personalization-url', url];

t.test('hits are shown in the order of the reranking service', async (t) => {
  const { reranker, close } = await startReranker(t);
  const server = await startServer(...FLAGS(reranker.url));
  t.teardown(() => server.close());
  const documents = '[{"id":1,"t":"lamp","n":12345678901234567890},{"id":2,"t":"lamp"},{"id":3,"t":"lamp"},{"id":4,"t":"rug"}]';
  await server.task('POST', '/indexes/a/documents', documents);
  const personalize = { userContext: 'likes \u2028 rugs' };
  const search = async (body: object, route = '/indexes/a/search') => (await server.call('POST', route, body)).body;
  const ids = ({ hits }: { hits: { id: number }[] }) => hits.map(({ id }) => id);

  const found = await search({ q: 'lamp', personalize });
  t.same(ids(found), [3, 2, 1]);
  t.same(Object.keys(found.hits[0]), ['id', 't'], 'details that were not asked for are not shown');
  t.match(reranker.asked[0], {
    model: 'rerank-english-v3.0',
    query: 'User context: likes \u2028 rugs\nQuery: lamp',
    authorization: 'Bearer secret',
  });
  t.same(JSON.parse(reranker.asked[0]!.documents[1]!), { id: 2, t: 'lamp' });
  t.equal(reranker.asked[0]!.documents[0], '{"id":1,"t":"lamp","n":12345678901234567890}', 'documents keep their bytes');

  t.same(ids(await search({ q: 'lamp', limit: 2, personalize })), [2, 1], 'the hits of the page');
  t.ok((await search({ q: 'lamp', showRankingScoreDetails: true, personalize })).hits[0]._rankingScoreDetails.words);
  t.same(ids(await search({ q: 'lamp' })), [1, 2, 3]);
  t.same(ids(await search({ personalize })), [4, 3, 2, 1]);
  const get = await server.call('GET', '/indexes/a/search?q=lamp&personalizeUserContext=x&showRankingScore=true');
  t.same(ids(get.body), [3, 2, 1]);
  t.same(Object.keys(get.body.hits[0]), ['id', 't', '_rankingScore']);
  const several = await search(
    {
      queries: [
        { indexUid: 'a', q: 'lamp', personalize },
        { indexUid: 'a', q: 'lamp' },
      ],
    },
    '/multi-search',
  );
  t.same(several.results.map(ids), [
    [3, 2, 1],
    [1, 2, 3],
  ]);

  const federated = async (more: object, queries: object[]) =>
    search({ federation: { personalize, ...more }, queries }, '/multi-search');
  const merged = await federated({}, [
    { indexUid: 'a', q: 'rug' },
    { indexUid: 'a', q: 'lamp', showRankingScoreDetails: true },
  ]);
  t.same(ids(merged), [3, 2, 1, 4], 'one list of several searches');
  t.same(
    merged.hits.map((hit: object) => '_rankingScoreDetails' in hit),
    [true, true, true, false],
    'details where the query asks for them',
  );
  t.equal(reranker.asked.at(-1)?.query, 'User context: likes \u2028 rugs\nQuery: rug\nQuery: lamp');
  t.same(ids(await federated({ offset: 1, limit: 2 }, [{ indexUid: 'a', q: 'lamp' }])), [3, 2]);
  const refused = await server.call('POST', '/multi-search', { federation: {}, queries: [{ indexUid: 'a', personalize }] });
  t.match(refused, { status: 400, body: { code: 'invalid_multi_search_query_personalization' } });
  const paged = await server.call('POST', '/indexes/a/search', { cursor: '', personalize });
  t.match(paged, { status: 400, body: { code: 'invalid_search_cursor' } });
  await server.call('PATCH', '/experimental-features', { network: true });
  await server.call('PATCH', '/network', { self: 'me', remotes: { me: { url: 'http://127.0.0.1:1' } } });
  t.same(ids(await search({ q: 'lamp', personalize, useNetwork: true })), [3, 2, 1], 'over all instances');
  t.same(ids(await federated({}, [{ indexUid: 'a', q: 'lamp', federationOptions: { remote: 'me' } }])), [3, 2, 1]);
  const everywhere = await search({ queries: [{ indexUid: 'a', q: 'lamp', personalize, useNetwork: true }] }, '/multi-search');
  t.same(everywhere.results.map(ids), [[3, 2, 1]]);

  await server.call('PATCH', '/experimental-features', { dynamicSearchRules: true });
  const pin = { selector: { id: '1' }, action: { type: 'pin', position: 0 } };
  await server.task('PATCH', '/dynamic-search-rules/r', { actions: [pin] });
  t.same(ids(await search({ q: 'lamp', personalize })), [1, 3, 2], 'a pinned hit stays where it is');
  t.same(ids(await federated({}, [{ indexUid: 'a', q: 'lamp' }])), [1, 3, 2]);

  await server.call('DELETE', '/dynamic-search-rules');
  reranker.asked.length = 0;
  t.same(ids(await search({ q: 'rug', personalize })).slice(-1), [4]);
  const failures: [status: number, body: string | null, answer: number, code: string, tries: number][] = [
    [401, '', 403, 'remote_invalid_api_key', 1],
    [429, '', 503, 'too_many_search_requests', 3],
    [400, '', 400, 'remote_bad_request', 1],
    [500, '', 502, 'remote_remote_error', 3],
    [200, '<html>', 502, 'remote_bad_response', 1],
    [200, '{"results":[{"index":7}]}', 502, 'remote_bad_response', 1],
  ];
  for (const [status, body, answer, code, tries] of failures) {
    Object.assign(reranker, { status, body, asked: [] });
    t.match(await server.call('POST', '/indexes/a/search', { q: 'lamp', personalize }), { status: answer, body: { code } }, code);
    t.equal(reranker.asked.length, tries, `${code}: tries`);
  }
  Object.assign(reranker, { status: 200, body: null, delay: 2000 });
  await server.task('PATCH', '/indexes/a/settings', { searchCutoffMs: 200 });
  t.same(ids(await search({ q: 'lamp', personalize })), [1, 2, 3], 'the time is over: the order stays');
  close();
  await server.task('PATCH', '/indexes/a/settings', { searchCutoffMs: 5000 });
  t.match(await server.call('POST', '/indexes/a/search', { q: 'lamp', personalize }), {
    status: 502,
    body: { code: 'remote_could_not_send_request' },
  });
  t.match(await server.call('POST', '/indexes/a/search', { personalize: { userContext: 3 } }), {
    status: 400,
    body: { code: 'invalid_search_personalize_user_context' },
  });
});

t.test('without a service no search is personalized', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  await server.task('POST', '/indexes/a/documents', [{ id: 1 }]);
  const personalize = { userContext: 'x' };
  const refused = { status: 400, body: { code: 'feature_not_enabled' } };
  t.match(await server.call('POST', '/indexes/a/search', { personalize }), refused);
  t.match(await server.call('POST', '/multi-search', { federation: { personalize }, queries: [{ indexUid: 'a' }] }), refused);
});
