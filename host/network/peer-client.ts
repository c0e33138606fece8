import { setTimeout as wait } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';
import { PeerAnswerError } from '../../bindings/search/federation/peer-answer.js';
import { EgressError } from '../outgoing/egress.js';
import type { Remote } from './store.js';

/** Header that marks a request as another instance's share of a search. */
export const PEER_HEADER = 'meili-proxy-search';

/** Why an instance did not contribute to an answer: a code of the error table. */
export class RemoteFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** Whether a retry may succeed. */
    readonly passing: boolean,
  ) {
    super(message);
  }
}

/** Seconds for all attempts together; clients of searches do not wait longer. */
const TIMEOUT_SECONDS = 25;
/** Attempts after the first. */
const RETRIES = 3;
/** Milliseconds before the second attempt, doubled for each further one. */
const FIRST_PAUSE = 20;
/** Most bytes of an answer: about a thousand long documents. */
const MAX_ANSWER_BYTES = 32 << 20;
/** Characters of an answer that a message quotes. */
const SHOWN = 300;

export interface PeerClientOptions {
  dispatcher: Dispatcher;
  /** Milliseconds for all attempts together. */
  timeoutMs: number;
}

/** The timeout for remotes, from environment variables. */
export function peerTimeout(environment: Readonly<Record<string, string | undefined>>): number {
  const name = 'EXPERIMENTAL_REMOTE_SEARCH_TIMEOUT_SECONDS';
  const seconds = Number(environment[`PEREGRINE_${name}`] ?? environment[`MEILI_${name}`]);
  return (seconds > 0 ? seconds : TIMEOUT_SECONDS) * 1000;
}

/** Sends other instances their shares of federated searches, and retries failures that may be temporary. */
export class PeerClient {
  constructor(private readonly options: PeerClientOptions) {}

  /**
   * @param read parses the answer; throws {@link PeerAnswerError}
   * @throws {RemoteFailure}
   */
  async ask<Answer>(
    remote: Remote,
    body: object,
    { metadata, signal, read }: { metadata: boolean; signal: AbortSignal; read(text: string): Answer },
  ): Promise<Answer> {
    const { timeoutMs } = this.options;
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const bytes = JSON.stringify(body);
    const headers = {
      'content-type': 'application/json',
      [PEER_HEADER]: 'true',
      ...(remote.searchApiKey === null ? {} : { authorization: `Bearer ${remote.searchApiKey}` }),
      ...(metadata ? { 'meili-include-metadata': 'true' } : {}),
    };
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#once(remote, headers, bytes, deadline, read);
      } catch (error) {
        if (deadline.aborted) throw new RemoteFailure('remote_timeout', `It did not answer within ${timeoutMs} ms.`, false);
        const failure = asFailure(error);
        if (!failure.passing || attempt === RETRIES) throw failure;
        await wait(FIRST_PAUSE * 2 ** attempt, undefined, { signal: deadline }).catch(() => {});
      }
    }
  }

  async #once<Answer>(
    { url }: Remote,
    headers: Record<string, string>,
    bytes: string,
    signal: AbortSignal,
    read: (text: string) => Answer,
  ): Promise<Answer> {
    const { dispatcher } = this.options;
    const answer = await request(searchUrl(url), { method: 'POST', headers, body: bytes, dispatcher, signal });
    const text = await readText(answer.body);
    if (answer.statusCode === 200) return read(text);
    throw refusal(answer.statusCode, text);
  }
}

/** The search URL of a remote, below the path of its URL. */
function searchUrl(url: string): URL {
  const address = new URL(url);
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/multi-search`;
  return address;
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) {
      throw new RemoteFailure('remote_bad_response', `Its answer is longer than ${MAX_ANSWER_BYTES} bytes.`, false);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function refusal(status: number, text: string): RemoteFailure {
  const message = `It answered ${status}: \`${text.slice(0, SHOWN)}\`.`;
  if (status === 401 || status === 403) return new RemoteFailure('remote_invalid_api_key', message, false);
  if (status >= 500) return new RemoteFailure('remote_remote_error', message, true);
  if (status >= 400) return new RemoteFailure('remote_bad_request', message, false);
  return new RemoteFailure('remote_bad_response', message, true);
}

function asFailure(error: unknown): RemoteFailure {
  if (error instanceof RemoteFailure) return error;
  const { message } = error as Error;
  if (error instanceof PeerAnswerError) {
    return new RemoteFailure('remote_bad_response', `Its answer is not that of a federated search: ${message}.`, true);
  }
  return new RemoteFailure(
    'remote_could_not_send_request',
    `It could not be asked: ${message || 'no connection'}.`,
    !(error instanceof EgressError),
  );
}
