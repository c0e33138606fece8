import { createHmac } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import t from 'tap';
import { readTokenRules, ruleFor } from '../../auth/token-rules.js';
import { startServer } from '../server.js';
import { expiringSoon } from '../support/expiring.js';
import { until } from '../support/until.js';

const MASTER = 'a master key for tests';
const refused = { status: 403, body: { code: 'invalid_api_key' } };

t.test('exactly one search rule applies to an index', async (t) => {
  const rules = readTokenRules({
    '*': { filter: 'a=1' },
    'news_*': { filter: 'b=2' },
    news_fr: null,
    'a*b': null,
    'two words': {},
  })!;
  t.equal(ruleFor(rules, 'news_fr')!.filter, undefined);
  t.equal(ruleFor(rules, 'news_en')!.filter, 'b=2');
  t.equal(ruleFor(rules, 'news_')!.filter, 'b=2');
  t.equal(ruleFor(rules, 'books')!.filter, 'a=1');
  const others = readTokenRules(['a*b', 'two words', 'x'])!;
  t.same(
    ['a*b', 'ab', 'two words', 'x', 'xy'].map((uid) => ruleFor(others, uid) !== null),
    [false, false, false, true, false],
  );
  for (const claim of [null, undefined, '*', 5, [5], [null], { '*': 'a=1' }, { '*': [] }]) t.equal(readTokenRules(claim), null);
});

t.test('tenant tokens over HTTP', async (t) => {
  const server = await startServer('--master-key', MASTER);
  t.teardown(server.close);
  await server.task('PUT', '/indexes/books/settings/filterable-attributes', ['team', 'level']);
  const documents = ['north', 'north', 'south', 'east'].map((team, id) => ({ id, team, level: id % 2 }));
  await server.task('POST', '/indexes/books/documents', documents);
  await server.task('POST', '/indexes/other/documents', documents);
  const keyFor = async (
    actions: string[],
    indexes = ['*'],
    expiresAt: string | null = null,
  ): Promise<{ uid: string; key: string }> => (await server.call('POST', '/keys', { actions, indexes, expiresAt })).body;
  const key = await keyFor(['search']);

  const sign = (claims: object, { alg = 'HS256', secret = key.key } = {}) =>
    new SignJWT({ apiKeyUid: key.uid, searchRules: ['*'], ...claims }).setProtectedHeader({ alg }).sign(Buffer.from(secret));
  const search = (token: string, body: object = {}, uid = 'books') =>
    server.call('POST', `/indexes/${uid}/search`, body, { authorization: `Bearer ${token}` });
  const ids = async (token: string, body: object = {}) =>
    (await search(token, body)).body.hits.map(({ id }: { id: number }) => id).sort();

  t.test('valid tokens can search', async (t) => {
    for (const alg of ['HS256', 'HS384', 'HS512']) t.equal((await search(await sign({}, { alg }))).status, 200, alg);
    const ignored = { nbf: 32503680000, iat: 32503680000, sub: 'someone', team: ['a'], exp: null, aud: null };
    t.equal((await search(await sign(ignored))).status, 200);
    const token = await sign({ exp: 32503680000 });
    const header = { authorization: `Bearer ${token}` };
    t.equal((await server.call('GET', '/indexes/books/search?q=north', undefined, header)).status, 200);
    t.equal((await server.call('POST', '/indexes/books/facet-search', { facetName: 'team' }, header)).status, 200);
    t.match(await search(token, {}, 'missing'), { status: 404, body: { code: 'index_not_found' } });
  });

  t.test('invalid tokens cannot search', async (t) => {
    const claims: object[] = [
      { exp: 1000000000 },
      { exp: 0 },
      { exp: '32503680000' },
      { exp: 1.5e10 + 0.5 },
      { aud: 'you' },
      { apiKeyUid: undefined },
      { apiKeyUid: 'front' },
      { apiKeyUid: key.key },
      { apiKeyUid: '0b6f3d1e-6a52-4a6e-8f0a-2f2b6f4c9d10' },
      { searchRules: '*' },
      { searchRules: [5] },
      { searchRules: null },
      { searchRules: [] },
      { searchRules: {} },
    ];
    for (const claim of claims) t.match(await search(await sign(claim)), refused, JSON.stringify(claim));
    const foreign = await keyFor(['search']);
    for (const secret of [foreign.key, key.uid, MASTER, '0'.repeat(64)])
      t.match(await search(await sign({}, { secret })), refused, 'a foreign signature');
    const good = await sign({});
    const [head, body, signature] = good.split('.') as [string, string, string];
    const other = Buffer.from(JSON.stringify({ apiKeyUid: key.uid, searchRules: { '*': null } })).toString('base64url');
    const unsigned = new UnsecuredJWT({ apiKeyUid: key.uid, searchRules: ['*'] }).encode();
    const named = (alg: string) => {
      const text = `${Buffer.from(JSON.stringify({ alg })).toString('base64url')}.${body}`;
      return `${text}.${createHmac('sha256', key.key).update(text).digest('base64url')}`;
    };
    const forged = [`${head}.${other}.${signature}`, `${head}.${body}.`, `${head}.${body}`, unsigned, 'a.b.c', '..', `${good}.x`];
    for (const token of [...forged, named('none'), named('RS256'), named('HS1'), named('hs256')])
      t.match(await search(token), refused, token.slice(0, 40));
  });

  t.test('tokens are only accepted for searches', async (t) => {
    const all = await keyFor(['*']);
    const token = await sign({ apiKeyUid: all.uid }, { secret: all.key });
    t.equal((await search(token)).status, 200);
    for (const route of ['/indexes/books/documents', '/indexes/books', '/indexes', '/tasks', '/keys', '/version'])
      t.match(await server.call('GET', route, undefined, { authorization: `Bearer ${token}` }), refused, route);
    const reader = await keyFor(['documents.get']);
    t.match(await search(await sign({ apiKeyUid: reader.uid }, { secret: reader.key })), refused);
  });

  t.test('an index must be permitted by the rules and by the key', async (t) => {
    t.match(await search(await sign({ searchRules: ['other', 'bo'] })), refused);
    t.equal((await search(await sign({ searchRules: { 'bo*': {} } }))).status, 200);
    const bound = await keyFor(['search'], ['other']);
    const token = await sign({ apiKeyUid: bound.uid }, { secret: bound.key });
    t.match(await search(token), refused);
    t.equal((await search(token, {}, 'other')).status, 200);
  });

  t.test('the filters of the rule and of the search both apply', async (t) => {
    const token = await sign({ searchRules: { '*': { filter: 'team = north' } } });
    t.same(await ids(token), [0, 1]);
    t.same(await ids(token, { filter: 'level = 1' }), [1]);
    t.same(await ids(token, { filter: [['team = south', 'team = east']] }), []);
    t.same(await ids(token, { filter: 'team = south OR level = 0' }), [0]);
    t.same(await ids(await sign({ searchRules: { '*': { filter: [['team = south', 'team = east'], 'level = 0'] } } })), [2]);
    for (const filter of [null, '', []]) t.same(await ids(await sign({ searchRules: { '*': { filter } } })), [0, 1, 2, 3]);
    const facets = (await search(token, { facets: ['team'], limit: 0 })).body;
    t.match(facets, { facetDistribution: { team: { north: 2 } }, estimatedTotalHits: 2 });
    t.notOk('south' in facets.facetDistribution.team);
    const header = { authorization: `Bearer ${token}` };
    const found = await server.call('POST', '/indexes/books/facet-search', { facetName: 'team' }, header);
    t.same(found.body.facetHits, [{ value: 'north', count: 2 }]);
    const got = await server.call('GET', `/indexes/books/search?filter=${encodeURIComponent('level = 0')}`, undefined, header);
    t.same(got.body.hits.length, 1);
  });

  t.test('an invalid filter in a rule fails the search', async (t) => {
    for (const filter of ['team ==', 'secret = 1', 5, true, { team: 'north' }])
      t.match(await search(await sign({ searchRules: { '*': { filter } } })), {
        status: 400,
        body: { code: 'invalid_search_filter' },
      });
    t.equal((await search(await sign({ searchRules: { 'x*': { filter: 5 }, books: null } }))).status, 200);
  });

  t.test('a token becomes invalid with its key', async (t) => {
    const short = await keyFor(['search']);
    const token = await sign({ apiKeyUid: short.uid }, { secret: short.key });
    t.equal((await search(token)).status, 200);
    await server.call('DELETE', `/keys/${short.uid}`);
    t.match(await search(token), refused);
    const last = await expiringSoon(
      async (expiresAt) => {
        const { uid, key = '' } = await keyFor(['search'], ['*'], expiresAt);
        return sign({ apiKeyUid: uid }, { secret: key || 'none: it has expired before it was made' });
      },
      async (token) => (await search(token)).status === 200,
    );
    const timed = await sign({ exp: Math.floor(Date.now() / 1000) });
    await until('the key expires', async () => (await search(last)).status !== 200);
    t.match(await search(last), refused);
    t.match(await search(timed), refused);
  });
});
