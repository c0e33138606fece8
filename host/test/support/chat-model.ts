import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** A request that the model received. */
export interface Asked {
  path: string;
  headers: http.IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests read requests of every shape
  body: any;
}

/** An answer: pieces of a stream, or a status with a body; `hang` leaves the stream open after the pieces. */
export type ModelAnswer = { pieces: object[]; hang?: boolean } | { status: number; body: string; type?: string };

/** A server with the API of chat completions: each request gets the next of the prepared answers, further ones the last. */
export interface ChatModel {
  url: string;
  asked: Asked[];
  answers: ModelAnswer[];
  /** Number of streams that were closed by the reader before their end. */
  left: number;
}

export const says = (content: string): object => ({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: null }] });
export const ends = (reason = 'stop'): object => ({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: reason }] });

/** The pieces of a streamed answer that calls a function; the arguments are sent in two halves. */
export function calls(name: string, args: object | string, id = 'call_1'): { pieces: object[] } {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  const half = text.length >> 1;
  const part = (call: object) => ({
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] }, finish_reason: null }],
  });
  return {
    pieces: [
      part({ id, type: 'function', function: { name, arguments: text.slice(0, half) } }),
      part({ function: { arguments: text.slice(half) } }),
      ends('tool_calls'),
    ],
  };
}

export async function startChatModel(t: Test): Promise<ChatModel> {
  const model: ChatModel = { url: '', asked: [], answers: [], left: 0 };
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { url = '', headers } = request;
    model.asked.push({ path: url, headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
    const answer = model.answers.length > 1 ? model.answers.shift()! : model.answers[0]!;
    if ('status' in answer) {
      response.writeHead(answer.status, { 'content-type': answer.type ?? 'application/json' }).end(answer.body);
      return;
    }
    response.on('close', () => {
      if (!response.writableFinished) model.left++;
    });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of answer.pieces) response.write(`data: ${JSON.stringify(piece)}\r\n\r\n`);
    if (!answer.hang) response.end('data: [DONE]\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  model.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return model;
}
