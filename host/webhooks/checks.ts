import { apiError } from '../../bindings/errors.js';
import { headerProblem, urlProblem } from '../outgoing/targets.js';

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

/** @throws ApiError invalid_webhook_url */
export function checkUrl(url: string): void {
  const problem = urlProblem(url);
  if (problem) throw apiError('invalid_webhook_url', 'problem', { url, problem });
}
