import { validateHeaderName } from 'node:http';
import { problemOf } from '../../bindings/errors.js';

/** Why no request can be sent to a URL, or null. */
export function urlProblem(text: string): string | null {
  if (!URL.canParse(text)) return problemOf('notHookUrl');
  const { protocol } = new URL(text);
  return /^https?:$/.test(protocol) ? null : problemOf('notHttp', { protocol });
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
