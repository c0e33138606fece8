import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** The answer to one request: a status with a body, or null for embeddings. */
export type ModelFault = (
  texts: string[],
  request: number,
) => { status: number; body?: string; headers?: Record<string, string> } | null;

/** A model over HTTP: `{"input": [texts]}` is answered with `{"data": [{"embedding": [...]}]}`. */
export interface TestModel {
  url: string;
  /** Every text that it has embedded. */
  embedded: string[];
  requests: number;
  fault: ModelFault;
  /** Milliseconds before an answer. */
  delay: number;
  /** Delays all requests until the returned function is called. */
  hold(): () => void;
}

export const MODEL_DIMENSIONS = 8;

/** Words are counted by their first letters. */
export function embeddingOf(text: string): number[] {
  const vector = new Array(MODEL_DIMENSIONS).fill(0.01);
  for (const word of text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? []) vector[word.charCodeAt(0) % MODEL_DIMENSIONS] += 1;
  return vector;
}

export async function startModel(t: Test): Promise<TestModel> {
  let held: Promise<void> = Promise.resolve();
  const hold = () => {
    let release: () => void = () => {};
    held = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  };
  const model: TestModel = { url: '', embedded: [], requests: 0, fault: () => null, delay: 0, hold };
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: unknown[] };
    const texts = input.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
    const fault = model.fault(texts, model.requests++);
    await held;
    if (model.delay > 0) await new Promise((resolve) => setTimeout(resolve, model.delay));
    if (fault) {
      response.writeHead(fault.status, fault.headers).end(fault.body ?? '{"error":"refused"}');
      return;
    }
    model.embedded.push(...texts);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ data: texts.map((text) => ({ embedding: embeddingOf(text) })) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  model.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/embed`;
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return model;
}

/** Settings of an embedder that uses the model. */
export function restEmbedder({ url }: TestModel, others: object = {}): object {
  return {
    source: 'rest',
    url,
    request: { input: ['{{text}}', '{{..}}'] },
    response: { data: [{ embedding: '{{embedding}}' }, '{{..}}'] },
    documentTemplate: '{{doc.title}}',
    ...others,
  };
}
