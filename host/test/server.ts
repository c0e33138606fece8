import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Logs } from '../logging/logs.js';
import { readOptions } from '../options/options.js';
import { PeregrineService } from '../service.js';
import { until } from './support/until.js';

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  body: any;
  headers: Headers;
}

/**
 * A server in this process, on a free port, with a folder that `close` removes. Calls send the master key that it
 * was started with, unless they have an `authorization` header.
 */
export interface TestServer {
  url: string;
  folder: string;
  call(method: string, route: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Sends a write, which must be accepted, and waits for its task. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  task(method: string, route: string, body?: unknown, headers?: Record<string, string>): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  finished(taskUid: number): Promise<any>;
  /** Lines of the log at level error, in JSON. */
  errors: string[];
  /** Stops the server and removes its folder. */
  stop(): Promise<void>;
  /** Stops the server, if it runs, and starts another with the same folder. */
  restart(...flags: string[]): Promise<void>;
  close(): Promise<void>;
}

export async function startServer(...flags: string[]): Promise<TestServer> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'peregrine-test-'));
  let service: PeregrineService | null = null;
  let key: Record<string, string> = {};
  const start = async (extra: string[]) => {
    const options = readOptions(['--db-path', folder, '--http-addr', '127.0.0.1:0', '--no-analytics', ...extra], {});
    key = options.masterKey === null ? {} : { authorization: `Bearer ${options.masterKey}` };
    service = await PeregrineService.open(options, new Logs('error', 'json', (line) => server.errors.push(line)));
    server.url = await service.listen(options);
  };
  const server: TestServer = {
    url: '',
    folder,
    errors: [],
    call: (method, route, body, headers) => request(server.url, method, route, body, { ...key, ...headers }),
    async task(method, route, body, headers) {
      const { status, body: summary } = await server.call(method, route, body, headers);
      if (status !== 202 && status !== 200) throw new Error(`${method} ${route}: ${status} ${JSON.stringify(summary)}`);
      return server.finished(summary.taskUid);
    },
    finished: (taskUid) => finished(server.url, taskUid, key),
    async stop() {
      await service?.close();
      service = null;
    },
    async restart(...extra) {
      await server.stop();
      await start(extra);
    },
    async close() {
      await server.stop();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await start(flags);
  } catch (error) {
    fs.rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return server;
}

/** Bodies other than texts and bytes are sent as JSON. */
export async function request(
  url: string,
  method: string,
  route: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url + route, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: raw ? (body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
  });
  const text = await response.text();
  let parsed: unknown = text;
  try {
    parsed = JSON.parse(text);
  } catch {
    // not JSON: the text itself
  }
  return { status: response.status, body: parsed, headers: response.headers };
}

export async function finished(url: string, taskUid: number, headers: Record<string, string> = {}) {
  return until(`task ${taskUid} ends`, async () => {
    const { body } = await request(url, 'GET', `/tasks/${taskUid}`, undefined, headers);
    return !['enqueued', 'processing'].includes(body.status) && body;
  });
}
