import { createHmac } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import { KeyStore, keyValue } from '../../../auth/keys.js';
import { ACTIONS } from '../../../auth/rights.js';
import type { Ledger } from '../../../storage/ledger/ledger.js';

/** All kinds of callers: keys of every action, scope and state, tokens with every claim broken, and other headers. */

export const MASTER = 'a master key for tests';

export type KeyState = 'valid' | 'expired' | 'deleted';

export interface KeyCaller {
  kind: 'key';
  name: string;
  action: string;
  indexes: readonly string[];
  state: KeyState;
  uid: string;
  /** Its `authorization` header. */
  value: string;
}

export interface TokenCaller {
  kind: 'token';
  name: string;
  parent: KeyCaller;
  /** null: always refused. */
  rules: readonly string[] | null;
  value: string;
}

/** A caller that is admitted or refused by its header alone. */
export interface HeaderCaller {
  kind: 'header';
  name: string;
  /** undefined: no header is sent. */
  header: string | undefined;
  answer: 'open' | 401 | 403;
}

export type Caller = KeyCaller | TokenCaller | HeaderCaller;

export const HEADERS: readonly HeaderCaller[] = [
  { kind: 'header', name: 'no header', header: undefined, answer: 401 },
  { kind: 'header', name: 'an empty header', header: '', answer: 401 },
  { kind: 'header', name: 'a key without scheme', header: MASTER, answer: 401 },
  { kind: 'header', name: 'another scheme', header: `Basic ${Buffer.from(`:${MASTER}`).toString('base64')}`, answer: 401 },
  { kind: 'header', name: 'the scheme in small letters', header: `bearer ${MASTER}`, answer: 401 },
  { kind: 'header', name: 'no key', header: 'Bearer ', answer: 403 },
  { kind: 'header', name: 'an unknown key', header: `Bearer ${'0'.repeat(64)}`, answer: 403 },
  { kind: 'header', name: 'a part of the master key', header: `Bearer ${MASTER.slice(0, -1)}`, answer: 403 },
  { kind: 'header', name: 'the master key', header: `Bearer ${MASTER}`, answer: 'open' },
];

/** Indexes that keys and rules are limited to. `Books` is no index: letter case counts. */
const SCOPES: readonly (readonly string[])[] = [['*'], ['books'], ['books*'], ['plants', 'books_fr'], ['Books'], []];
const STATES: readonly KeyState[] = ['valid', 'expired', 'deleted'];
const PAST = Date.UTC(2020, 0, 1) * 1000;

/** Creates a key for each action, scope and state; also for global actions on single indexes, which the route for keys refuses. */
export async function makeKeys(ledger: Ledger): Promise<KeyCaller[]> {
  const store = await KeyStore.load(ledger, MASTER);
  const made: Promise<KeyCaller>[] = [];
  for (const action of ACTIONS) {
    for (const indexes of SCOPES) {
      for (const state of STATES) made.push(makeKey(store, action, indexes, state));
    }
  }
  return Promise.all(made);
}

async function makeKey(store: KeyStore, action: string, indexes: readonly string[], state: KeyState): Promise<KeyCaller> {
  const name = `a ${state} key for ${action} on ${indexes.join(' ') || 'nothing'}`;
  const expiresAt = state === 'expired' ? PAST : null;
  const { record } = await store.create({ name, description: null, actions: [action], indexes: [...indexes], expiresAt });
  if (state === 'deleted') await store.delete(record.uid);
  return { kind: 'key', name, action, indexes, state, uid: record.uid, value: keyValue(MASTER, record.uid) };
}

/** The keys whose tokens are tried. */
const PARENTS = {
  actions: ['search', 'chatCompletions', '*', 'documents.get'],
  scopes: SCOPES.slice(0, 2),
};
const FAR = 32_503_680_000;
const NOBODY = '0b6f3d1e-6a52-4a6e-8f0a-2f2b6f4c9d10';

type Claims = Record<string, unknown>;

/** Claims that replace valid ones; `rules`: the rights of the resulting token, null if it is refused. */
const CLAIMS: readonly [name: string, claims: Claims, rules: readonly string[] | null][] = [
  ['every index', { searchRules: ['*'] }, ['*']],
  ['rules as an object', { searchRules: { '*': null } }, ['*']],
  ['one index', { searchRules: { books: {} } }, ['books']],
  ['a prefix', { searchRules: ['books*'] }, ['books*']],
  ['no index', { searchRules: [] }, []],
  ['no index, as an object', { searchRules: {} }, []],
  ['patterns that fit nothing', { searchRules: ['b*s', '*ooks', 'Books', ''] }, []],
  ['an end to come', { exp: FAR }, ['*']],
  ['claims that mean nothing here', { nbf: FAR, iat: FAR, iss: 'me', sub: 'you', jti: '1', aud: null, exp: null }, ['*']],
  ['no rules', { searchRules: undefined }, null],
  ['rules that are null', { searchRules: null }, null],
  ['rules in a text', { searchRules: '*' }, null],
  ['rules that are a number', { searchRules: 1 }, null],
  ['a rule that is a number', { searchRules: [1] }, null],
  ['a rule that is a text', { searchRules: { '*': 'a = 1' } }, null],
  ['a rule that is a list', { searchRules: { '*': [] } }, null],
  ['an end that has passed', { exp: 1_000_000_000 }, null],
  ['the end 0', { exp: 0 }, null],
  ['an end before all time', { exp: -1 }, null],
  ['an end in a text', { exp: String(FAR) }, null],
  ['an end with a fraction', { exp: FAR + 0.5 }, null],
  ['an audience', { aud: 'somebody' }, null],
  ['an empty list of audiences', { aud: [] }, null],
  ['no key', { apiKeyUid: undefined }, null],
  ['a key that is null', { apiKeyUid: null }, null],
  ['a key that does not exist', { apiKeyUid: NOBODY }, null],
  ['a key that is no uid', { apiKeyUid: 'books' }, null],
];

/** Tokens of some keys with every claim, and every part of their form, broken. */
export async function makeTokens(keys: readonly KeyCaller[]): Promise<TokenCaller[]> {
  const parents = keys.filter(({ action, indexes }) => PARENTS.actions.includes(action) && PARENTS.scopes.includes(indexes));
  const other = keys.find(({ action, state }) => action === 'search' && state === 'valid')!;
  return (await Promise.all(parents.map((parent) => tokensOf(parent, other)))).flat();
}

async function tokensOf(parent: KeyCaller, other: KeyCaller): Promise<TokenCaller[]> {
  const good = { apiKeyUid: parent.uid, searchRules: ['*'] };
  const make = (name: string, value: string, rules: readonly string[] | null): TokenCaller => {
    return { kind: 'token', name: `a token with ${name} of ${parent.name}`, parent, rules, value };
  };
  const sign = (claims: Claims, alg: string, secret: string) =>
    new SignJWT(claims).setProtectedHeader({ alg }).sign(Buffer.from(secret));
  const tokens: TokenCaller[] = [];
  for (const [name, claims, rules] of CLAIMS)
    tokens.push(make(name, await sign({ ...good, ...claims }, 'HS256', parent.value), rules));
  for (const alg of ['HS384', 'HS512']) tokens.push(make(alg, await sign(good, alg, parent.value), ['*']));
  // the token of another key, or of none
  const secrets = { 'the uid': parent.uid, 'the master key': MASTER, nothing: '0'.repeat(64), 'another key': other.value };
  for (const [name, secret] of Object.entries(secrets)) {
    if (secret !== parent.value) tokens.push(make(`the signature of ${name}`, await sign(good, 'HS256', secret), null));
  }
  const text = await sign(good, 'HS256', parent.value);
  const [head, body, signature] = text.split('.') as [string, string, string];
  const wider = Buffer.from(JSON.stringify({ ...good, searchRules: { '*': null } })).toString('base64url');
  const named = (header: Claims) => {
    const start = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${body}`;
    return `${start}.${createHmac('sha256', parent.value).update(start).digest('base64url')}`;
  };
  const forms: Record<string, string> = {
    'other claims under its signature': `${head}.${wider}.${signature}`,
    'no signature': `${head}.${body}.`,
    'a cut signature': text.slice(0, -4),
    'a part too many': `${text}.x`,
    'a part too few': `${head}.${body}`,
    'no parts': '..',
    'parts that mean nothing': 'a.b.c',
    'claims that are no object': `${head}.${Buffer.from('[]').toString('base64url')}.${signature}`,
    'the algorithm none': new UnsecuredJWT(good).encode(),
    'the algorithm none, signed': named({ alg: 'none' }),
    'the algorithm RS256': named({ alg: 'RS256' }),
    'the algorithm HS1': named({ alg: 'HS1' }),
    'its algorithm in small letters': named({ alg: 'hs256' }),
    'no algorithm': named({}),
    'a critical header': named({ alg: 'HS256', crit: ['x'], x: 1 }),
  };
  for (const [name, value] of Object.entries(forms)) tokens.push(make(name, value, null));
  return tokens;
}
