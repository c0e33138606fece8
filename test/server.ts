import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The built server in a process of its own: for tests, benchmarks and the conformance run. */

const MAIN = fileURLToPath(new URL('../host/main.js', import.meta.url));
const POLL_MS = 20;
/** Milliseconds; even on a busy machine only a hanging server takes so long. */
const START_MS = 120_000;
const STOP_MS = 60_000;

export interface ServerOptions {
  masterKey?: string;
  /** More launch flags. */
  flags?: string[];
  /** Built `host/main.js` of another version. */
  program?: string;
  /** Of a server that was stopped: goes on with its data. */
  dataFolder?: string;
}

export interface RunningServer {
  base: string;
  pid: number;
  dataFolder: string;
  stop(): Promise<void>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

async function freePort(): Promise<number> {
  const probe = net.createServer();
  await new Promise<void>((listening) => probe.listen(0, '127.0.0.1', listening));
  const { port } = probe.address() as net.AddressInfo;
  await new Promise((closed) => probe.close(closed));
  return port;
}

const pause = (): Promise<void> => new Promise((wait) => setTimeout(wait, POLL_MS));

/** Starts a server on a free port, with a temporary data folder unless one is given, and waits until it answers. */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const { masterKey, flags = [], program = MAIN } = options;
  const dataFolder = options.dataFolder ?? path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'peregrine-')), 'data.pg');
  const work = path.dirname(dataFolder);
  const address = `127.0.0.1:${await freePort()}`;
  const parameters = ['--db-path', dataFolder, '--http-addr', address, '--log-level', 'WARN', '--no-analytics', ...flags];
  if (masterKey) parameters.push('--master-key', masterKey);
  const child = spawn(process.execPath, [program, ...parameters], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise((done) => child.once('close', done));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const timeout = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(timeout);
  };
  const remove = async (): Promise<void> => {
    await stop();
    fs.rmSync(work, { recursive: true, force: true });
  };
  const base = `http://${address}`;
  const deadline = Date.now() + START_MS;
  while (child.exitCode === null && Date.now() < deadline) {
    if (await isHealthy(base)) return { base, pid: child.pid as number, dataFolder, stop, remove };
    await pause();
  }
  await remove();
  throw new Error(`the server did not start (exit code ${child.exitCode})`);
}

async function isHealthy(base: string): Promise<boolean> {
  try {
    return (await fetch(`${base}/health`)).ok;
  } catch {
    return false;
  }
}

export interface Answer {
  status: number;
  text: string;
}

/** A client of a server with this interface. */
export class Client {
  readonly #headers: Record<string, string>;

  constructor(
    readonly base: string,
    key?: string,
  ) {
    this.#headers = key ? { authorization: `Bearer ${key}` } : {};
  }

  async send(method: string, route: string, body?: string | Uint8Array<ArrayBuffer>, type = 'application/json'): Promise<Answer> {
    const headers = body === undefined ? this.#headers : { ...this.#headers, 'content-type': type };
    const response = await fetch(this.base + route, { method, headers, ...(body !== undefined && { body }) });
    return { status: response.status, text: await response.text() };
  }

  /** @throws Error of an answer that is no success */
  async json(method: string, route: string, body?: unknown): Promise<Record<string, unknown>> {
    const { status, text } = await this.send(method, route, body === undefined ? undefined : JSON.stringify(body));
    if (status >= 400) throw new Error(`${method} ${route}: ${status} ${text.slice(0, 300)}`);
    return JSON.parse(text) as Record<string, unknown>;
  }

  /** Sends a change and waits for its task. @throws Error of a task that does not succeed */
  async change(
    method: string,
    route: string,
    body?: string | Uint8Array<ArrayBuffer>,
    type?: string,
  ): Promise<Record<string, unknown>> {
    const { status, text } = await this.send(method, route, body, type);
    if (status >= 400) throw new Error(`${method} ${route}: ${status} ${text.slice(0, 300)}`);
    const { taskUid } = JSON.parse(text) as { taskUid: number };
    for (;;) {
      const task = await this.json('GET', `/tasks/${taskUid}`);
      if (task.status === 'succeeded') return task;
      if (task.status !== 'enqueued' && task.status !== 'processing') throw new Error(JSON.stringify(task.error));
      await pause();
    }
  }
}
