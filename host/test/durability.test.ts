import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { seededRandom } from '../../bindings/test/random.js';
import { finished, request } from './server.js';

/**
 * The process is killed at random moments while several clients write. What was acknowledged must be there afterwards,
 * once, and the queue must go on by itself.
 */
const KILLS = 20;
const CLIENTS = 3;
/** A kill comes after up to so many more acknowledged writes, and up to so many milliseconds. */
const LIFE = { writes: 8, pause: 60 };
const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

interface Acknowledged {
  taskUid: number;
  indexUid: string;
  type: string;
  ids: number[];
}

async function launch(folder: string): Promise<{ child: ChildProcess; url: string }> {
  const flags = ['--db-path', folder, '--http-addr', '127.0.0.1:0', '--no-analytics', '--log-level', 'ERROR'];
  const child = spawn(process.execPath, [MAIN, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout!.on('data', (chunk) => {
      output += chunk;
      const address = /listening on +(http:\S+)/.exec(output)?.[1];
      if (address) resolve(address);
    });
    child.once('exit', (code) => reject(new Error(`the service ended with ${code} before it listened: ${output}`)));
  });
  return { child, url };
}

function killed(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

t.test('no acknowledged write is lost by kills', { timeout: 200_000 }, async (t) => {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'peregrine-kill-'));
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }));
  const acknowledged: Acknowledged[] = [];
  let nextId = 0;

  /** Writes until the service is gone. */
  const write = async (url: string, client: number) => {
    const indexUid = `index${client}`;
    for (;;) {
      const settings = random.int(12) === 0;
      const ids = settings ? [] : Array.from({ length: 1 + random.int(40) }, () => nextId++);
      const documents = ids.map((id) => ({ id, client, text: `word${id % 97} and more words ${id}` }));
      const call: [string, string, unknown] = settings
        ? ['PATCH', `/indexes/${indexUid}/settings`, { stopWords: [`w${random.int(9)}`] }]
        : ['POST', `/indexes/${indexUid}/documents`, documents];
      try {
        const { status, body } = await request(url, ...call);
        if (status === 202) acknowledged.push({ taskUid: body.taskUid, indexUid, type: body.type, ids });
        else t.fail(`${call[1]}: ${status} ${JSON.stringify(body)}`);
      } catch {
        return;
      }
    }
  };

  for (let kill = 0; kill < KILLS; kill++) {
    const { child, url } = await launch(folder);
    const clients = Array.from({ length: CLIENTS }, (_, client) => write(url, client));
    const enough = acknowledged.length + random.int(LIFE.writes);
    while (acknowledged.length < enough) await pause(1);
    await pause(random.int(LIFE.pause));
    await killed(child);
    await Promise.all(clients);
  }

  const { child, url } = await launch(folder);
  t.teardown(() => killed(child));
  t.ok(acknowledged.length >= KILLS, `${acknowledged.length} acknowledged writes`);
  t.equal(new Set(acknowledged.map(({ taskUid }) => taskUid)).size, acknowledged.length, 'no uid is given twice');
  const lost: unknown[] = [];
  for (const write of acknowledged) {
    const task = await finished(url, write.taskUid);
    const same = task.status === 'succeeded' && task.indexUid === write.indexUid && task.type === write.type;
    const batch = same && (await request(url, 'GET', `/batches/${task.batchUid}`));
    if (!(batch && batch.status === 200)) lost.push({ write, task });
  }
  t.same(lost, [], 'every acknowledged task has succeeded, in a batch that is known');

  for (let client = 0; client < CLIENTS; client++) {
    const { body } = await request(url, 'POST', `/indexes/index${client}/documents/fetch`, { limit: 1e6, fields: ['id'] });
    const stored: number[] = body.results.map(({ id }: { id: number }) => id);
    const wanted = acknowledged.filter(({ indexUid }) => indexUid === `index${client}`).flatMap(({ ids }) => ids);
    t.equal(new Set(stored).size, stored.length, 'no document is there twice');
    const have = new Set(stored);
    t.same(
      wanted.filter((id) => !have.has(id)),
      [],
      `index${client}: all of ${wanted.length} documents`,
    );
    const { body: stats } = await request(url, 'GET', `/indexes/index${client}/stats`);
    t.equal(stats.numberOfDocuments, stored.length);
    if (wanted.length === 0) continue;
    const { body: found } = await request(url, 'POST', `/indexes/index${client}/search`, { q: `${wanted[0]}`, limit: 1000 });
    t.ok(
      found.hits.some(({ id }: { id: number }) => id === wanted[0]),
      'and they are found',
    );
  }
  const idle = async () => (await request(url, 'GET', '/tasks?statuses=enqueued,processing')).body.total;
  for (let i = 0; i < 500 && (await idle()) > 0; i++) await pause(10);
  t.same(fs.readdirSync(path.join(folder, 'payloads')), [], 'no payload is left behind');
});
