import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Dispatcher, request } from 'undici';
import { EgressError } from '../http/egress.js';
import type { Webhook } from './checks.js';

const compress = promisify(gzip);

/** Headers that say how this request is sent: what a webhook has of these names is left out. */
const OWN_HEADERS = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Why a request was not taken, and whether it may be later. */
export interface Refusal {
  reason: string;
  temporary: boolean;
}

/** Sends lines of JSON to a webhook once. @returns null when it has taken them; throws when `signal` is aborted. */
export async function post(
  { url, headers }: Webhook,
  lines: Buffer,
  { dispatcher, timeoutMs, signal }: { dispatcher: Dispatcher; timeoutMs: number; signal: AbortSignal },
): Promise<Refusal | null> {
  try {
    const bytes = await compress(lines);
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers: headerList(url, headers),
      // a stream: its length is not sent ahead, so that it goes out in chunks
      body: Readable.from([bytes]),
      dispatcher,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    body.dump().catch(() => {});
    if (statusCode < 300) return null;
    return { reason: `it answered ${statusCode}`, temporary: statusCode === 429 || statusCode >= 500 };
  } catch (error) {
    signal.throwIfAborted();
    return { reason: (error as Error).message, temporary: !(error instanceof EgressError) };
  }
}

/** Names and values by turns: a webhook may have several headers whose names differ in case alone. */
function headerList(url: string, headers: Record<string, string>): string[] {
  const own = Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()));
  const names = new Set(own.map(([name]) => name.toLowerCase()));
  const { username, password } = new URL(url);
  const defaults = [
    ['content-type', 'application/x-ndjson'],
    ...(username === '' ? [] : [['authorization', basic(username, password)]]),
  ].filter(([name]) => !names.has(name!));
  return [...defaults, ['content-encoding', 'gzip'], ...own.map(([name, value]) => [name, asBytes(value)])].flat() as string[];
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`;
}

/** Headers are sent one byte a character: other characters go as UTF-8. */
function asBytes(value: string): string {
  return Buffer.from(value).toString('latin1');
}
