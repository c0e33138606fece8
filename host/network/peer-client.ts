import { setTimeout as wait } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';
import { PeerAnswerError } from '../../bindings/search/federation/peer-answer.js';
import { EgressError } from '../http/egress.js';
import type { Remote } from './store.js';

/** Says to an instance that another one asks it for a part of a search. */
export const PEER_HEADER = 'meili-proxy-search';

/** Why an instance has no part in an answer: a code of the table of errors. */
export class RemoteFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** Another try may end otherwise. */
    readonly passing: boolean,
  ) {
    super(message);
  }
}

/** Seconds that all tries together may take, as clients of searches do not wait longer. */
const TIMEOUT_SECONDS = 25;
/** Tries after the first. */
const RETRIES = 3;
/** Milliseconds before the second try; doubled for each further one. */
const FIRST_PAUSE = 20;
/** Bytes of an answer: a thousand long documents. */
const MAX_ANSWER_BYTES = 32 << 20;
/** Characters of an answer in a message. */
const SHOWN = 300;

export interface PeerClientOptions {
  dispatcher: Dispatcher;
  /** Milliseconds that all tries together may take. */
  timeoutMs: number;
}

/** What the environment says of patience with remotes. */
export function peerTimeout(environment: Readonly<Record<string, string | undefined>>): number {
  const name = 'EXPERIMENTAL_REMOTE_SEARCH_TIMEOUT_SECONDS';
  const seconds = Number(environment[`PEREGRINE_${name}`] ?? environment[`MEILI_${name}`]);
  return (seconds > 0 ? seconds : TIMEOUT_SECONDS) * 1000;
}

/** Asks other instances for their parts of federated searches, trying again what may pass. */
export class PeerClient {
  constructor(private readonly options: PeerClientOptions) {}

  /**
   * @param read makes the answer of its text; throws {@link PeerAnswerError}
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

/** The path of the remote's URL is kept. */
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
