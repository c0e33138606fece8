import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import fastify from 'fastify';
import t, { type Test } from 'tap';
import { Access } from '../../auth/access.js';
import { searchRoutes } from '../../http/routes/search.js';
import type { Service } from '../../http/service.js';
import { testFolder } from '../support/folders.js';
import { startPool } from '../support/search-pool.js';
import { until } from '../support/until.js';

/**
 * Long searches beside short ones, over HTTP: routes, connections, queue, ring, and one thread. A search ends when a file appears,
 * and answers how many the thread began before it, so the results do not depend on the speed of the machine.
 */

/** One slot for a long search, and one for a short one, which the thread takes after it. */
const QUEUE = { parallel: 2, capacity: 1000, maxWait: 600_000 };
/** Milliseconds of a search that counts as long on any machine. */
const LONG = 40;

interface Search {
  q: string;
  /** At least so many milliseconds. */
  takes: number;
  /** Only ends when this file exists. */
  file?: string;
}

/** A client with one connection. */
class Client {
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

  constructor(
    t: Test,
    private readonly port: number,
  ) {
    t.teardown(() => this.#agent.destroy());
  }

  /** How many searches the thread began before this one. */
  search(search: Search): Promise<number> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const options = { agent: this.#agent, port: this.port, path: '/indexes/a/search', method: 'POST', headers };
      const request = http.request(options, async (answer) => {
        const chunks: Buffer[] = [];
        for await (const chunk of answer) chunks.push(chunk as Buffer);
        if (answer.statusCode === 200) resolve(JSON.parse(Buffer.concat(chunks).toString()).begunBefore);
        else reject(new Error(Buffer.concat(chunks).toString()));
      });
      request.on('error', reject).end(JSON.stringify(search));
    });
  }
}

async function start(t: Test) {
  const { pool } = await startPool({ threads: 1, queue: QUEUE });
  const app = fastify({ forceCloseConnections: true });
  app.decorateRequest('access', null as never);
  // The routes read bodies themselves.
  app.addHttpMethod('POST', { hasBody: false, overrideExisting: true });
  app.addHook('onRequest', (request, _reply, done) => {
    request.access = Access.FULL;
    done();
  });
  const service = {
    options: { httpPayloadSizeLimit: 1 << 20 },
    searches: pool,
    personalization: null,
    features: { current: {} },
    network: { current: {} },
    embeddings: { answer: (ask: () => unknown) => ask() },
  };
  searchRoutes(app, service as unknown as Service);
  await app.listen({ port: 0, host: '127.0.0.1' });
  t.teardown(async () => {
    await app.close();
    await pool.close();
  });
  const { port } = app.server.address() as AddressInfo;
  return { pool, file: path.join(testFolder(t), 'go'), client: () => new Client(t, port) };
}

t.test('a search that took long before leaves a slot to short ones, on any connection', async (t) => {
  const { pool, file, client } = await start(t);
  const long = { q: 'long', takes: LONG, file };
  fs.writeFileSync(file, '');
  t.equal(await client().search(long), 0);
  fs.rmSync(file);
  const first = client().search(long);
  await until('the thread has it', () => pool.running === 1);
  const others = Array.from({ length: 5 }, () => client().search(long));
  await until('the others wait, though a slot is free', () => pool.waiting === 5);
  t.equal(pool.running, 1);
  const short = client().search({ q: 'short', takes: 0 });
  await until('the short one has the slot', () => pool.running === 2);
  fs.writeFileSync(file, '');
  t.equal(await first, 1);
  t.equal(await short, 2, 'it goes before those that came earlier');
  t.same((await Promise.all(others)).sort(), [3, 4, 5, 6, 7], 'all are answered');
});

t.test('searches of connections whose last ones took long wait for each other, whatever they ask', async (t) => {
  const { pool, file, client } = await start(t);
  const [one, other] = [client(), client()];
  for (const each of [one, other]) for (const q of ['a', 'b', 'c']) await each.search({ q, takes: LONG });
  const first = one.search({ q: 'new', takes: 0, file });
  await until('the thread has it', () => pool.running === 1);
  const second = other.search({ q: 'newer', takes: 0 });
  await until('the next one waits, though a slot is free', () => pool.waiting === 1);
  const short = client().search({ q: 'newest', takes: 0 });
  await until('one on a new connection does not', () => pool.running === 2);
  fs.writeFileSync(file, '');
  t.same(await Promise.all([first, short, second]), [6, 7, 8]);
});
