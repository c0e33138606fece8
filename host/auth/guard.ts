import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../../bindings/errors.js';
import type { Action } from './actions.js';

/** Decides whether a request may go on. */
export class Guard {
  readonly #masterKey: Buffer | null;

  constructor(masterKey: string | null) {
    this.#masterKey = masterKey === null ? null : digest(masterKey);
  }

  /** @throws ApiError when the header is malformed, or does not open a route with this action. */
  check(action: Action, authorization: string | undefined): void {
    if (action === null) return;
    const token = authorization === undefined ? null : tokenOf(authorization);
    if (this.#masterKey === null) return;
    if (token === null) throw missingHeader('no `Authorization` header was sent');
    // Digests have one length, so that the comparison tells nothing about the key.
    if (!timingSafeEqual(digest(token), this.#masterKey))
      throw new ApiError('invalid_api_key', 'The key in the `Authorization` header is not valid for this route.');
  }
}

function tokenOf(authorization: string): string {
  const [scheme, ...rest] = authorization.split(' ');
  if (scheme !== 'Bearer') throw missingHeader(`the \`Authorization\` header must begin with \`Bearer\``);
  const token = rest.join(' ').trim();
  if (token === '') throw new ApiError('invalid_api_key', 'The `Authorization` header has no key after `Bearer`.');
  return token;
}

function missingHeader(problem: string): ApiError {
  return new ApiError('missing_authorization_header', `A key is needed as \`Authorization: Bearer <KEY>\`: ${problem}.`);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
