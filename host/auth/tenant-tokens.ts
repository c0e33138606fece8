import { compactVerify, decodeJwt } from 'jose';
import { type ApiError, apiError } from '../../bindings/errors.js';
import type { Digest } from './digest.js';
import { hasExpired, type Key, type KeyStore } from './keys.js';
import { readTokenRules, type TokenRule } from './token-rules.js';
import { readUuid } from './uuids.js';

/** Actions that a tenant token can be used for. */
export const TOKEN_ACTIONS: ReadonlySet<string> = new Set(['search', 'chatCompletions']);

const ALGORITHMS = ['HS256', 'HS384', 'HS512'];
/** Verified tokens that are remembered: a search box sends the same token with every keystroke. */
const REMEMBERED = 1000;

/** The claims of a token whose signature has been verified. */
interface TenantToken {
  keyUid: string;
  rules: TokenRule[];
  /** Unix seconds. */
  expiry: number | null;
}

export interface VerifiedToken {
  key: Key;
  rules: TokenRule[];
}

/** Whether the text has the form of a JSON Web Token; anything else can only be a key. */
export function looksSigned(text: string): boolean {
  return text.split('.').length === 3;
}

/** Verifies tokens that clients sign with the value of an API key. */
export class TenantTokens {
  readonly #good = new Map<string, TenantToken>();

  constructor(private readonly keys: KeyStore) {}

  /**
   * The key and the search rules of a token. Answers synchronously for a remembered token; deleting or expiring the key still
   * invalidates it.
   * @throws ApiError invalid_api_key
   */
  verify(text: string, digest: Digest, action: string): VerifiedToken | Promise<VerifiedToken> {
    const known = this.#good.get(digest.text);
    if (known) return this.#current(known, this.#keyOf(known, action));
    const token = readClaims(text);
    const key = this.#keyOf(token, action);
    return this.#checkSignature(text, key).then(() => {
      this.#remember(digest.text, token);
      return this.#current(token, key);
    });
  }

  #keyOf({ keyUid }: TenantToken, action: string): Key {
    const key = this.keys.get(keyUid);
    if (!key || hasExpired(key) || !key.rights.has(action))
      throw refused(`its API key \`${keyUid}\` is not valid for this route`);
    return key;
  }

  async #checkSignature(text: string, { value }: Key): Promise<void> {
    try {
      await compactVerify(text, new TextEncoder().encode(value), { algorithms: ALGORITHMS });
    } catch (error) {
      throw refused(`its signature is not that of its API key by one of ${ALGORITHMS.join(', ')} (${(error as Error).message})`);
    }
  }

  #current({ rules, expiry }: TenantToken, key: Key): VerifiedToken {
    const seconds = Math.floor(Date.now() / 1000);
    if (expiry !== null && seconds > expiry) throw refused(`it expired at ${expiry}, now is ${seconds}`);
    return { key, rules };
  }

  #remember(digest: string, token: TenantToken): void {
    this.#good.set(digest, token);
    if (this.#good.size > REMEMBERED) this.#good.delete(this.#good.keys().next().value!);
  }
}

/** The claims of a token, not yet verified. Of the registered claims only `exp` and `aud` are used. */
function readClaims(text: string): TenantToken {
  let claims: Record<string, unknown>;
  try {
    claims = decodeJwt(text);
  } catch (error) {
    throw refused(`it cannot be decoded (${(error as Error).message})`);
  }
  const { apiKeyUid, searchRules, exp = null, aud = null } = claims;
  const keyUid = typeof apiKeyUid === 'string' ? readUuid(apiKeyUid) : null;
  if (keyUid === null) throw refused('its claim `apiKeyUid` is not the uid of an API key');
  const rules = readTokenRules(searchRules);
  if (!rules) throw refused('its claim `searchRules` is neither a list of index patterns nor an object of patterns and rules');
  if (exp !== null && !Number.isSafeInteger(exp)) throw refused('its claim `exp` is not an integer of Unix seconds');
  if (aud !== null) throw refused('its claim `aud` addresses somebody else');
  return { keyUid, rules, expiry: exp as number | null };
}

function refused(reason: string): ApiError {
  return apiError('invalid_api_key', 'tenantToken', { reason });
}
