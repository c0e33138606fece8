import { setTimeout as pause } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';
import { type ApiError, errorAs } from '../../bindings/errors.js';
import { EgressError } from '../http/egress.js';

export interface ClientOptions {
  url: string;
  apiKey: string | null;
  /** Makes the connections, to allowed addresses only. */
  dispatcher: Dispatcher;
  signal: AbortSignal;
  /** Milliseconds before the second and each further attempt. */
  pauses?: readonly number[];
}

export interface ClientRequest {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  /** Sent as JSON. */
  json?: unknown;
  /** Gzipped NDJSON. */
  documents?: Uint8Array;
}

const PAUSES = [200, 400, 800, 1600, 3200];
const TIMEOUT_MS = 60_000;
/** Answers after which the same request may succeed later. */
const TEMPORARY = new Set([408, 429, 500, 502, 503, 504]);
/** Longest part of an answer that a message repeats. */
const SHOWN = 200;

/** Another instance, as an export speaks to it. */
export class ExportClient {
  readonly #base: string;

  constructor(private readonly options: ClientOptions) {
    const { origin, pathname } = new URL(options.url);
    this.#base = origin + pathname.replace(/\/+$/, '');
  }

  /**
   * The status of the answer, which is 2xx or one of `accepted`. Failures that may pass are tried again a few times.
   * @throws {ApiError} remote_…; the reason of the signal when it is aborted
   */
  async send(call: ClientRequest, accepted: readonly number[] = []): Promise<number> {
    const { signal, pauses = PAUSES } = this.options;
    for (let attempt = 0; ; attempt++) {
      try {
        const { status, text } = await this.#once(call);
        if (status < 300 || accepted.includes(status)) return status;
        throw refusal(call, status, text);
      } catch (error) {
        signal.throwIfAborted();
        const wait = pauses[attempt];
        const failure = error instanceof Refusal ? error : transportFailure(call, this.#base, error as Error);
        if (!failure.temporary || wait === undefined) throw failure.error;
        await pause(wait, undefined, { signal });
      }
    }
  }

  async #once({ method, path, json, documents }: ClientRequest): Promise<{ status: number; text: string }> {
    const { apiKey, dispatcher, signal } = this.options;
    const { statusCode, body } = await request(this.#base + path, {
      method,
      headers: {
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(documents === undefined ? {} : { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' }),
        ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: documents ?? (json === undefined ? null : JSON.stringify(json)),
      dispatcher,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    return { status: statusCode, text: await body.text() };
  }
}

/** A failed attempt, and whether another may do better. */
class Refusal extends Error {
  constructor(
    readonly error: ApiError,
    readonly temporary: boolean,
  ) {
    super(error.message);
  }
}

function refusal({ method, path }: ClientRequest, status: number, text: string): Refusal {
  const code = status === 401 || status === 403 ? 'remote_invalid_api_key' : 'remote_bad_request';
  const error = errorAs(status >= 500 ? 'remote_remote_error' : code, 'answered', {
    method,
    path,
    status,
    text: text.slice(0, SHOWN),
  });
  return new Refusal(error, TEMPORARY.has(status));
}

function transportFailure({ method, path }: ClientRequest, base: string, error: Error): Refusal {
  const timedOut = error.name === 'TimeoutError';
  const code = timedOut ? 'remote_timeout' : 'remote_could_not_send_request';
  const reason = timedOut ? `no answer within ${TIMEOUT_MS / 1000} seconds` : error.message;
  return new Refusal(errorAs(code, 'request', { method, base, path, reason }), !(error instanceof EgressError));
}
