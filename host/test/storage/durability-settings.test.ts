import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { seededRandom } from '../../../bindings/test/random.js';
import { finished, request } from '../server.js';
import { testFolder } from '../support/folders.js';
import { kill, launchProcess } from '../support/process.js';

/** The process is killed while a change of settings rebuilds an index, and while documents are deleted. */
const ROUNDS = Number(process.env.ROUNDS ?? 1);
const COUNT = 2000;
const DOCUMENTS = Array.from({ length: COUNT }, (_, id) => ({
  id,
  kind: id % 4,
  text: `visible word${id % 100} ${'some text to index '.repeat(5)}`,
  note: 'hidden',
}));
const SETTINGS = { searchableAttributes: ['text'], filterableAttributes: ['kind'] };
const REBUILT = { searchableAttributes: ['note', 'text'], filterableAttributes: ['kind', 'id'] };

interface Change {
  what: string;
  call: [method: string, route: string, body?: unknown];
  /** The results of a search for `q` before and after the change; no other result is allowed. */
  q: string;
  before: number;
  after: number;
  /** Of the ended task. */
  details: object;
  /** Milliseconds within which the kill comes. */
  span: number;
  left: number;
  settings: typeof SETTINGS;
}

const deletion = { q: 'visible', before: COUNT, span: 60, settings: SETTINGS };
const CHANGES: Change[] = [
  {
    what: 'settings',
    call: ['PATCH', '/indexes/a/settings', REBUILT],
    q: 'hidden',
    before: 0,
    after: COUNT,
    details: REBUILT,
    span: 200,
    left: COUNT,
    settings: REBUILT,
  },
  {
    ...deletion,
    what: 'deletion by ids',
    call: ['POST', '/indexes/a/documents/delete-batch', DOCUMENTS.slice(0, 1500).map(({ id }) => id)],
    after: COUNT - 1500,
    left: COUNT - 1500,
    details: { providedIds: 1500, deletedDocuments: 1500 },
  },
  {
    ...deletion,
    what: 'deletion by filter',
    call: ['POST', '/indexes/a/documents/delete', { filter: 'kind = 1' }],
    after: (COUNT * 3) / 4,
    left: (COUNT * 3) / 4,
    details: { deletedDocuments: COUNT / 4 },
  },
  {
    ...deletion,
    what: 'deletion of all',
    call: ['DELETE', '/indexes/a/documents'],
    after: 0,
    left: 0,
    details: { deletedDocuments: COUNT },
  },
];

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function found(url: string, q: string): Promise<number> {
  const { status, body } = await request(url, 'POST', '/indexes/a/search', { q, hitsPerPage: 1 });
  if (status !== 200) throw new Error(`search: ${status} ${JSON.stringify(body)}`);
  return body.totalHits;
}

t.test('a change interrupted by a kill is visible as a whole or not at all, and is completed later', async (t) => {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  const folder = testFolder(t);
  let { child, url } = launchProcess(folder);
  t.teardown(() => kill(child));
  const settings = { ...SETTINGS, pagination: { maxTotalHits: COUNT } };

  for (let round = 0; round < ROUNDS; round++)
    for (const { what, call, q, before, after, details, span, left, settings: wanted } of CHANGES) {
      for (const [method, route, body] of [
        ['DELETE', '/indexes/a'],
        ['PATCH', '/indexes/a/settings', settings],
        ['POST', '/indexes/a/documents', DOCUMENTS],
      ] as const)
        await finished(await url, (await request(await url, method, route, body)).body.taskUid);
      t.equal(await found(await url, q), before, `${what}: before`);

      const accepted = await request(await url, ...call);
      t.equal(accepted.status, 202);
      await pause(random.int(span));
      await kill(child);
      ({ child, url } = launchProcess(folder));
      const { taskUid } = accepted.body;

      const seen: number[] = [];
      for (let ended = false; !ended; ) {
        const { body } = await request(await url, 'GET', `/tasks/${taskUid}`);
        ended = !['enqueued', 'processing'].includes(body.status);
        // searched after reading the status, so the last search comes after the end of the task
        seen.push(await found(await url, q));
      }
      t.comment(`${what}: ${seen.length} looks, ${seen.filter((count) => count === before).length} of them before it`);
      const states = seen.filter((count, index) => count !== seen[index - 1]);
      t.same(states, states.length === 1 ? [after] : [before, after], `${what}: before, then after, and nothing between`);

      t.match((await request(await url, 'GET', `/tasks/${taskUid}`)).body, { status: 'succeeded', details }, `${what}: the task`);
      t.equal((await request(await url, 'GET', '/indexes/a/stats')).body.numberOfDocuments, left, `${what}: the documents`);
      t.match((await request(await url, 'GET', '/indexes/a/settings')).body, wanted, `${what}: the settings`);
      t.equal(await found(await url, 'visible'), left, `${what}: a search`);
    }
  t.same(fs.readdirSync(path.join(folder, 'payloads')), [], 'no payload is left behind');
});
