import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { connectToSelf, isOwn } from '../http/own-connections.js';
import { exchange } from '../warm-up/exchange.js';
import { WarmUp } from '../warm-up/warm-up.js';
import { request, startServer } from './server.js';
import { testFolder } from './support/database.js';
import { kill } from './support/process.js';
import { TestRoom } from './support/room.js';
import { until } from './support/until.js';

/** Real searches beside a warm-up. */
const SEARCHES = 300;
const NO_KEY = () => [];
/** Synthetic requests of a short warm-up. */
const REQUESTS = 600;

type Create = (listener: http.RequestListener) => http.Server;

for (const [name, create] of [
  ['HTTP', (listener) => http.createServer(listener)],
  ['HTTPS', (listener) => https.createServer(listener)],
] satisfies [string, Create][]) {
  t.test(`a process asks its own ${name} server, which listens nowhere, and tells these requests from others`, async (t) => {
    const seen: boolean[] = [];
    const server = create((request, response) => {
      seen.push(isOwn(request));
      request
        .resume()
        .on('end', () =>
          response.writeHead(request.url === '/a' ? 200 : 404, { 'content-length': 100_000 }).end('x'.repeat(100_000)),
        );
    });
    const socket = await connectToSelf(server);
    t.teardown(() => socket.destroy());
    t.equal(await exchange(socket, { method: 'POST', path: '/a', headers: [], body: 'é'.repeat(100_000) }), 200);
    t.equal(await exchange(socket, { method: 'GET', path: '/b', headers: ['a: b'], body: '' }), 404);
    t.same(seen, [true, true]);
    if (name === 'HTTPS') return;
    server.listen(0, '127.0.0.1');
    await until('the server', () => server.listening);
    t.teardown(() => server.close());
    await fetch(`http://127.0.0.1:${(server.address() as { port: number }).port}/a`);
    t.same(seen, [true, true, false]);
  });
}

t.test('an answer that does not come is an error', async (t) => {
  const server = http.createServer((request) => request.socket.destroy());
  const socket = await connectToSelf(server);
  await t.rejects(exchange(socket, { method: 'GET', path: '/', headers: [], body: '' }), /ended before the answer/);
});

t.test('a warm-up goes on where a request is too long or all places are taken, and fails where the server does', async (t) => {
  const { room, searches } = await openWith300(t);
  for (const status of [413, 503, 500]) {
    let count = 0;
    const server = http.createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(status, { 'content-length': 1 }).end('x'));
      count++;
    });
    const warm = new WarmUp(server, room, searches, NO_KEY, 40).run();
    if (status === 500) await t.rejects(warm, /refused with 500/);
    else {
      await warm;
      t.equal(count, 40);
    }
  }
});

t.test('a warm-up makes way for real searches, is not counted, and leaves all as it was', async (t) => {
  const test = await openWith300(t);
  const { room, searches } = test;
  const search = () => test.search({ q: 'common word3', limit: 50 });
  const before = await search();
  t.equal(before.length, 50);
  const memory = room.memoryUsed;
  const uids = new Set<string>();
  let withHits = 0;
  const server = http.createServer((request, response) => {
    const [, , uid = ''] = (request.url as string).split(/[/?]/);
    if (request.url === '/health') return void response.end('{}');
    uids.add(uid);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { searchParams } = new URL(request.url as string, 'http://localhost');
      const call = request.method === 'GET' ? { query: [...searchParams] } : { body: Buffer.concat(chunks) };
      const { status, body, release } = await searches.search('search', uid, { ...call, features: {} });
      if (JSON.parse(body.toString()).hits?.length > 0) withHits++;
      response.writeHead(status, { 'content-length': body.length }).end(body, release);
    });
  });
  const warm = new WarmUp(server, room, searches, NO_KEY, REQUESTS).run();
  await until('the first synthetic search', () => withHits > 0);
  // one after the other without a pause: when the synthetic searches under way have ended, no others begin
  const beside: number[] = [];
  for (let times = 0; times < SEARCHES; times++) {
    const answer = search();
    beside.push(searches.running - 1);
    t.same(await answer, before);
  }
  t.same(
    beside.slice(SEARCHES / 2).filter((count) => count > 0),
    [],
    'it makes way',
  );
  await warm;
  t.same(await search(), before);
  t.ok(withHits > REQUESTS / 2, `${withHits} synthetic searches found something`);
  t.equal(searches.usage.take().counts.received, SEARCHES + 2, 'only real searches are counted');
  t.equal(uids.size, 1);
  for (const uid of uids) await t.rejects(test.search({ q: 'a' }, uid), /index_not_found/, 'the synthetic index is gone');
  await until('its segment to be gone', () => room.memoryUsed === memory);
  t.equal(fs.readdirSync(path.join(test.folder, 'segments')).length, 1);
  t.equal(fs.readdirSync(path.join(test.folder, 'payloads')).length, test.payloads);
  t.same(test.faults, []);
});

t.test('a warm-up makes way for what is indexed', async (t) => {
  const { room, searches, add } = await openWith300(t);
  let asked = 0;
  let askedWhileIndexing = 0;
  const server = http.createServer((request, response) => {
    asked++;
    if (room.isIndexing) askedWhileIndexing++;
    request.resume().on('end', () => response.writeHead(200, { 'content-length': 1 }).end('x'));
  });
  const warmUp = new WarmUp(server, room, searches, NO_KEY, 100_000);
  const warm = warmUp.run();
  await until('the first synthetic request', () => asked > 0);
  const importing = add(20_000);
  await until('documents are indexed', () => room.isIndexing);
  const before = asked;
  await importing;
  t.ok(askedWhileIndexing <= 2 * searches.threads, `${askedWhileIndexing} requests, which were under way, beside the import`);
  await until('the warm-up goes on', () => asked > before + 100);
  warmUp.stop();
  await warm;
});

t.test('a warm-up ends with the service, whenever that is', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  await server.task('POST', '/indexes/books/documents', [{ id: 1, title: 'a' }]);
  for (const milliseconds of [0, 300, 2000]) {
    const warm = server.warmUp();
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    await server.stop();
    await warm;
    await server.restart();
    t.equal(fs.readdirSync(path.join(server.folder, 'segments')).length, 1, 'nothing is left');
    t.equal((await server.call('POST', '/indexes/books/search', { q: 'a' })).body.hits.length, 1);
  }
});

t.test('a server that has started warms up in silence', async (t) => {
  const key = 'a key of sixteen bytes';
  const flags = ['--http-addr', '127.0.0.1:0', '--no-analytics', '--log-level', 'DEBUG', '--master-key', key];
  const all = ['--db-path', testFolder(t), '--experimental-enable-metrics', ...flags];
  const child = spawn(process.execPath, [fileURLToPath(new URL('../main.js', import.meta.url)), ...all]);
  t.teardown(() => kill(child));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  await until('the server', () => /listening on +http/.test(output));
  const [url] = /http:\S+/.exec(output.slice(output.indexOf('listening on '))) as unknown as [string];
  const call = async (method: string, route: string, body?: unknown) =>
    (await request(url, method, route, body, { authorization: `Bearer ${key}` })).body;
  await call('POST', '/indexes/nowhere/search', { q: 'a' });
  await until('the end of the warm-up', () => output.includes('the service is warm'));
  t.equal((await call('GET', '/indexes')).total, 0);
  t.equal((await call('GET', '/tasks')).total, 0);
  const counted = [...(await call('GET', '/metrics')).matchAll(/requests_total\{.*path="(.*search)",status="(\d+)"\} (\d+)/g)];
  t.same(
    counted.map(([, ...values]) => values),
    [['/indexes/{index_uid}/search', '404', '1']],
    'synthetic requests are not counted',
  );
  const told = () => output.split('request answered').length - 1;
  await until('the lines of real requests', () => told() >= 4);
  t.equal(told(), 4, 'nor are they told of');
});

async function openWith300(t: Test) {
  const test = await TestRoom.open(t, { searchThreads: 2 });
  await test.create('a', 'id');
  const documents = Array.from({ length: 300 }, (_, id) => ({ id, text: `common word${id % 7} other${id % 11}` }));
  await test.apply('a', await test.add(documents));
  const search = async (request: unknown, uid = 'a') => (await test.search(uid, request)).hits;
  const payloads = fs.readdirSync(path.join(test.folder, 'payloads')).length;
  const add = async (count: number) => {
    const more = Array.from({ length: count }, (_, id) => ({ id: 1000 + id, text: `another word${id % 999} and ${id}` }));
    await test.apply('a', await test.add(more));
  };
  return { room: test.room, searches: test.searches, faults: test.faults, folder: test.folder, payloads, search, add };
}
