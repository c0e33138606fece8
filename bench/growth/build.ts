import { setTimeout as delay } from 'node:timers/promises';
import { Client, type RunningServer, startServer } from '../../test/server.js';
import type { DataSet } from '../data.js';
import { makeLoad, postRequest } from '../load.js';
import { folderBytes, MEGABYTE, memoryOf, processorSeconds } from '../processes.js';
import type { SearchBody } from '../queries.js';
import { type Enlarged, enlarged } from './documents.js';

export const UID = 'growth';
/** Servers take 100 MB a request by default. */
const PAYLOAD_BYTES = 90e6;
/** A server is idle when it uses less than this share of CPU for this time; the wait for that is limited. */
const REST_SHARE = 0.1;
const REST_MS = 1000;
const TIMEOUT_MS = 180_000;
const LOAD_CONNECTIONS = 32;
const LOAD_SECONDS = 300;

/** Figures of indexing. */
export interface IndexingFigures {
  /** From the first byte sent until the last task has succeeded. */
  seconds: number;
  /** CPU seconds until then, and from then until the server is idle: the remaining merges. */
  processorSeconds: number;
  mergeSeconds: number;
  mergeProcessorSeconds: number;
  memory: { now: number; peak: number };
  diskMegabytes: number;
}

/** Elapsed time, and CPU time of the server, which is more reliable on a busy machine. */
export interface Effort {
  seconds: number;
  processorSeconds: number;
}

/** A build of the server with a large index. */
export class Build {
  private constructor(
    readonly name: string,
    readonly program: string | undefined,
    readonly documents: number,
    readonly indexing: IndexingFigures,
    readonly enlarged: Enlarged,
    private server: RunningServer,
    private client: Client,
  ) {}

  /** Starts a server with an empty database and indexes documents into it. */
  static async start(name: string, program: string | undefined, data: DataSet, count: number): Promise<Build> {
    const server = await startServer(program === undefined ? {} : { program });
    try {
      const client = new Client(server.base);
      const { textFields, facetFields, numberFields, primaryKey } = data;
      await client.change('POST', '/indexes', JSON.stringify({ uid: UID, primaryKey }));
      const settings = {
        searchableAttributes: [...textFields, ...facetFields],
        filterableAttributes: [...facetFields, ...numberFields],
        sortableAttributes: numberFields,
      };
      await client.change('PATCH', `/indexes/${UID}/settings`, JSON.stringify(settings));
      await atRest(server);
      const documents = enlarged(data);
      const indexing = await index(server, client, documents, count);
      return new Build(name, program, count, indexing, documents, server, client);
    } catch (error) {
      await server.remove();
      throw error;
    }
  }

  /** Milliseconds of each search by one client. */
  async ask(bodies: readonly SearchBody[]): Promise<{ p50: number; p99: number }> {
    const requests = bodies.map((body) => postRequest(this.server.base, `/indexes/${UID}/search`, JSON.stringify(body)));
    const { p50, p99, failed } = await makeLoad({
      ...this.#address,
      requests,
      connections: 1,
      seconds: LOAD_SECONDS,
      once: true,
    });
    if (failed > 0) throw new Error(`${failed} searches failed`);
    return { p50, p99 };
  }

  /** Writes one document and waits until searches find it. */
  update(id: number): Promise<Effort> {
    return this.#effort(() => this.#update(id));
  }

  /** Writes many documents, each in a request of its own, and waits until searches find all of them. */
  updateMany(ids: readonly number[]): Promise<Effort> {
    return this.#effort(() => this.#updateMany(ids));
  }

  async #effort(work: () => Promise<void>): Promise<Effort> {
    const before = processorSeconds(this.server.pid);
    const start = performance.now();
    await work();
    return { seconds: (performance.now() - start) / 1000, processorSeconds: processorSeconds(this.server.pid) - before };
  }

  async #update(id: number): Promise<void> {
    const body = `[${this.enlarged.changed(id)}]`;
    const response = await fetch(`${this.server.base}/indexes/${UID}/documents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'wait=60' },
      body,
    });
    const task = (await response.json()) as { status: string };
    if (task.status !== 'succeeded') throw new Error(`an update has ${task.status}`);
  }

  async #updateMany(ids: readonly number[]): Promise<void> {
    const requests = ids.map((id) =>
      postRequest(this.server.base, `/indexes/${UID}/documents`, `[${this.enlarged.changed(id)}]`),
    );
    const order = { ...this.#address, requests, connections: LOAD_CONNECTIONS, seconds: LOAD_SECONDS, once: true, expected: 202 };
    const { failed } = await makeLoad(order);
    if (failed > 0) throw new Error(`${failed} updates were refused`);
    for (;;) {
      const { total } = await this.client.json('GET', '/tasks?statuses=enqueued,processing&limit=1');
      if (total === 0) return;
      await delay(5);
    }
  }

  /** Restarts the server. @returns the time from its start to its first answer of a search */
  async restart(body: SearchBody): Promise<Effort> {
    await this.server.stop();
    const { dataFolder } = this.server;
    const start = performance.now();
    this.server = await startServer({ dataFolder, ...(this.program === undefined ? {} : { program: this.program }) });
    this.client = new Client(this.server.base);
    await this.client.json('POST', `/indexes/${UID}/search`, body);
    return { seconds: (performance.now() - start) / 1000, processorSeconds: processorSeconds(this.server.pid) };
  }

  rest(): Promise<void> {
    return atRest(this.server);
  }

  async remove(): Promise<void> {
    await this.server.remove();
  }

  get #address(): { host: string; port: number } {
    const { hostname, port } = new URL(this.server.base);
    return { host: hostname, port: Number(port) };
  }
}

async function index(server: RunningServer, client: Client, documents: Enlarged, count: number): Promise<IndexingFigures> {
  const payloads = [...documents.payloads(count, PAYLOAD_BYTES)];
  const before = processorSeconds(server.pid);
  const from = performance.now();
  const route = `/indexes/${UID}/documents`;
  await Promise.all(payloads.map((payload) => client.change('POST', route, payload, 'application/x-ndjson')));
  const seconds = (performance.now() - from) / 1000;
  const indexed = processorSeconds(server.pid);
  const start = performance.now();
  await atRest(server);
  return {
    seconds,
    processorSeconds: indexed - before,
    mergeSeconds: Math.max(0, (performance.now() - start - REST_MS) / 1000),
    mergeProcessorSeconds: processorSeconds(server.pid) - indexed,
    memory: memoryOf(server.pid),
    diskMegabytes: folderBytes(server.dataFolder) / MEGABYTE,
  };
}

async function atRest({ pid }: RunningServer): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (let before = processorSeconds(pid); performance.now() < deadline; ) {
    await delay(REST_MS);
    const now = processorSeconds(pid);
    if (now - before < (REST_SHARE * REST_MS) / 1000) return;
    before = now;
  }
}
