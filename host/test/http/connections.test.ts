import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { Connections } from '../../http/connections.js';
import { openSocket, readAnswers, takeAll } from '../support/sockets.js';
import { until } from '../support/until.js';

/** So long that a client that sends steadily does not exceed it, even on a busy machine. */
const STALL_MS = 1500;
/** Bytes; more than the operating system buffers for a client that does not read. */
const LARGE = Buffer.alloc(32 << 20);

interface Started {
  port: number;
  /** Number of requests that were admitted. */
  taken: () => number;
}

/** A server that answers `/large` at once and all else late, and answers 503 when {@link Connections} refuses a request. */
async function start(t: Test, limit: number): Promise<Started> {
  const connections = new Connections(limit, STALL_MS);
  let taken = 0;
  const server = http.createServer((request, response) => {
    try {
      connections.begin(request);
    } catch {
      response.writeHead(503, { 'content-length': 0 }).end();
      return;
    }
    taken++;
    response.once('finish', () => connections.end(request));
    request.resume();
    if (request.url === '/large') response.writeHead(200, { 'content-length': LARGE.length }).end(LARGE);
    else request.once('end', () => setTimeout(() => response.writeHead(200, { 'content-length': 0 }).end(), 2 * STALL_MS));
  });
  connections.attach(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, taken: () => taken };
}

const post = (length: number, body: string) => `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n${body}`;

t.test('a stalled client is disconnected, one that waits for the server is not', async (t) => {
  const { port } = await start(t, 1 << 30);
  const [writer, reader, patient, steady] = await Promise.all([1, 2, 3, 4].map(() => openSocket(port)));
  const dropped = [writer!, reader!].map((socket) => once(socket, 'close'));
  for (const socket of [writer!, reader!]) socket.on('end', () => socket.destroy());
  writer!.resume();
  writer!.write(post(100, '{'));
  reader!.pause();
  reader!.write('GET /large HTTP/1.1\r\nhost: x\r\n\r\n');
  patient!.write(post(2, '{}'));
  steady!.write(post(8, ''));
  let left = 8;
  const drip = setInterval(() => left-- > 0 && steady!.write(' '), STALL_MS / 6);
  const [waited, slow] = await Promise.all([readAnswers(patient!, 1), readAnswers(steady!, 1)]);
  clearInterval(drip);
  t.match(waited, [{ status: 200 }], 'a late answer comes');
  t.match(slow, [{ status: 200 }], 'a body that comes slowly but steadily is taken');
  await dropped[0];
  const bytes = await takeAll(reader!);
  t.ok(bytes < LARGE.length, `of an answer that was not read ${bytes} bytes came`);
  for (const socket of [writer!, reader!, patient!, steady!]) socket.destroy();
});

t.test('bodies are refused beyond the memory limit, and accepted again later', async (t) => {
  const { port, taken } = await start(t, 1 << 20);
  const [first, second] = await Promise.all([1, 2].map(() => openSocket(port)));
  first!.write(post(900_000, ''));
  await until('the first is taken', () => taken() === 1);
  second!.write(post(900_000, ''));
  t.match(await readAnswers(second!, 1), [{ status: 503 }]);
  first!.destroy();
  second!.destroy();
  await until('a third is taken', async () => {
    const third = await openSocket(port);
    third.write(post(900_000, 'x'.repeat(900_000)));
    const [answer] = await readAnswers(third, 1);
    third.destroy();
    return answer?.status === 200;
  });
});
