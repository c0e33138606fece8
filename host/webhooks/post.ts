import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Dispatcher, request } from 'undici';
import { EgressError } from '../outgoing/egress.js';
import type { Webhook } from './checks.js';

const compress = promisify(gzip);

/** Headers determined by the request itself: those of a webhook are ignored. */
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

/** Why a request was refused, and whether a retry may succeed. */
export interface Refusal {
  reason: string;
  temporary: boolean;
}

/** Sends JSON lines to a webhook once. @returns null when it accepted them; throws when `signal` is aborted */
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
      // As a stream of unknown length, so that it is sent in chunks.
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

/** Names and values alternating: a webhook may have several headers whose names differ only in case. */
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

/** Headers are sent as one byte per character: the UTF-8 bytes of a value, each as a character. */
function asBytes(value: string): string {
  return Buffer.from(value).toString('latin1');
}
