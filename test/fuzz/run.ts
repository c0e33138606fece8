import fs from 'node:fs';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { Pool } from 'undici';
import { FEATURES, NEVER_ON } from '../../host/options/features.js';
import type { FuzzRequest } from './requests.js';
import { INDEXES } from './texts.js';

/** Sends requests to a server in another process, and checks what must hold for all requests. */

/** Milliseconds in which everything is answered; searches are cut off after 1,500. */
const DEADLINE = 20_000;
const STREAMS = /^\/logs\/stream/;
/** Codes of internal errors; the first is that of an unexpected exception. */
const OWN_FAULTS = new Set([
  'internal',
  'invalid_store_file',
  'invalid_state',
  'index_creation_failed',
  'database_size_limit_reached',
]);
/** 501 means not implemented, 502 that another server did not answer. */
const KNOWN = new Set([501, 502]);
/** What no encoding that the client takes can say. */
const NOT_ACCEPTABLE = 406;

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

export class Target {
  readonly #pool: Pool;
  /** Answers by status. */
  readonly statuses = new Map<number, number>();

  constructor(
    readonly url: string,
    readonly key: string,
    readonly pid: number,
    connections: number,
  ) {
    this.#pool = new Pool(url, { connections, headersTimeout: DEADLINE, bodyTimeout: DEADLINE });
  }

  /** @throws Error when no whole answer comes before the deadline */
  async send({ method, path, headers, body }: FuzzRequest): Promise<Answer> {
    const all = { authorization: `Bearer ${this.key}`, ...headers };
    const answer = await this.#pool.request({ method: method as 'GET', path, headers: all, body });
    const isStream = STREAMS.test(path) && method === 'POST' && answer.statusCode === 200;
    if (isStream) answer.body.on('error', () => {}).destroy();
    const bytes = isStream ? Buffer.alloc(0) : Buffer.from(await answer.body.arrayBuffer());
    const decode = DECODERS[String(answer.headers['content-encoding'])];
    const text = (decode && bytes.length > 0 ? decode(bytes) : bytes).toString();
    this.statuses.set(answer.statusCode, (this.statuses.get(answer.statusCode) ?? 0) + 1);
    return { status: answer.statusCode, headers: answer.headers, text };
  }

  async json(method: string, path: string, value?: unknown): Promise<Answer> {
    const body = value === undefined ? null : Buffer.from(JSON.stringify(value));
    return this.send({ method, path, headers: body ? { 'content-type': 'application/json' } : {}, body });
  }

  /** Threads of the process, and its resident bytes. */
  get figures(): { threads: number; resident: number; handles: number } {
    const status = fs.readFileSync(`/proc/${this.pid}/status`, 'utf8');
    const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
    return {
      threads: read('Threads'),
      resident: read('VmRSS') * 1024,
      handles: fs.readdirSync(`/proc/${this.pid}/fd`).length,
    };
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

/** The fault of an answer, or null. */
export function faultOf({ status, headers, text }: Answer): string | null {
  if (status === 503) return headers['retry-after'] ? null : 'a refusal for load without `Retry-After`';
  if (status >= 500 && !KNOWN.has(status)) return `status ${status}`;
  if (status < 400 || status === NOT_ACCEPTABLE || text === '') return null;
  try {
    const { message, code, type, link } = JSON.parse(text);
    const whole = [message, code, type, link].every((member) => typeof member === 'string');
    return whole && !OWN_FAULTS.has(code) ? null : 'an error that is not in the table';
  } catch {
    return 'an error that is no JSON';
  }
}

/** Codes of tasks that failed by an internal error. */
export async function faultyTasks(target: Target): Promise<string[]> {
  const { text } = await target.json('GET', '/tasks?statuses=failed&limit=1000');
  const { results } = JSON.parse(text) as { results: { uid: number; type: string; error: { code: string; message: string } }[] };
  return results.filter(({ error }) => OWN_FAULTS.has(error.code)).map((task) => JSON.stringify(task));
}

const SETTINGS = {
  filterableAttributes: ['genre', 'year', 'tags', 'author', '_geo', '_geojson'],
  sortableAttributes: ['year', 'title', '_geo'],
  embedders: { own: { source: 'userProvided', dimensions: 3 } },
  localizedAttributes: [{ attributePatterns: ['title'], locales: ['eng', 'jpn'] }],
  synonyms: { war: ['battle'], 'new york': ['nyc'] },
};

/** The index that no request changes; it is searched throughout. */
export const STEADY = 'steady';

/** Creates indexes and documents for the requests; called again from time to time, as they delete them. */
export async function prepare(target: Target, seed: number): Promise<void> {
  const flags = Object.fromEntries(FEATURES.filter((name) => name !== NEVER_ON).map((name) => [name, true]));
  await target.json('PATCH', '/experimental-features', flags);
  const list = Array.from({ length: 60 }, (_, id) => ({
    id,
    title: ['the star wars', 'war and peace', 'wonderful été', '東京 story', 'new york'][(id + seed) % 5],
    genre: ['drama', 'war'][id % 2],
    year: 1950 + id,
    tags: [{ deep: id }],
    _geo: { lat: id, lng: -id },
    _vectors: { own: [id, 1, -1] },
  }));
  for (const uid of [STEADY, ...INDEXES]) {
    await target.json('PATCH', `/indexes/${uid}/settings`, SETTINGS);
    await target.json('POST', `/indexes/${uid}/documents?primaryKey=id`, list);
  }
  await target.json('PATCH', '/chats/chat/settings', { source: 'vLlm', baseUrl: 'http://127.0.0.1:1' });
  await target.json('PATCH', '/dynamic-search-rules/rule', { active: true, actions: [] });
}

/** Waits until few tasks are left to be done. */
export async function drained(target: Target, most: number): Promise<void> {
  const end = performance.now() + TIMEOUT;
  while (performance.now() < end) {
    const { text } = await target.json('GET', '/tasks?statuses=enqueued,processing&limit=0');
    if (JSON.parse(text).total <= most) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`tasks wait for more than ${TIMEOUT} ms`);
}

const TIMEOUT = 120_000;
