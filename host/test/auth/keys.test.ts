import { createHmac } from 'node:crypto';
import t from 'tap';
import { keyValue } from '../../auth/keys.js';
import { ACTIONS, expandActions, isGlobal } from '../../auth/rights.js';
import { startServer } from '../server.js';

const MASTER = 'a master key for tests';
const search = { actions: ['search'], indexes: ['*'], expiresAt: null };

t.test('the value of a key follows from the master key and the uid', async (t) => {
  t.equal(
    keyValue('MASTER_KEY', '4bc0887a-0e41-4f3b-935d-0c451dcee9c8'),
    'd9e776b8412f1db6974c9a5556b961c3559440b6588216f4ea5d9ed49f7c8f3c',
  );
  t.equal(
    keyValue('MASTER_KEY', '00000000-0000-0000-0000-000000000000'),
    'aeb94973e0b6e912d94165430bbe87dee91a7c4f891ce19050c3910ec96977e9',
  );
});

t.test('wildcards of actions such as `documents.*` include their actions', async (t) => {
  t.same([...expandActions(['documents.*'])].sort(), ['documents.*', 'documents.add', 'documents.delete', 'documents.get']);
  t.ok(expandActions(['tasks.*']).has('tasks.compact'));
  t.equal(expandActions(['*']).size, ACTIONS.length);
  const reads = expandActions(['*.get']);
  t.same(
    ['search', 'documents.get', 'export', 'keys.get', 'chatCompletions', 'documents.add'].map((name) => reads.has(name)),
    [true, true, true, false, false, false],
  );
  const bound = ACTIONS.filter((name) => !isGlobal(name));
  t.same(bound, [
    '*',
    'search',
    'documents.*',
    'documents.add',
    'documents.get',
    'documents.delete',
    'indexes.*',
    'indexes.create',
    'indexes.get',
    'indexes.update',
    'indexes.delete',
    'indexes.swap',
    'tasks.*',
    'tasks.cancel',
    'tasks.delete',
    'tasks.get',
    'settings.*',
    'settings.get',
    'settings.update',
    'stats.*',
    'stats.get',
    'chatCompletions',
    '*.get',
    'indexes.compact',
    'fields.post',
  ]);
});

t.test('API keys over HTTP', async (t) => {
  const server = await startServer('--master-key', MASTER);
  t.teardown(server.close);
  const create = (members: object) => server.call('POST', '/keys', { ...search, ...members });

  t.test('a new service has the default keys', async (t) => {
    const { body } = await server.call('GET', '/keys');
    t.same(
      body.results.map(({ name, actions }: { name: string; actions: string[] }) => [name, ...actions]),
      [
        ['Default Search API Key', 'search'],
        ['Default Admin API Key', '*'],
        ['Default Read-Only Admin API Key', '*.get', 'keys.get'],
        ['Default Chat API Key', 'chatCompletions', 'search'],
      ],
    );
    for (const { key, uid, indexes, expiresAt } of body.results) {
      t.equal(key, createHmac('sha256', MASTER).update(uid).digest('hex'));
      t.same([indexes, expiresAt], [['*'], null]);
    }
  });

  t.test('a key is made, found by uid and by value, changed and deleted', async (t) => {
    const { status, body } = await create({ name: 'front', indexes: ['books', 'news_*'], expiresAt: '2999-06-01 10:00:00' });
    t.equal(status, 201);
    t.match(body, { name: 'front', description: null, indexes: ['books', 'news_*'], expiresAt: '2999-06-01T10:00:00Z' });
    for (const identifier of [body.uid, body.uid.toUpperCase(), body.uid.replaceAll('-', ''), body.key])
      t.same((await server.call('GET', `/keys/${identifier}`)).body, body);
    const changed = await server.call('PATCH', `/keys/${body.key}`, { description: 'for the shop' });
    t.match(changed, { status: 200, body: { name: 'front', description: 'for the shop', createdAt: body.createdAt } });
    t.ok(changed.body.updatedAt > body.updatedAt);
    t.equal((await server.call('GET', '/keys?limit=1')).body.results[0].uid, body.uid, 'an update moves nothing');
    t.equal((await server.call('DELETE', `/keys/${body.uid}`)).status, 204);
    t.match(await server.call('GET', `/keys/${body.key}`), { status: 404, body: { code: 'api_key_not_found' } });
    const again = await create({ uid: body.uid });
    t.equal(again.body.key, body.key, 'the uid gives the same value again');
    t.match(await create({ uid: body.uid }), { status: 409, body: { code: 'api_key_already_exists' } });
  });

  t.test('invalid keys are refused', async (t) => {
    const refused: [object, string][] = [
      [{ name: 5 }, 'invalid_api_key_name'],
      [{ description: [] }, 'invalid_api_key_description'],
      [{ uid: null }, 'invalid_api_key_uid'],
      [{ uid: 'front' }, 'invalid_api_key_uid'],
      [{ uid: '4bc0887a0-e41-4f3b-935d-0c451dcee9c8' }, 'invalid_api_key_uid'],
      [{ actions: ['search', 'find'] }, 'invalid_api_key_actions'],
      [{ indexes: ['a b'] }, 'invalid_api_key_indexes'],
      [{ indexes: ['*a'] }, 'invalid_api_key_indexes'],
      [{ indexes: ['a**'] }, 'invalid_api_key_indexes'],
      [{ expiresAt: '2001-01-01' }, 'invalid_api_key_expires_at'],
      [{ expiresAt: '2999-02-30' }, 'invalid_api_key_expires_at'],
      [{ expiresAt: '2999-01-01T10:00' }, 'invalid_api_key_expires_at'],
      [{ expiresAt: '9999-12-31T23:59:59-01:00' }, 'invalid_api_key_expires_at'],
      [{ expiresAt: undefined }, 'missing_api_key_expires_at'],
      [{ actions: undefined, indexes: undefined }, 'missing_api_key_actions'],
      [{ key: 'x' }, 'bad_request'],
      [{ actions: ['search', 'dumps.*'], indexes: ['books'] }, 'index_scoped_api_key_with_global_action'],
    ];
    for (const [members, code] of refused)
      t.match(await create(members), { status: 400, body: { code } }, JSON.stringify(members));
    for (const [member, code] of Object.entries({ uid: 'uid', expiresAt: 'expires_at', createdAt: 'created_at' }))
      t.match(await server.call('PATCH', '/keys/none', { [member]: null }), { body: { code: `immutable_api_key_${code}` } });
    t.match(await server.call('GET', '/keys?limit=x'), { status: 400, body: { code: 'invalid_api_key_limit' } });
  });

  t.test('only the master key opens the keys', async (t) => {
    const { key } = (await create({ actions: ['*', 'keys.get'] })).body;
    for (const token of [key, 'nothing'])
      t.match(await server.call('GET', '/keys', undefined, { authorization: `Bearer ${token}` }), {
        status: 403,
        body: { code: 'invalid_api_key' },
      });
  });

  t.test('keys survive a restart; another master key changes every value and no uid', async (t) => {
    const { body: before } = await server.call('GET', '/keys');
    await server.restart('--master-key', MASTER);
    t.same((await server.call('GET', '/keys')).body, before);
    await server.restart('--master-key', `${MASTER}!`);
    const { body: after } = await server.call('GET', '/keys');
    t.same(
      after.results.map(({ uid }: { uid: string }) => uid),
      before.results.map(({ uid }: { uid: string }) => uid),
    );
    t.not(after.results[0].key, before.results[0].key);
    const old = { authorization: `Bearer ${before.results[0].key}` };
    t.match(await server.call('GET', '/tasks', undefined, old), { status: 403, body: { code: 'invalid_api_key' } });
    await server.restart();
    t.match(await server.call('GET', '/keys'), { status: 401, body: { code: 'missing_master_key' } });
    t.equal((await server.call('GET', '/tasks', undefined, old)).status, 200, 'without a master key every route is open');
  });
});

t.test('the ledger contains no value of a key', async (t) => {
  const server = await startServer('--master-key', MASTER);
  t.teardown(server.close);
  const { body } = await server.call('GET', '/keys');
  const { Ledger } = await import('../../storage/ledger/ledger.js');
  await server.restart('--master-key', MASTER, '--db-path', `${server.folder}/other`);
  const ledger = await Ledger.open(`${server.folder}/ledger`);
  const stored: string[] = [];
  for await (const [, value] of ledger.iterate('key/')) stored.push(value.toString());
  await ledger.close();
  t.equal(stored.length, 4);
  for (const { key } of body.results) t.notOk(stored.some((text) => text.includes(key)));
});
