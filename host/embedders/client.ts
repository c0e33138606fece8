import { setTimeout as wait } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';
import { EgressError } from '../outgoing/egress.js';
import { EmbedderFailure } from './errors.js';
import { Limiter } from './limiter.js';

export interface ModelRequest {
  url: string;
  headers: Record<string, string>;
  body: unknown;
}

/** Timeouts, retries and callbacks of a request. */
export interface RequestOptions {
  signal: AbortSignal;
  /** Attempts after the first. */
  retries: number;
  /** A search is waiting: the request goes before those for documents. */
  isQuery?: boolean;
  /** Called after each attempt, with the failure or null. */
  count?: (failure: string | null) => void;
}

export interface ClientOptions {
  dispatcher: Dispatcher;
  /** Milliseconds that one attempt may take. */
  timeoutMs: number;
  /** Longest pause between two attempts, in milliseconds. */
  longestPauseMs: number;
}

const TIMEOUT_SECONDS = 30;
const MAX_PAUSE_SECONDS = 60;

/** Timeouts of requests to models, from environment variables. */
export function modelTimes(environment: Readonly<Record<string, string | undefined>>): Omit<ClientOptions, 'dispatcher'> {
  const seconds = (text: string | undefined, initial: number) => (Number(text) > 0 ? Number(text) : initial) * 1000;
  return {
    timeoutMs: seconds(environment.MEILI_EXPERIMENTAL_REST_EMBEDDER_TIMEOUT_SECONDS, TIMEOUT_SECONDS),
    longestPauseMs: seconds(environment.MEILI_EXPERIMENTAL_REST_EMBEDDER_MAX_RETRY_DURATION_SECONDS, MAX_PAUSE_SECONDS),
  };
}

/** Bytes of an answer; more is a failure. */
const MAX_ANSWER_BYTES = 256 << 20;
/** Characters of an answer that a message quotes. */
const SHOWN = 300;

/** Sends JSON requests to models, and retries failures that may be temporary. */
export class ModelClient {
  readonly #limiters = new Map<string, Limiter>();

  constructor(private readonly options: ClientOptions) {}

  /** @throws {EmbedderFailure} */
  async post(call: ModelRequest, { signal, retries, isQuery, count }: RequestOptions): Promise<unknown> {
    const limiter = this.#limiterOf(call.url);
    for (let attempt = 1; ; attempt++) {
      const outcome = await limiter.run(() => this.#once(call, signal), signal, isQuery);
      count?.(outcome.ok ? null : outcome.failure.message);
      if (outcome.ok) {
        limiter.succeeded();
        return outcome.answer;
      }
      const { failure, throttled, retryAfterMs } = outcome;
      if (failure.kind !== 'passing' || attempt > retries) {
        const tries = attempt > 1 ? ` (tried ${attempt} times)` : '';
        throw new EmbedderFailure(failure.kind, `${failure.message}${tries}`);
      }
      const pause = Math.max(retryAfterMs, this.#pause(attempt, throttled));
      if (throttled) limiter.refused(pause);
      await wait(pause, undefined, { signal });
    }
  }

  /** Tenfold after each attempt, with random jitter so that clients do not retry at the same moment. */
  #pause(attempt: number, throttled: boolean): number {
    const pause = Math.min(10 ** attempt + (throttled ? 100 : 0), this.options.longestPauseMs);
    return pause * (0.5 + Math.random() / 2);
  }

  #limiterOf(url: string): Limiter {
    const { origin } = new URL(url);
    let limiter = this.#limiters.get(origin);
    if (!limiter) {
      limiter = new Limiter();
      this.#limiters.set(origin, limiter);
    }
    return limiter;
  }

  async #once({ url, headers, body }: ModelRequest, signal: AbortSignal): Promise<Outcome> {
    const { dispatcher, timeoutMs } = this.options;
    try {
      const answer = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        dispatcher,
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      const text = await readText(answer.body);
      if (answer.statusCode >= 200 && answer.statusCode < 300) return parsed(text);
      return refusal(answer.statusCode, text, answer.headers['retry-after']);
    } catch (error) {
      signal.throwIfAborted();
      const { message, name } = error as Error;
      const reason = name === 'TimeoutError' ? `it did not answer within ${timeoutMs} ms` : message;
      const kind = error instanceof EgressError || name === 'InvalidArgumentError' ? 'model' : 'passing';
      return failed(new EmbedderFailure(kind, `the model at \`${url}\` could not be asked: ${reason}.`));
    }
  }
}

type Outcome =
  | { ok: true; answer: unknown }
  | { ok: false; failure: EmbedderFailure; throttled: boolean /** 0: it said nothing */; retryAfterMs: number };

function failed(failure: EmbedderFailure, throttled = false, retryAfterMs = 0): Outcome {
  return { ok: false, failure, throttled, retryAfterMs };
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw new Error('its answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parsed(text: string): Outcome {
  try {
    return { ok: true, answer: JSON.parse(text) };
  } catch {
    return failed(new EmbedderFailure('passing', `the model answered what is no JSON: \`${text.slice(0, SHOWN)}\`.`));
  }
}

/** Statuses by which models refuse a text. */
const TEXT_STATUSES = new Set([400, 413, 422]);

function refusal(status: number, text: string, retryAfter: string | string[] | undefined): Outcome {
  const throttled = status === 429;
  const kind = throttled || status >= 500 ? 'passing' : TEXT_STATUSES.has(status) ? 'texts' : 'model';
  const hint = status === 401 || status === 403 ? ' Is the `apiKey` right?' : status === 404 ? ' Is the model there?' : '';
  const message = `the model answered ${status}: \`${text.slice(0, SHOWN)}\`.${hint}`;
  return failed(new EmbedderFailure(kind, message), throttled, pauseAsked(retryAfter));
}

/** `Retry-After` in milliseconds: seconds or an HTTP date; 0 when absent. */
function pauseAsked(header: string | string[] | undefined): number {
  const text = [header].flat()[0];
  if (text === undefined) return 0;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds * 1000) : 0;
}
