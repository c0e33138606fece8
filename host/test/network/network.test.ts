import t from 'tap';
import { startServer } from '../server.js';
import { onlyFile, testFolder } from '../support/folders.js';

const NIL = '00000000-0000-0000-0000-000000000000';
const remote = (url: string, searchApiKey: string | null = null) => ({
  url,
  searchApiKey,
  writeApiKey: null,
  status: 'available',
});

t.test('the network survives a restart, and dumps contain it without the name of the instance', async (t) => {
  const dumps = testFolder(t);
  const server = await startServer('--dump-dir', dumps);
  t.teardown(() => server.close());
  t.match(await server.call('GET', '/network'), { status: 400, body: { code: 'feature_not_enabled' } });
  await server.call('PATCH', '/experimental-features', { network: true });
  t.same((await server.call('GET', '/network')).body, { self: null, remotes: {}, shards: {}, leader: null, version: NIL });
  const body = `{"self": "here", "remotes": {"here": {"url": "http://a.example"}, "__proto__": {"url": "http://b.example", "searchApiKey": "s"}},
    "shards": {"constructor": {"remotes": ["here", "there"]}}}`;
  const first = (await server.call('PATCH', '/network', body)).body;
  t.match(first, { self: 'here', leader: null, version: /^[0-9a-f]{8}-[0-9a-f]{4}-7/ });
  t.same(Object.entries(first.remotes), [
    ['here', remote('http://a.example')],
    ['__proto__', remote('http://b.example', 's')],
  ]);
  t.same(Object.entries(first.shards), [['constructor', { remotes: ['here', 'there'] }]]);
  await server.task('POST', '/dumps');
  await server.restart();
  t.same((await server.call('GET', '/network')).body, first);

  const other = await startServer('--import-dump', onlyFile(dumps, '.dump'));
  t.teardown(() => other.close());
  const imported = (await other.call('GET', '/network')).body;
  t.same({ ...imported, self: 'here' }, first);
  t.equal(imported.self, null);
});

t.test('shards are validated and stored', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  await server.call('PATCH', '/experimental-features', { network: true });
  const shards = async (change: unknown) => (await server.call('PATCH', '/network', { shards: change })).body.shards;
  t.same(await shards({ a: { remotes: ['x', 'y'] }, b: { addRemotes: ['x'] } }), {
    a: { remotes: ['x', 'y'] },
    b: { remotes: ['x'] },
  });
  t.same(await shards({ a: { addRemotes: ['z', 'x'], removeRemotes: ['y'] } }), {
    a: { remotes: ['x', 'z'] },
    b: { remotes: ['x'] },
  });
  t.same(await shards({ b: { removeRemotes: ['x'] } }), { a: { remotes: ['x', 'z'] } }, 'an empty one disappears');
  t.same(await shards({ a: null }), {});
});

t.test('members that configure a leader are refused', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  t.match(await server.call('PATCH', '/network', { self: 5 }), { status: 400, body: { code: 'invalid_network_self' } });
  t.match(await server.call('POST', '/network/control'), { status: 400, body: { code: 'feature_not_enabled' } });
  await server.call('PATCH', '/experimental-features', { network: true });
  const refused = { status: 451, body: { code: 'requires_enterprise_edition' } };
  t.match(await server.call('PATCH', '/network', { leader: 'a', self: 'a' }), refused);
  t.match(await server.call('POST', '/network/control'), refused);
  t.match(await server.call('PATCH', '/network', { leader: null, self: 'b' }), {
    status: 200,
    body: { self: 'b', leader: null },
  });
  for (const name of ['previousRemotes', 'previousShards'])
    t.match(await server.call('PATCH', '/network', { [name]: null }), {
      status: 400,
      body: { code: 'unexpected_network_previous_remotes' },
    });
});
