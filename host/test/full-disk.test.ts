import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { startServer } from './server.js';

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

/** A file system of its own, as small as asked; null where that is not allowed. */
function smallDisk(): string | null {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'peregrine-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', folder], { stdio: 'ignore' });
    return folder;
  } catch {
    fs.rmdirSync(folder);
    return null;
  }
}

t.test('a full disk fails the task with a clear error, and searches go on', async (t) => {
  const folder = smallDisk();
  if (folder === null) {
    t.comment('this needs the right to mount a small file system');
    return;
  }
  const server = await startServer('--db-path', path.join(folder, 'db'));
  t.teardown(async () => {
    await server.close();
    execFileSync('umount', ['-l', folder]);
    fs.rmdirSync(folder);
  });
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
