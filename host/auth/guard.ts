import { type ApiError, apiError } from '../../bindings/errors.js';
import { Access } from './access.js';
import { type Action, MASTER_KEY_ONLY } from './actions.js';
import { Digest } from './digest.js';
import { hasExpired, type Key, type KeyStore } from './keys.js';
import { isGlobal } from './rights.js';
import { looksSigned, TenantTokens, TOKEN_ACTIONS, type VerifiedToken } from './tenant-tokens.js';
import type { TokenRule } from './token-rules.js';

/** Authorises requests, and determines which indexes each may use. */
export class Guard {
  readonly #masterKey: Digest | null;
  readonly #tokens: TenantTokens;

  constructor(
    masterKey: string | null,
    private readonly keys: KeyStore,
  ) {
    this.#masterKey = masterKey === null ? null : new Digest(masterKey);
    this.#tokens = new TenantTokens(keys);
  }

  /**
   * Synchronous unless the signature of a tenant token has to be verified.
   * @param indexUid the index in the path, not yet validated
   * @throws ApiError when the header is malformed, or its key or token does not allow the action
   */
  check(action: Action, indexUid: string | undefined, authorization: string | undefined): Access | Promise<Access> {
    if (action === null) return Access.FULL;
    const token = authorization === undefined ? null : tokenOf(authorization);
    if (this.#masterKey === null) {
      if (action !== MASTER_KEY_ONLY) return Access.FULL;
      throw apiError('missing_master_key', 'noMasterKey');
    }
    if (token === null) throw missingHeader('no `Authorization` header was sent');
    const digest = new Digest(token);
    if (digest.equals(this.#masterKey)) return Access.FULL;
    if (action === MASTER_KEY_ONLY) throw refused('only the master key opens this route');
    const needed = typeof action === 'string' ? [action] : action;
    if (TOKEN_ACTIONS.has(needed[0]!) && looksSigned(token)) {
      const verified = this.#tokens.verify(token, digest, needed[0]!);
      const open = ({ key, rules }: VerifiedToken) => accessOf(key, rules, needed, indexUid);
      return verified instanceof Promise ? verified.then(open) : open(verified);
    }
    const key = this.keys.byDigest(digest);
    if (!key) throw refused('it is not known');
    return accessOf(key, null, needed, indexUid);
  }
}

/** Checks the index in the path first: a key that may not use it must not learn whether it exists. */
function accessOf(key: Key, rules: TokenRule[] | null, needed: readonly string[], indexUid: string | undefined): Access {
  const { indexes } = key.record;
  const access = new Access(key.rights, indexes, rules);
  if (indexUid !== undefined) access.require(indexUid, 'the path');
  if (indexes.length === 0 || !needed.every((action) => access.may(action)) || hasExpired(key))
    throw refused('it has expired or lacks the right');
  if (!indexes.includes('*') && needed.some(isGlobal)) throw refused('it is limited to some indexes, this route to none');
  return access;
}

function refused(reason: string): ApiError {
  return apiError('invalid_api_key', 'notForRoute', { reason });
}

const SCHEME = 'Bearer';

function tokenOf(authorization: string): string {
  if (authorization !== SCHEME && !authorization.startsWith(`${SCHEME} `))
    throw missingHeader('the `Authorization` header must have the form `Bearer <API key>`');
  const token = authorization.slice(SCHEME.length).trim();
  if (token === '') throw apiError('invalid_api_key', 'empty');
  return token;
}

function missingHeader(problem: string): ApiError {
  return apiError('missing_authorization_header', 'needed', { problem });
}
