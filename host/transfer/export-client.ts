import { setTimeout as pause } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';
import { type ApiError, errorAs } from '../../bindings/errors.js';
import { EgressError } from '../outgoing/egress.js';

export interface ClientOptions {
  url: string;
  apiKey: string | null;
  /** Connects to permitted addresses only. */
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
/** Statuses after which a retry may succeed. */
const TEMPORARY = new Set([408, 429, 500, 502, 503, 504]);
/** Most characters of an answer that a message quotes. */
const SHOWN = 200;

/** The client of another instance, for exports. */
export class ExportClient {
  readonly #base: string;

  constructor(private readonly options: ClientOptions) {
    const { origin, pathname } = new URL(options.url);
    this.#base = origin + pathname.replace(/\/+$/, '');
  }

  /**
   * Sends a request, retrying failures that may be temporary.
   * @returns the status: 2xx or one of `accepted`
   * @throws {ApiError} remote_…; the abort reason of the signal
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

/** A failed attempt, and whether a retry may succeed. */
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
