import fs from 'node:fs';
import type net from 'node:net';
import os from 'node:os';
import t from 'tap';
import { finished, request } from '../server.js';
import { testFolder } from '../support/folders.js';
import { kill, launchProcess } from '../support/process.js';
import { drainAnswers, openSocket, readAnswers, takeAll } from '../support/sockets.js';
import { until } from '../support/until.js';

/**
 * Many connections, and clients that behave badly: they read or write slowly, end their side, send
 * many requests at once, or disconnect in the middle of an answer. Whatever they do, memory stays bounded and others are served.
 * `LOAD`: number of connections; this process and the server must be allowed to open as many files (`ulimit -n`).
 */
const CONNECTIONS = Number(process.env.LOAD ?? 400);
const SLOW = Math.max(20, CONNECTIONS / 20);
const PIPELINED = 100;
const MEMORY_LIMIT = 48 << 20;
/**
 * Bytes that the process may take besides those that its limit counts. Unreferenced answers stay until V8 collects them,
 * which it begins when 64 MiB were added since the last time, in each thread that makes or sends them; while it marks, as much may be
 * added again, and gaps that `malloc` cannot return take about as much. Heaps grow under load. A connection takes two buffers of the
 * parser, and keeps no answer.
 */
const UNCOLLECTED = (192 << 20) * (os.availableParallelism() + 1);
const HEAPS = 150 << 20;
const A_CONNECTION = 20 << 10;
const MARGIN = UNCOLLECTED + HEAPS + CONNECTIONS * A_CONNECTION;
/** Bytes of an answer that is not read: more than the operating system buffers. */
const LARGE = 8 << 20;
const DOCUMENTS = 400;

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
const SEARCH = '/indexes/books/search?q=word&limit=1&attributesToRetrieve=id';
const WHOLE = `/indexes/books/documents?limit=${DOCUMENTS}`;

t.test('many connections and clients that behave badly leave memory bounded and others served', async (t) => {
  const folder = testFolder(t);
  const { child, url } = launchProcess(folder, '--http-memory-limit', String(MEMORY_LIMIT));
  t.teardown(() => kill(child));
  const base = await url;
  const { port } = new URL(base);
  const text = 'x'.repeat(LARGE / DOCUMENTS);
  const documents = Array.from({ length: DOCUMENTS }, (_, id) => ({ id, title: `word ${id}`, text }));
  await request(base, 'PATCH', '/indexes/books/settings', { searchableAttributes: ['title'] });
  const { body } = await request(base, 'POST', '/indexes/books/documents', documents);
  t.match(await finished(base, body.taskUid), { status: 'succeeded' });
  const figures = () => {
    const status = fs.readFileSync(`/proc/${child.pid}/status`, 'utf8');
    return {
      resident: Number(/^VmRSS:\s+(\d+)/m.exec(status)![1]) * 1024,
      handles: fs.readdirSync(`/proc/${child.pid}/fd`).length,
    };
  };
  const begin = figures();
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, figures().resident)), 100);
  t.teardown(() => clearInterval(watch));
  const others = async (when: string) => {
    const started = performance.now();
    const answers = await Promise.all(['/health', SEARCH].map((path) => request(base, 'GET', path)));
    t.same(
      answers.map(({ status }) => status),
      [200, 200],
      `${when}: others are served, after ${Math.round(performance.now() - started)} ms`,
    );
  };
  /** Waits until files and connections are released. */
  const released = (when: string) =>
    until(`${when}: files and connections are given back`, () => figures().handles < begin.handles + 20);

  await t.test(`${CONNECTIONS} connections that ask in turn`, async (t) => {
    const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => openSocket(port)));
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(
        sockets.map((socket) => {
          socket.write(get(SEARCH));
          return readAnswers(socket, 1);
        }),
      );
      const bad = answers.flat().filter(({ status }) => status !== 200);
      // Searches wait up to the length of the queue; others are refused with the time for a retry.
      t.ok(
        bad.every(({ status, headers }) => status === 503 && /retry-after: \d/i.test(headers)),
        `round ${round}: ${bad.length} of ${answers.length} are told to wait`,
      );
    }
    await others('beside them');
    for (const socket of sockets) socket.destroy();
    await released('after them');
  });

  await t.test('many requests in one piece are answered in their order', async (t) => {
    const socket = await openSocket(port);
    const paths = Array.from({ length: PIPELINED }, (_, i) =>
      i % 2 === 0 ? `/indexes/books/documents/${i}?fields=id` : '/nothing',
    );
    socket.write(paths.map((path) => get(path)).join(''));
    const answers = await readAnswers(socket, PIPELINED);
    t.same(
      answers.map(({ status }) => status),
      paths.map((path) => (path === '/nothing' ? 404 : 200)),
    );
    t.same(
      answers.filter(({ status }) => status === 200).map(({ body }) => JSON.parse(body).id),
      paths.flatMap((_, i) => (i % 2 === 0 ? [i] : [])),
    );
    socket.destroy();
  });

  await t.test('the connection of a client that has ended its side is released', async (t) => {
    const socket = await openSocket(port);
    socket.end(get(SEARCH));
    const [answer] = await readAnswers(socket, 1);
    t.ok(answer === undefined || answer.status === 200, 'one that has sent all is answered, or its connection closed');
    const cut = await openSocket(port);
    cut.end(
      'POST /indexes/books/search HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"q":',
    );
    await drainAnswers(cut);
    t.pass('one whose body is cut short is closed');
    await released('after them');
  });

  await t.test('slow writers delay nobody, and some are refused', async (t) => {
    const head = `POST /indexes/books/documents HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${4 << 20}\r\n\r\n[`;
    const [bodies, headers] = (await Promise.all(
      [0, 1].map(() => Promise.all(Array.from({ length: SLOW }, () => openSocket(port)))),
    )) as [net.Socket[], net.Socket[]];
    for (const socket of bodies) socket.write(head);
    for (const socket of headers) socket.write('GET /health HTTP/1.1\r\nhost: x\r\nx-more: ');
    for (let i = 0; i < 5; i++) {
      for (const socket of [...bodies, ...headers]) if (socket.writable) socket.write(' ');
      await others('beside slow writers');
    }
    const refused = (await Promise.all(bodies.map((socket) => (socket.readableLength > 0 ? readAnswers(socket, 1) : [])))).flat();
    for (const { status, headers } of refused)
      t.ok(status === 503 && /retry-after: \d/i.test(headers), 'more bodies than memory are refused');
    t.ok(refused.length > 0 && refused.length < SLOW, `${refused.length} of ${SLOW} bodies of 4 MiB were refused`);
    for (const socket of [...bodies, ...headers]) socket.destroy();
    await released('after slow writers');
  });

  await t.test('slow readers delay nobody, and are disconnected', async (t) => {
    const sockets = await Promise.all(Array.from({ length: SLOW }, () => openSocket(port)));
    for (const socket of sockets) {
      socket.pause();
      socket.write(get(WHOLE));
    }
    let served = 0;
    for (const end = performance.now() + 3000; performance.now() < end || served === 0; ) {
      const { status, headers } = await request(base, 'GET', SEARCH);
      if (status === 200) served++;
      else t.ok(status === 503 && headers.has('retry-after'), 'one that is refused is told when to come again');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    t.pass(`${served} searches were answered meanwhile`);
    await until('others are served again', async () => (await request(base, 'GET', SEARCH)).status === 200);
    const taken = await Promise.all(sockets.map((socket) => takeAll(socket)));
    const dropped = taken.filter((bytes) => bytes < LARGE);
    t.ok(dropped.length > 0, `${dropped.length} of ${SLOW} slow readers were dropped`);
    for (const socket of sockets) socket.destroy();
    await released('after slow readers');
  });

  await t.test('connections of clients that disconnect in the middle of an answer are released', async () => {
    for (let round = 0; round < 3; round++) {
      const sockets = await Promise.all(Array.from({ length: 10 }, () => openSocket(port)));
      await Promise.all(
        sockets.map(
          (socket) =>
            new Promise((resolve) => {
              socket.once('data', () => resolve(socket.destroy()));
              socket.once('close', resolve);
              socket.write(get(WHOLE));
            }),
        ),
      );
    }
    await released('after them');
    await until('others are served', async () => (await request(base, 'GET', SEARCH)).status === 200);
  });

  t.comment(`memory ${begin.resident >> 20} MiB at the start, ${most >> 20} MiB at most`);
  const bound = begin.resident + MEMORY_LIMIT + MARGIN;
  t.ok(most < bound, `memory stays below ${bound >> 20} MiB`);
});
