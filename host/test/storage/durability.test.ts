import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { seededRandom } from '../../../bindings/test/random.js';
import { finished, request } from '../server.js';
import { testFolder } from '../support/folders.js';
import { kill, launchProcess } from '../support/process.js';
import { until } from '../support/until.js';

/**
 * The process is killed at random moments while several clients write. Afterwards every acknowledged write must be present
 * exactly once, and the queue must continue by itself.
 */
const KILLS = Number(process.env.KILLS ?? 4);
const CLIENTS = 3;
/** The process is killed after up to this many further acknowledged writes, and up to this many milliseconds. */
const LIFE = { writes: 8, pause: 60 };

interface Acknowledged {
  taskUid: number;
  indexUid: string;
  type: string;
  ids: number[];
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

t.test('no acknowledged write is lost by kills', async (t) => {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  const folder = testFolder(t);
  const acknowledged: Acknowledged[] = [];
  let nextId = 0;

  /** Writes until the server has ended. */
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

  for (let round = 0; round < KILLS; round++) {
    const { child, url: listening } = launchProcess(folder);
    const url = await listening;
    const clients = Array.from({ length: CLIENTS }, (_, client) => write(url, client));
    const enough = acknowledged.length + random.int(LIFE.writes);
    while (acknowledged.length < enough) await pause(1);
    await pause(random.int(LIFE.pause));
    await kill(child);
    await Promise.all(clients);
  }

  const { child, url: listening } = launchProcess(folder);
  const url = await listening;
  t.teardown(() => kill(child));
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
  await until('the queue is empty', async () => (await idle()) === 0);
  t.same(fs.readdirSync(path.join(folder, 'payloads')), [], 'no payload is left behind');
});
