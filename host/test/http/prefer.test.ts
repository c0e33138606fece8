import t from 'tap';
import { preferredWait } from '../../http/prefer.js';
import { startServer } from '../server.js';

t.test('the header Prefer is parsed', async (t) => {
  const cases: [string | undefined, number | null][] = [
    [undefined, null],
    ['wait=5', 5],
    ['Wait = 5', 5],
    ['wait="7"', 7],
    ['respond-async, wait=3', 3],
    ['wait=3; foo=bar, wait=9', 3],
    ['wait=600', 60],
    ['wait=0', 0],
    ['wait', null],
    ['wait=-1', null],
    ['wait=1.5', null],
    ['wait=5x', null],
    ['return=minimal', null],
  ];
  for (const [header, seconds] of cases) t.equal(preferredWait(header), seconds, String(header));
});

t.test('a client that prefers to wait gets the ended task', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  const wait = { prefer: 'wait=30' };

  const created = await server.call('POST', '/indexes', { uid: 'a', primaryKey: 'id' }, wait);
  t.match(created, { status: 200, body: { uid: 0, status: 'succeeded', details: { primaryKey: 'id' } } });
  t.equal(created.headers.get('preference-applied'), 'wait');
  t.same(created.body, (await server.call('GET', '/tasks/0')).body);

  const writes: [string, string, unknown][] = [
    ['POST', '/indexes/a/documents', [{ id: 1 }]],
    ['PATCH', '/indexes/a/settings', { sortableAttributes: ['id'] }],
    ['PUT', '/indexes/a/settings/stop-words', ['the']],
    ['POST', '/indexes/a/documents/delete-batch', [1]],
    ['POST', '/tasks/cancel?uids=0', undefined],
    ['DELETE', '/indexes/a', undefined],
  ];
  for (const [method, route, body] of writes) {
    const answer = await server.call(method, route, body, wait);
    t.match(answer, { status: 200, body: { status: 'succeeded', finishedAt: String } }, `${method} ${route}`);
    t.equal(answer.headers.get('preference-applied'), 'wait');
  }

  const failed = await server.call('DELETE', '/indexes/a', undefined, wait);
  t.match(failed, { status: 200, body: { status: 'failed', error: { code: 'index_not_found' } } });
});

t.test('a task that takes longer is answered as usual', async (t) => {
  const server = await startServer('--experimental-max-number-of-batched-tasks', '0');
  t.teardown(() => server.close());
  for (const prefer of ['wait=0', 'wait=1', 'respond-async']) {
    const answer = await server.call('POST', '/indexes', { uid: 'a' }, { prefer });
    t.match(answer, { status: 202, body: { status: 'enqueued', taskUid: Number } });
    t.equal(answer.headers.get('preference-applied'), null);
  }
});
