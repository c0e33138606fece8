import { validateHeaderName } from 'node:http';
import { apiError, problemOf } from '../../bindings/errors.js';

/** A URL to which ended tasks are reported, with the headers to send; header names as they were written. */
export interface Webhook {
  url: string;
  headers: Record<string, string>;
}

const MAX_HEADERS = 200;

/** @throws ApiError invalid_webhook_headers when there are too many */
export function checkHeaderCount(uuid: string, headers: object): void {
  const count = Object.keys(headers).length;
  if (count > MAX_HEADERS) throw apiError('invalid_webhook_headers', 'headers', { uuid, most: MAX_HEADERS, count });
}

/** @throws ApiError invalid_webhook_url when the URL is missing */
export function checkUrlGiven(uuid: string, url: string | null): string {
  if (url === null) throw apiError('invalid_webhook_url', 'missing', { uuid });
  if (url === '') throw apiError('invalid_webhook_url', 'empty', { uuid });
  return url;
}

/** @throws ApiError invalid_webhook_headers */
export function checkHeaders(headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    const problem = headerProblem(name, value);
    if (problem) throw apiError('invalid_webhook_headers', 'header', { name, problem });
  }
}

/** Why a header cannot be sent, or null. */
export function headerProblem(name: string, value: string): string | null {
  try {
    validateHeaderName(name);
  } catch {
    return problemOf('headerName');
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
  return /[\u0000-\u0008\u000a-\u001f\u007f]/.test(value) ? problemOf('headerValue') : null;
}

/** @throws ApiError invalid_webhook_url */
export function checkUrl(url: string): void {
  const problem = urlProblem(url);
  if (problem) throw apiError('invalid_webhook_url', 'problem', { url, problem });
}

/** Why no request can be sent to a URL, or null. */
export function urlProblem(text: string): string | null {
  if (!URL.canParse(text)) return problemOf('notHookUrl');
  const { protocol } = new URL(text);
  return /^https?:$/.test(protocol) ? null : problemOf('notHttp', { protocol });
}
