import t from 'tap';
import { OPEN } from '../../auth/actions.js';
import { ACTIONS } from '../../auth/rights.js';
import { ROUTES } from '../../http/route-table.js';
import { startServer } from '../server.js';
import { expiringSoon } from '../support/expiring.js';
import { until } from '../support/until.js';

const MASTER = 'a master key for tests';

t.test('every action of a route is one that keys can have', async (t) => {
  for (const [route, { action }] of Object.entries(ROUTES)) {
    if (action === OPEN || route.includes(' /keys')) continue;
    for (const name of [action].flat()) t.ok(ACTIONS.includes(name), `${route}: ${name}`);
  }
});

/** Public routes; their answers contain no data. */
const OPEN_ROUTES = ['GET /', 'GET /health', 'GET /docs/errors', 'GET /openapi.json'];

t.test('in production only the public routes answer without a key', async (t) => {
  const server = await startServer('--master-key', MASTER, '--env', 'production');
  t.teardown(server.close);
  for (const route of Object.keys(ROUTES)) {
    const [method, url] = route.split(' ') as [string, string];
    const { status } = await server.call(method, url.replaceAll(/:\w+/g, 'x'), undefined, { authorization: '' });
    t.equal(status, OPEN_ROUTES.includes(route) ? 200 : 401, route);
  }
});

t.test('routes over HTTP require their actions', async (t) => {
  const server = await startServer('--master-key', MASTER);
  t.teardown(server.close);
  const keyFor = async (actions: string[], indexes: string[] = ['*'], expiresAt: string | null = null) => {
    const { body } = await server.call('POST', '/keys', { actions, indexes, expiresAt });
    return { authorization: `Bearer ${body.key}` };
  };
  const refused = { status: 403, body: { code: 'invalid_api_key', type: 'auth' } };
  for (const uid of ['books', 'news_fr', 'news_en'])
    await server.task('POST', `/indexes/${uid}/documents?primaryKey=id`, [{ id: 1, kind: uid }]);

  t.test('malformed authorization headers are refused', async (t) => {
    const headers: [Record<string, string>, number, string][] = [
      [{ authorization: '' }, 401, 'missing_authorization_header'],
      [{ authorization: MASTER }, 401, 'missing_authorization_header'],
      [{ authorization: `bearer ${MASTER}` }, 401, 'missing_authorization_header'],
      [{ authorization: 'Bearer ' }, 403, 'invalid_api_key'],
      [{ authorization: 'Bearer nothing' }, 403, 'invalid_api_key'],
    ];
    for (const [header, status, code] of headers) {
      t.match(await server.call('GET', '/tasks', undefined, header), { status, body: { code } }, JSON.stringify(header));
      t.equal((await server.call('GET', '/health', undefined, header)).status, 200);
    }
    const without = await fetch(`${server.url}/tasks`);
    t.same([without.status, (await without.json()).code], [401, 'missing_authorization_header']);
    t.equal((await fetch(`${server.url}/nowhere`)).status, 404, 'an unknown path needs no key');
    t.equal((await fetch(`${server.url}/tasks`, { method: 'PUT' })).status, 405);
  });

  t.test('a key permits the routes of its action and no others', async (t) => {
    // A valid request for each action; without the right it is refused before it is read.
    const requests: [string, string, string, unknown?][] = [
      ['search', 'POST', '/indexes/books/search', {}],
      ['search', 'GET', '/indexes/books/search'],
      ['search', 'POST', '/indexes/books/facet-search', { facetName: 'kind' }],
      ['documents.get', 'GET', '/indexes/books/documents'],
      ['documents.get', 'POST', '/indexes/books/documents/fetch', {}],
      ['documents.get', 'GET', '/indexes/books/documents/1'],
      ['documents.add', 'POST', '/indexes/books/documents', []],
      ['documents.add', 'PUT', '/indexes/books/documents', []],
      ['documents.delete', 'DELETE', '/indexes/books/documents/none'],
      ['documents.delete', 'POST', '/indexes/books/documents/delete-batch', []],
      ['indexes.get', 'GET', '/indexes'],
      ['indexes.get', 'GET', '/indexes/books'],
      ['indexes.update', 'PATCH', '/indexes/books', {}],
      ['indexes.swap', 'POST', '/swap-indexes', []],
      ['indexes.compact', 'POST', '/indexes/books/compact'],
      ['fields.post', 'POST', '/indexes/books/fields', {}],
      ['settings.get', 'GET', '/indexes/books/settings'],
      ['settings.get', 'GET', '/indexes/books/settings/stop-words'],
      ['settings.update', 'PATCH', '/indexes/books/settings', {}],
      ['settings.update', 'PUT', '/indexes/books/settings/stop-words', []],
      ['stats.get', 'GET', '/stats'],
      ['stats.get', 'GET', '/indexes/books/stats'],
      ['tasks.get', 'GET', '/tasks'],
      ['tasks.get', 'GET', '/batches'],
      ['tasks.cancel', 'POST', '/tasks/cancel?uids=4000'],
      ['tasks.delete', 'DELETE', '/tasks?uids=4000'],
      ['version', 'GET', '/version'],
      ['experimental.get', 'GET', '/experimental-features'],
      ['experimental.update', 'PATCH', '/experimental-features', {}],
      ['webhooks.get', 'GET', '/webhooks'],
    ];
    const actions = [...new Set(requests.map(([action]) => action))];
    for (const action of actions) {
      const key = await keyFor([action]);
      for (const [needed, method, route, body] of requests) {
        const { status } = await server.call(method, route, body, key);
        if (needed !== action) t.equal(status, 403, `${action} does not open ${method} ${route}`);
        else t.not(status, 403, `${action} opens ${method} ${route}`);
      }
    }
  });

  t.test('an expired key and one without indexes permit nothing', async (t) => {
    const none = await keyFor(['*'], []);
    for (const route of ['/indexes', '/version', '/tasks', '/indexes/books'])
      t.match(await server.call('GET', route, undefined, none), refused);
    const short = await expiringSoon(
      (expiresAt) => keyFor(['indexes.get'], ['*'], expiresAt),
      async (key) => (await server.call('GET', '/indexes', undefined, key)).status === 200,
    );
    const late = () => server.call('GET', '/indexes', undefined, short);
    await until('the key expires', async () => (await late()).status !== 200);
    t.match(await late(), refused);
  });

  t.test('a key for some indexes: routes of one index', async (t) => {
    const key = await keyFor(['*'], ['news_*']);
    t.equal((await server.call('GET', '/indexes/news_fr', undefined, key)).status, 200);
    for (const uid of ['books', 'News_fr', 'missing', 'a b', 'x-news_'])
      t.match(await server.call('GET', `/indexes/${encodeURIComponent(uid)}`, undefined, key), refused, uid);
    t.match(await server.call('GET', '/indexes/news_', undefined, key), { body: { code: 'index_not_found' } });
    const together = (...uids: string[]) => ({ queries: uids.map((indexUid) => ({ indexUid })) });
    t.match(await server.call('POST', '/multi-search', together('news_fr', 'news_'), key), {
      status: 404,
      body: { code: 'index_not_found', message: /queries\[1\]/ },
    });
    t.match(await server.call('POST', '/multi-search', together('news_fr', 'missing'), key), refused);
    for (const uid of ['books', 'missing']) {
      const facets = { queries: [{ indexUid: 'news_fr' }], federation: { facetsByIndex: { [uid]: [] } } };
      const { status, body } = await server.call('POST', '/multi-search', facets, key);
      t.same([status, body.facetsByIndex], [200, undefined], `facets of ${uid} are left out, whether it exists or not`);
    }
    t.match(await server.call('POST', '/indexes', { uid: 'books2' }, key), refused);
    t.match(await server.call('POST', '/indexes', { uid: 'a b' }, key), { body: { code: 'invalid_index_uid' } });
    t.match(await server.call('PATCH', '/indexes/news_fr', { uid: 'books2' }, key), refused);
    t.match(await server.call('POST', '/swap-indexes', [{ indexes: ['news_fr', 'books'] }], key), refused);
    for (const route of ['/version', '/experimental-features', '/webhooks'])
      t.match(await server.call('GET', route, undefined, key), refused, route);
  });

  t.test('a key for some indexes: lists and statistics show only these', async (t) => {
    const key = await keyFor(['*'], ['news_*']);
    const { body } = await server.call('GET', '/indexes', undefined, key);
    t.same([body.total, body.results.map(({ uid }: { uid: string }) => uid)], [2, ['news_en', 'news_fr']]);
    const stats = (await server.call('GET', '/stats', undefined, key)).body;
    t.same(Object.keys(stats.indexes), ['news_en', 'news_fr']);
    t.ok(stats.databaseSize > 0 && stats.databaseSize < (await server.call('GET', '/stats')).body.databaseSize);
  });

  t.test('a key for some indexes: tasks and batches', async (t) => {
    const key = await keyFor(['tasks.*'], ['news_*']);
    await server.task('POST', '/indexes', { uid: 'news_old' });
    const mine = await server.task('PATCH', '/indexes/news_fr', {});
    const other = await server.task('PATCH', '/indexes/books', {});
    const swap = await server.task('POST', '/swap-indexes', [{ indexes: ['news_fr', 'news_en'] }]);
    const rename = await server.task('PATCH', '/indexes/news_old', { uid: 'plants' });
    const uids = [mine, other, swap, rename].map(({ uid }) => uid);
    const list = (await server.call('GET', `/tasks?uids=${uids}`, undefined, key)).body;
    t.same([list.total, list.results.map(({ uid }: { uid: number }) => uid)], [4, [mine.uid]]);
    const found = await Promise.all(uids.map((uid) => server.call('GET', `/tasks/${uid}`, undefined, key)));
    t.same(
      found.map(({ status }) => status),
      [200, 404, 404, 404],
    );
    const batches = (await server.call('GET', '/batches?limit=1000', undefined, key)).body.results;
    const shown = new Set(batches.map(({ uid }: { uid: number }) => uid));
    t.same(
      [mine, other, swap, rename].map(({ batchUid }) => shown.has(batchUid)),
      // a batch is visible if one of its indexes is allowed, a task if all of them are
      [true, false, false, true],
    );
    const one = await Promise.all([mine, swap].map(({ batchUid }) => server.call('GET', `/batches/${batchUid}`, undefined, key)));
    t.same(
      one.map(({ status }) => status),
      [200, 404],
    );
    const removal = await server.call('DELETE', `/tasks?uids=${uids}`, undefined, key);
    t.match(await server.finished(removal.body.taskUid), { details: { matchedTasks: 1, deletedTasks: 1 } });
    t.equal((await server.call('GET', `/tasks/${removal.body.taskUid}`, undefined, key)).status, 404);
  });

  t.test('creating an index requires its action, also when documents create it', async (t) => {
    const key = await keyFor(['documents.add', 'settings.update', 'tasks.get'], ['*']);
    const failing = [
      await server.call('POST', '/indexes/fresh/documents', [{ id: 1 }], key),
      await server.call('PATCH', '/indexes/fresh/settings', { stopWords: ['a'] }, key),
    ];
    for (const { status, body } of failing) {
      t.equal(status, 202);
      t.match(await server.finished(body.taskUid), { status: 'failed', error: { code: 'index_not_found' } });
    }
    const creating = await keyFor(['documents.add', 'indexes.create'], ['fr*']);
    const { body } = await server.call('POST', '/indexes/fresh/documents', [{ id: 1 }], creating);
    t.match(await server.finished(body.taskUid), { status: 'succeeded' });
    const onExisting = await server.call('POST', '/indexes/fresh/documents', [{ id: 2 }], key);
    t.match(await server.finished(onExisting.body.taskUid), { status: 'succeeded' });
  });
});
