import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { finished, request, startServer } from '../server.js';
import { smallDisk } from '../support/disk.js';
import { kill, launchProcess } from '../support/process.js';
import { until } from '../support/until.js';

const DISK = '20m';
/** Texts that hardly compress: two payloads fit the disk, their segments do not. */
const payload = (documents: number) =>
  Array.from({ length: documents }, (_, id) => JSON.stringify({ id, text: randomText(id) })).join('\n');

function randomText(seed: number): string {
  let state = (seed + 1) * 2654435761;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state.toString(36);
  };
  return Array.from({ length: 120 }, next).join(' ');
}

t.test('a full disk fails the task with a clear error, and searches go on', async (t) => {
  const folder = smallDisk(t, DISK);
  if (folder === null) return;
  const server = await startServer('--db-path', path.join(folder, 'db'));
  t.teardown(() => server.close());
  await server.task('POST', '/indexes/a/documents', [{ id: 1, text: 'hello world' }]);
  const body = payload(4000);
  const headers = { 'content-type': 'application/x-ndjson' };
  const codes = new Set<string>();
  for (let i = 0; i < 5; i++) {
    const answer = await server.call('POST', `/indexes/b${i}/documents`, body, headers);
    const code = answer.status === 202 ? (await server.finished(answer.body.taskUid)).error?.code : answer.body.code;
    if (code) codes.add(code);
  }
  t.same([...codes], ['no_space_left_on_device'], 'all that failed says why');
  const { body: found } = await server.call('POST', '/indexes/a/search', { q: 'hellp' });
  t.same(found.hits, [{ id: 1, text: 'hello world' }], 'searches are answered');
  const { body: tasks } = await server.call('GET', '/tasks?statuses=enqueued,processing');
  t.equal(tasks.total, 0, 'nothing is stuck');
  await server.task('DELETE', '/indexes/b0');
  const small = await server.task('POST', '/indexes/a/documents', [{ id: 2, text: 'again' }]);
  t.equal(small.status, 'succeeded', 'what fits is taken again');
});

/** Writes a file until the disk is full; repeatedly occupies the space that becomes free. */
function fill(folder: string): void {
  const fd = fs.openSync(path.join(folder, 'filler'), 'a');
  try {
    for (const size of [1 << 20, 4096, 64]) {
      const block = Buffer.alloc(size);
      try {
        while (fs.writeSync(fd, block) === size);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  } finally {
    fs.closeSync(fd);
  }
}

const ROUNDS = 100;

t.test('on a full disk reads work, writes are refused, and the server can be restarted', async (t) => {
  const folder = smallDisk(t, '64m');
  if (folder === null) return;
  const database = path.join(folder, 'db');
  let { child, url } = launchProcess(database);
  t.teardown(() => kill(child));
  const write = async (id: number) => request(await url, 'POST', '/indexes/a/documents', [{ id, text: 'hello world' }]);
  const reads = async () => {
    const { body } = await request(await url, 'POST', '/indexes/a/search', { q: 'hellp' });
    const { status } = await request(await url, 'GET', '/batches');
    const tasks = await request(await url, 'GET', '/tasks/0');
    return [body.hits[0], status, tasks.body.status];
  };
  const sound = [{ id: 1, text: 'hello world' }, 200, 'succeeded'];
  await finished(await url, (await write(1)).body.taskUid);

  const filling = setInterval(() => fill(folder), 20);
  t.teardown(() => clearInterval(filling));
  fill(folder);
  const refused = new Map<string, number>();
  const acknowledged: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const writes = Array.from({ length: 8 }, (_, i) => write(2 + 8 * round + i));
    const lists = Array.from({ length: 8 }, async () => request(await url, 'GET', '/batches'));
    for (const { status, body } of await Promise.all(writes)) {
      if (status === 202) acknowledged.push(body.taskUid);
      else refused.set(`${status} ${body.code}`, (refused.get(`${status} ${body.code}`) ?? 0) + 1);
    }
    const failed = (await Promise.all(lists)).filter(({ status }) => status !== 200);
    if (failed.length > 0) t.same(failed, [], 'lists are answered');
  }
  t.comment(`${acknowledged.length} writes taken, refused:`, Object.fromEntries(refused));
  t.same([...refused.keys()], ['422 no_space_left_on_device'], 'all that was refused says why');
  t.same(await reads(), sound);
  t.equal(child.exitCode ?? child.signalCode, null, 'the process lives');

  for (const way of ['SIGTERM', 'SIGKILL'] as const) {
    child.kill(way);
    await until('the process ends', () => child.exitCode !== null || child.signalCode !== null);
    fill(folder);
    ({ child, url } = launchProcess(database));
    t.same(await reads(), sound, `after a start on a full disk (${way})`);
    t.equal((await write(1)).body.code, 'no_space_left_on_device');
  }
  clearInterval(filling);
  fs.rmSync(path.join(folder, 'filler'));
  const again = await until('writes are taken again', async () => {
    const { status, body } = await write(1);
    return status === 202 && body;
  });
  t.equal((await finished(await url, again.taskUid)).status, 'succeeded');
  for (const uid of acknowledged) {
    const { status } = await finished(await url, uid);
    t.ok(status === 'succeeded' || status === 'failed', `task ${uid}, which was acknowledged, has ended`);
  }
});
