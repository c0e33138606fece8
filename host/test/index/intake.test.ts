import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { request, startServer, type TestServer } from '../server.js';
import { onlyFile, testFolder } from '../support/folders.js';
import { kill, launchProcess } from '../support/process.js';
import { until } from '../support/until.js';

/** Payloads that wait for their task: small ones are in the ledger, others in files. */

const FROZEN = ['--experimental-max-number-of-batched-tasks', '0'];
/** Far larger than payloads that are stored in the ledger. */
const LONG = 'long '.repeat(30_000);
const CSV = { 'content-type': 'text/csv' };
const NDJSON = { 'content-type': 'application/x-ndjson' };

/** Additions of every size and format; the document of each has its number as id. */
const ADDITIONS: [body: string, headers?: Record<string, string>][] = [
  ['{"id": 0,\n "text": "small"}'],
  [`{"id": 1, "text": "${LONG}"}`],
  ['id,text\n2,small\n', CSV],
  [`id,text\n3,${LONG}\n`, CSV],
  ['{"id": 4, "text": "small"}\n', NDJSON],
  [`{"id": 5, "text": "${LONG}"}\n`, NDJSON],
];
const IDS = ADDITIONS.map((_, id) => id);

async function frozenServer(t: Test, ...flags: string[]) {
  const server = await startServer(...FROZEN, ...flags);
  t.teardown(() => server.close());
  const uids: number[] = [];
  for (const [body, headers] of ADDITIONS) {
    const { status, body: summary } = await server.call('POST', '/indexes/a/documents?primaryKey=id', body, headers);
    t.equal(status, 202);
    uids.push(summary.taskUid);
  }
  return { server, uids };
}

async function checkStored(t: Test, server: TestServer) {
  const { body } = await server.call('POST', '/indexes/a/documents/fetch', { limit: 100 });
  t.same(
    body.results.map(({ id }: { id: string | number }) => Number(id)),
    IDS,
  );
  const texts: string[] = body.results.map(({ text }: { text: string }) => text);
  t.same(
    texts.map((text) => text === 'small' || text.trim() === LONG.trim()),
    IDS.map(() => true),
  );
}

const payloadFiles = (folder: string) => fs.readdirSync(path.join(folder, 'payloads'));

t.test('payloads of every size wait, can be read, and form one batch', async (t) => {
  const { server, uids } = await frozenServer(t);
  t.equal(payloadFiles(server.folder).length, 3, 'small payloads need no file');
  await server.call('PATCH', '/experimental-features', { getTaskDocumentsRoute: true });
  const shown = await Promise.all(uids.map((uid) => fetch(`${server.url}/tasks/${uid}/documents`)));
  for (const [id, answer] of shown.entries()) {
    const lines = (await answer.text()).trimEnd().split('\n');
    t.equal(lines.length, 1, 'a document is one line');
    t.equal(Number(JSON.parse(lines[0]!).id), id);
  }
  await server.restart();
  const tasks = await Promise.all(uids.map(server.finished));
  t.same(
    tasks.map(({ status, details }) => [status, details.indexedDocuments]),
    IDS.map(() => ['succeeded', 1]),
  );
  t.equal(new Set(tasks.map(({ batchUid }) => batchUid)).size, 1);
  await checkStored(t, server);
  t.same(payloadFiles(server.folder), [], 'no file is left');
  await server.call('PATCH', '/experimental-features', { getTaskDocumentsRoute: true });
  for (const uid of uids.slice(0, 2)) {
    t.match(await server.call('GET', `/tasks/${uid}/documents`), { status: 404, body: { code: 'task_file_not_found' } });
  }
});

t.test('the payload of a canceled task is removed', async (t) => {
  const { server, uids } = await frozenServer(t);
  await server.task('POST', '/tasks/cancel?statuses=enqueued');
  for (const uid of uids) t.match(await server.finished(uid), { status: 'canceled' });
  // files are removed after the tasks have ended
  await until('the files of payloads to be gone', () => payloadFiles(server.folder).length === 0);
  await server.restart();
  t.equal((await server.call('GET', '/indexes/a')).status, 404);
});

t.test('snapshots and dumps carry payloads that wait', async (t) => {
  const folder = testFolder(t);
  const { server, uids } = await frozenServer(t, '--snapshot-dir', folder, '--dump-dir', folder);
  await server.task('POST', '/snapshots');
  await server.task('POST', '/dumps');
  for (const what of ['snapshot', 'dump']) {
    const copy = await startServer(`--import-${what}`, onlyFile(folder, `.${what}`));
    t.teardown(() => copy.close());
    for (const uid of uids) t.match(await copy.finished(uid), { status: 'succeeded' }, what);
    await checkStored(t, copy);
  }
});

t.test('a batch may have more payload files than can be open at once', async (t) => {
  const server = await startServer(...FROZEN);
  t.teardown(() => server.close());
  const large = `"${'x'.repeat(66_000)}"`;
  const bodies = Array.from({ length: 400 }, (_, id) => `{"id": ${id}, "text": ${id % 3 ? '"small"' : large}}`);
  const answers = await Promise.all(bodies.map((body) => server.call('POST', '/indexes/a/documents?primaryKey=id', body)));
  t.ok(answers.every(({ status }) => status === 202));
  await server.restart();
  await Promise.all(answers.slice(-5).map(({ body }) => server.finished(body.taskUid)));
  t.equal((await server.call('GET', '/indexes/a/stats')).body.numberOfDocuments, bodies.length);
  t.equal((await server.call('GET', '/batches')).body.total, 1);
});

t.test('small payloads do not wait for a big one', async (t) => {
  const server = await startServer(...FROZEN);
  t.teardown(() => server.close());
  const line = `{"id": 1, "text": "${'word '.repeat(200)}"}\n`;
  const big = line.repeat(Math.floor(20e6 / line.length));
  const upload = http.request(`${server.url}/indexes/a/documents`, { method: 'POST', headers: NDJSON });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    upload.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject);
  });
  const small = async () => {
    for (const [body, headers] of [['id\n2\n', CSV], ['{"id":2}']] as [string, Record<string, string>?][]) {
      t.equal((await server.call('POST', '/indexes/a/documents', body, headers)).status, 202);
    }
  };
  await new Promise((taken) => upload.write(big, taken));
  await small();
  upload.end(line);
  await small();
  t.equal(await answered, 202);
});

t.test('acknowledged payloads of many clients survive a kill', async (t) => {
  const folder = testFolder(t);
  const { child, url: listening } = launchProcess(folder, ...FROZEN);
  const url = await listening;
  const told: { uid: number; id: number }[] = [];
  let next = 0;
  const client = async () => {
    for (;;) {
      const id = next++;
      try {
        const { status, body } = await request(url, 'POST', '/indexes/a/documents?primaryKey=id', { id, text: `word${id}` });
        if (status === 202) told.push({ uid: body.taskUid, id });
      } catch {
        return;
      }
    }
  };
  const clients = Array.from({ length: 24 }, client);
  while (told.length < 300) await new Promise((resolve) => setTimeout(resolve, 1));
  await kill(child);
  await Promise.all(clients);
  const again = launchProcess(folder);
  t.teardown(() => kill(again.child));
  const url2 = await again.url;
  t.equal(new Set(told.map(({ uid }) => uid)).size, told.length, 'no uid is given twice');
  const last = Math.max(...told.map(({ uid }) => uid));
  for (let left = true; left; )
    left = (await request(url2, 'GET', `/tasks?uids=${last}&statuses=enqueued,processing`)).body.total > 0;
  const { body } = await request(url2, 'POST', '/indexes/a/documents/fetch', { limit: 1e6, fields: ['id'] });
  const stored = new Set(body.results.map(({ id }: { id: number }) => id));
  t.same(
    told.filter(({ id }) => !stored.has(id)),
    [],
  );
});

t.test('a long body that is refused, cut short or malformed leaves no files, and the server continues', async (t) => {
  const server = await startServer(...FROZEN, '--http-payload-size-limit', '3MiB');
  t.teardown(() => server.close());
  const line = `{"id": 1, "text": "${LONG}"}\n`;
  const send = (pieces: Buffer[], headers: Record<string, string>) =>
    fetch(`${server.url}/indexes/a/documents?primaryKey=id`, {
      method: 'POST',
      headers: { ...NDJSON, ...headers },
      body: new ReadableStream({
        pull(controller) {
          const piece = pieces.shift();
          if (piece) controller.enqueue(piece);
          else controller.close();
        },
      }),
      duplex: 'half',
    } as RequestInit);
  const many = (count: number) => Array.from({ length: count }, () => Buffer.from(line));
  const tooLarge = await send(many(40), {});
  t.match(await tooLarge.json(), { code: 'payload_too_large' });
  const zipped = gzipSync(Buffer.concat(many(40)));
  t.match(await (await send([zipped], { 'content-encoding': 'gzip' })).json(), { code: 'payload_too_large' });
  t.match(await (await send([zipped.subarray(0, 500)], { 'content-encoding': 'gzip' })).json(), { code: 'bad_request' });
  t.match(await (await send([], {})).json(), { code: 'missing_payload' });
  await new Promise<void>((resolve) => {
    const upload = http.request(`${server.url}/indexes/a/documents`, { method: 'POST', headers: NDJSON });
    upload.on('error', () => resolve());
    upload.write(Buffer.concat(many(10)), () => upload.destroy());
  });
  await until('the files to be gone', () => payloadFiles(server.folder).length === 0);
  const taken = await send([gzipSync(Buffer.concat(many(10)))], { 'content-encoding': 'gzip' });
  t.equal(taken.status, 202);
  t.equal(payloadFiles(server.folder).length, 1);
});
