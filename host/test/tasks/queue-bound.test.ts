import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { startServer, type TestServer } from '../server.js';

/** Bytes, of which 40 % are some tens of tasks. */
const BOUND = ['--task-queue-size-limit', '40 KiB', '--experimental-enable-metrics'];
const FROZEN = ['--experimental-max-number-of-batched-tasks', '0'];
const FULL = { status: 422, body: { code: 'no_space_left_on_device', type: 'system', message: /delete tasks that have ended/ } };

/** Adds documents until they are refused. @returns the number of accepted additions */
async function fill(server: TestServer): Promise<number> {
  for (let taken = 0; taken < 1000; taken++) {
    const { status } = await server.call('POST', '/indexes/a/documents', { id: taken, text: 'word '.repeat(100) });
    if (status !== 202) return taken;
  }
  throw new Error('the queue has no bound');
}

async function gauge(server: TestServer, name: string): Promise<number> {
  const { body } = await server.call('GET', '/metrics');
  return Number(new RegExp(`^meilisearch_task_queue_${name} (\\d+)`, 'm').exec(body)![1]);
}

t.test('a full queue accepts only tasks that make it smaller', async (t) => {
  const server = await startServer(...BOUND, ...FROZEN);
  t.teardown(() => server.close());
  t.equal(await gauge(server, 'max_size'), 40 * 1024);
  const taken = await fill(server);
  t.ok(taken > 5 && taken < 40, `${taken} tasks`);
  t.ok((await gauge(server, 'used_size')) >= 16 * 1024);
  t.equal(await gauge(server, 'size_until_stop_registering'), 0);
  const large = { id: 1, text: 'long '.repeat(30_000) };
  const refused: [string, string, unknown?][] = [
    ['POST', '/indexes/a/documents', { id: 1 }],
    ['POST', '/indexes/a/documents', large],
    ['POST', '/indexes', { uid: 'b' }],
    ['DELETE', '/indexes/a/documents'],
    ['POST', '/dumps'],
    ['POST', '/snapshots'],
    ['POST', '/tasks/cancel?uids=9999'],
    ['DELETE', '/tasks?uids=9999'],
  ];
  for (const [method, route, body] of refused) t.match(await server.call(method, route, body), FULL, `${method} ${route}`);
  t.same(fs.readdirSync(path.join(server.folder, 'payloads')), [], 'what is refused leaves no file');
  t.equal((await server.call('GET', '/tasks')).body.total, taken, 'reads go on');

  await server.restart(...BOUND, ...FROZEN);
  t.match(await server.call('POST', '/indexes', { uid: 'b' }), FULL, 'a launch knows how big the queue is');
  t.match(await server.task('POST', '/tasks/cancel?statuses=enqueued'), {
    status: 'succeeded',
    details: { canceledTasks: taken },
  });
  const deletion = await server.task('DELETE', '/tasks?statuses=canceled');
  t.match(deletion, { status: 'succeeded', details: { deletedTasks: taken } });
  t.equal((await server.call('POST', '/indexes/a/documents', { id: 1 })).status, 202, 'there is room again');
});

t.test('the size of the queue is the same after a restart', async (t) => {
  const server = await startServer(...BOUND);
  t.teardown(() => server.close());
  for (let i = 0; i < 8; i++) await server.task('POST', `/indexes/index${i % 2}/documents`, [{ id: i, text: 'word' }]);
  await server.task('POST', '/swap-indexes', [{ indexes: ['index0', 'index1'] }]);
  await server.task('DELETE', '/tasks?uids=0,1,2,3');
  const used = await gauge(server, 'used_size');
  t.ok(used > 1000);
  await server.restart(...BOUND);
  t.equal(await gauge(server, 'used_size'), used);
});
