import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The order to the process that generates load. */
export interface LoadOrder {
  host: string;
  port: number;
  /** Complete HTTP requests; the connections take them in turn. */
  requests: string[];
  connections: number;
  /** Longest duration; requests are repeated until then, unless each is to be sent once. */
  seconds: number;
  once?: boolean;
  /** Status of an answer that is no failure; 200 when not given. */
  expected?: number;
}

/** Milliseconds per request, from the first byte sent to the last received. */
export interface LoadResult {
  requestsPerSecond: number;
  p50: number;
  p95: number;
  p99: number;
  max: number;
  /** Answers of another status than expected. */
  failed: number;
}

const WORKER = fileURLToPath(new URL('./load-worker.js', import.meta.url));

/** Sends requests from a separate process over keep-alive connections, each as soon as the one before is answered. */
export function makeLoad(order: LoadOrder): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const child = fork(WORKER, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    child.once('message', (result) => resolve(result as LoadResult));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the load process ended with ${code}`)));
    child.send(order);
  });
}

/** The bytes of a POST that keeps its connection. */
export function postRequest(base: string, route: string, body: string, key?: string): string {
  const authorization = key ? `authorization: Bearer ${key}\r\n` : '';
  const head = `POST ${route} HTTP/1.1\r\nhost: ${new URL(base).host}\r\ncontent-type: application/json\r\n${authorization}`;
  return `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
