import type { ServerResponse } from 'node:http';
import t, { type Test } from 'tap';
import { startServer, type TestServer } from '../server.js';
import { addPaints, ask as askServer, type FakeRemote, found, type Json, query, startFakeRemote } from '../support/remotes.js';

/** An instance, and a remote that answers what tests decide. */
let server: TestServer;
let remote: FakeRemote;

t.before(async () => {
  remote = await startFakeRemote();
  server = await startHere();
});
t.teardown(async () => {
  await server.close();
  remote.close();
});

async function startHere(): Promise<TestServer> {
  const started = await startServer();
  await addPaints(started, [
    { id: 1, name: 'cobalt', kind: 'Blue', price: 10 },
    { id: 2, name: 'ochre', kind: 'earth', price: 5 },
  ]);
  await started.call('PATCH', '/network', { self: 'here', remotes: { here: { url: 'http://127.0.0.1:1' } } });
  return started;
}

const ask = (queries: object[]): Promise<Json> => askServer(server, queries);
const network = (remotes: object) => server.call('PATCH', '/network', { remotes });

/** The error of one remote, asked beside this instance, whose hits must come. */
async function failure(t: Test, name = 'odd'): Promise<Json> {
  remote.asked = [];
  const answer = await ask([query('here', { q: 'ochre' }), query(name, { q: 'ochre' }, { weight: 2 })]);
  t.same(found(answer), ['2 here']);
  t.same(Object.keys(answer.remoteErrors), [name]);
  return answer.remoteErrors[name];
}

t.test('a remote that fails is reported, and the others answer', async (t) => {
  await network({ odd: { url: `${remote.url}/base/`, searchApiKey: 'k' }, dead: { url: 'http://127.0.0.1:1' } });
  t.match(await failure(t, 'dead'), { code: 'remote_could_not_send_request', type: 'system', message: /`dead`/, link: String });
  for (const [status, code, times] of [
    [401, 'remote_invalid_api_key', 1],
    [403, 'remote_invalid_api_key', 1],
    [404, 'remote_bad_request', 1],
    [500, 'remote_remote_error', 4],
    [302, 'remote_bad_response', 4],
  ] as const) {
    remote.answer = (_request, response) => response.writeHead(status).end('{}');
    t.match(await failure(t), { code }, `${status}`);
    t.equal(remote.asked.length, times, `${status}: tries`);
  }
  t.match(remote.asked[0], {
    url: '/base/multi-search',
    headers: { 'meili-proxy-search': 'true', authorization: 'Bearer k' },
    body: {
      federation: { limit: 20, offset: 0 },
      queries: [{ indexUid: 'paints', q: 'ochre', federationOptions: { weight: 2, queryPosition: 1 } }],
    },
  });
  t.same(Object.keys(remote.asked[0]?.body.queries[0]), ['indexUid', 'q', 'federationOptions'], 'defaults are not sent');
  remote.answer = (_request, response) => {
    const chunk = ' '.repeat(1 << 20);
    const more = () => {
      while (response.write(chunk));
    };
    response.writeHead(200).on('drain', more);
    more();
  };
  t.match(await failure(t), { code: 'remote_bad_response', message: /longer/ }, 'a body without an end');
  remote.answer = (request) => request.socket.destroy();
  t.match(await failure(t), { code: 'remote_could_not_send_request' });
  await network({ odd: null, dead: null });
});

/** What a right answer says of a hit for the query at a position. */
const right = (queriesPosition: number) => ({
  indexUid: 'paints',
  queriesPosition,
  weightedRankingScore: 0.5,
  weightedScoreValues: [],
});
const hit = (federation: object) => JSON.stringify({ hits: [{ id: 9, _federation: federation }], estimatedTotalHits: 1 });

t.test('malformed answers of remotes are reported, each with its remote', async (t) => {
  const malformed: ((position: number) => string)[] = [
    () => '',
    () => 'null',
    () => '{"hits": [',
    () => '[['.repeat(200_000),
    () => '{"hits": {}, "estimatedTotalHits": 1}',
    () => '{"hits": []}',
    () => '{"hits": [], "estimatedTotalHits": -1}',
    () => '{"hits": [1], "estimatedTotalHits": 1}',
    () => '{"hits": [{"id": 9}], "estimatedTotalHits": 1}',
    (position) => hit(right(position - 1)),
    (position) => hit({ ...right(position), indexUid: 'others' }),
    (position) => hit({ ...right(position), weightedRankingScore: '1' }),
    (position) => hit({ ...right(position), weightedScoreValues: [{ sort: 1 }] }),
    (position) => hit({ ...right(position), weightedScoreValues: undefined }),
    () => '{"hits": [], "estimatedTotalHits": 1, "facetsByIndex": {"paints": {"distribution": {"kind": {"a": "1"}}}}}',
  ];
  const names = [...malformed.keys(), 'right'].map((name) => `r${name}`);
  await network(Object.fromEntries(names.map((name) => [name, { url: `${remote.url}/${name}` }])));
  remote.answer = (request, response) => {
    const position = names.indexOf(request.url?.split('/')[1] ?? '') + 1;
    response.end((malformed[position - 1] ?? (() => hit(right(position))))(position));
  };
  const answer = await ask([query('here', { q: 'ochre' }), ...names.map((name) => query(name, { q: 'ochre' }))]);
  t.same(found(answer), ['2 here', '9 rright'], 'only the well-formed answer has hits');
  for (const [at, text] of malformed.entries()) {
    t.match(answer.remoteErrors[`r${at}`], { code: 'remote_bad_response' }, text(at + 1).slice(0, 80));
  }
  t.equal(Object.keys(answer.remoteErrors).length, malformed.length);
  await network(Object.fromEntries(names.map((name) => [name, null])));
});

t.test('a temporary failure is retried', async (t) => {
  await network({ odd: { url: remote.url } });
  let tries = 0;
  remote.answer = (_request, response) => response.writeHead(++tries < 3 ? 503 : 200).end(hit(right(1)));
  const again = await ask([query('odd', {}, { queryPosition: 1 })]);
  t.same(found(again), ['9 odd']);
  t.same(again.remoteErrors, {});
  await network({ odd: null });
});

t.test('a remote that does not answer in time is reported', async (t) => {
  process.env.PEREGRINE_EXPERIMENTAL_REMOTE_SEARCH_TIMEOUT_SECONDS = '0.5';
  const hasty = await startHere();
  t.teardown(() => hasty.close());
  await hasty.call('PATCH', '/network', { remotes: { odd: { url: remote.url } } });
  remote.answer = () => {};
  const answer = await askServer(hasty, [query('here', { q: 'ochre' }), query('odd', { q: 'ochre' })]);
  t.same(found(answer), ['2 here']);
  t.match(answer.remoteErrors, { odd: { code: 'remote_timeout' } });
});

t.test('queries of one request wait for remotes concurrently', async (t) => {
  await network({ odd: { url: remote.url } });
  const waiting: ServerResponse[] = [];
  // no answer before both queries have been sent
  remote.answer = (_request, response) => {
    waiting.push(response);
    if (waiting.length === 2) for (const each of waiting) each.writeHead(401).end('{}');
  };
  const queries = ['cobalt', 'umber'].map((q) => ({ indexUid: 'paints', q, useNetwork: true }));
  const { results } = (await server.call('POST', '/multi-search', { queries: [...queries, { indexUid: 'paints', q: 'ochre' }] }))
    .body;
  t.same(
    results.map(({ query, remoteErrors }: Json) => [query, remoteErrors?.odd.code]),
    [
      ['cobalt', 'remote_invalid_api_key'],
      ['umber', 'remote_invalid_api_key'],
      ['ochre', undefined],
    ],
  );
  const failing = [queries[0], { indexUid: 'missing' }, { indexUid: 'paints', filter: 'name = x' }];
  remote.answer = (_request, response) => response.writeHead(401).end('{}');
  t.match((await server.call('POST', '/multi-search', { queries: failing })).body, {
    code: 'index_not_found',
    message: /queries\[1\]/,
  });
  await network({ odd: null });
});

t.test(
  'hits of instances with other ranking rules: those with more criteria come first, and different criteria are not compared',
  async (t) => {
    await network({ odd: { url: remote.url } });
    const answer = (entries: object[], more: object = {}) => {
      const federation = { indexUid: 'paints', queriesPosition: 1, weightedRankingScore: 0.5, weightedScoreValues: entries };
      remote.answer = (_request, response) => {
        response.end(JSON.stringify({ hits: [{ id: 9, _federation: federation }], estimatedTotalHits: 1, ...more }));
      };
    };
    const first = async (more: object) => found(await ask([query('here', more), query('odd', more)]))[0];
    const up = { sort: ['price:asc'] };
    answer([{ sort: { asc: true, value: 1 } }]);
    t.equal(await first(up), '9 odd', 'the same rule: by value');
    answer([{ sort: { asc: false, value: 99 } }]);
    t.equal(await first(up), '2 here', 'the other direction, as many entries: by score');
    answer([{ sort: { asc: false, value: 99 } }, { weightedScore: 0.1 }]);
    t.equal(await first(up), '9 odd', 'more entries');
    answer([{ weightedScore: 1e308 }]);
    t.equal(await first(up), '2 here');
    // Unrequested members are ignored; malformed ones are a fault.
    const more = { facetsByIndex: { paints: { distribution: { kind: { lie: 5 } } } }, queryVectors: { 7: [1] } };
    answer([], more);
    const quiet = await ask([query('here', { retrieveVectors: true }), query('odd')]);
    t.same([quiet.facetsByIndex, quiet.queryVectors, quiet.remoteErrors], [undefined, {}, {}]);
    answer([], { queryVectors: { 1: ['1'] } });
    t.match((await ask([query('here'), query('odd')])).remoteErrors, { odd: { code: 'remote_bad_response' } });
    await network({ odd: null });
  },
);
