import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { until } from './until.js';

export interface Received {
  headers: http.IncomingHttpHeaders;
  /** Names and values as they were sent. */
  rawHeaders: string[];
  /** The decompressed body. */
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read tasks of every shape
  tasks: any[];
}

/** A server that webhooks call. It answers with `status`, or not at all while that is null. */
export interface Receiver {
  url: string;
  status: number | null;
  received: Received[];
  /** Resolves after `count` requests. */
  wait(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      // the sender was killed before the end of its request
      return;
    }
    const text = gunzipSync(Buffer.concat(chunks)).toString();
    const tasks = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
    receiver.received.push({ headers: request.headers, rawHeaders: request.rawHeaders, text, tasks });
    if (receiver.status !== null) response.writeHead(receiver.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    status: 200,
    received: [],
    async wait(count) {
      await until(`${count} requests come in`, () => receiver.received.length >= count);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
