import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestServer } from '../server.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
export type Json = any;

export interface RemoteRequest {
  headers: http.IncomingHttpHeaders;
  body: Json;
  url: string | undefined;
}

/** An HTTP server in place of a remote instance, whose answers the test decides. */
export interface FakeRemote {
  url: string;
  /** Requests so far; tests may empty it. */
  asked: RemoteRequest[];
  answer: (request: http.IncomingMessage, response: http.ServerResponse) => void;
  close(): void;
}

export async function startFakeRemote(): Promise<FakeRemote> {
  const server = http.createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    remote.asked.push({ headers: request.headers, body: JSON.parse(text), url: request.url });
    remote.answer(request, response);
  });
  const remote: FakeRemote = {
    url: '',
    asked: [],
    answer: () => {},
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  remote.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return remote;
}

/** Adds an index `paints` to an instance, with the feature `network`. */
export async function addPaints(server: TestServer, documents: object[]): Promise<void> {
  await server.call('PATCH', '/experimental-features', { network: true });
  await server.task('PATCH', '/indexes/paints/settings', {
    filterableAttributes: ['kind', 'price'],
    sortableAttributes: ['price'],
  });
  // as text, because JavaScript cannot represent the number
  const body = JSON.stringify(documents).replace('"price":10', '"price":10,"big":12345678901234567891');
  await server.task('POST', '/indexes/paints/documents?primaryKey=id', body);
}

/** A query of `paints` on a remote; null: on this instance. */
export const query = (remote: string | null, more: object = {}, options: object = {}) => ({
  indexUid: 'paints',
  ...more,
  federationOptions: { remote, ...options },
});

/** A federated search of an instance. */
export async function ask(server: TestServer, queries: object[], federation: object = {}, headers = {}): Promise<Json> {
  return (await server.call('POST', '/multi-search', { federation, queries }, headers)).body;
}

/** Id and remote of each hit. */
export const found = ({ hits }: Json) => hits.map(({ id, _federation: { remote } }: Json) => `${id} ${remote}`);
