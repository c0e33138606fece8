import { gzipSync } from 'node:zlib';
import type { Member, Schema } from '../../bindings/query/validate.js';
import type { SeededRandom } from '../../bindings/test/random.js';
import { ROUTES } from '../../host/http/route-table.js';
import type { Route } from '../../host/http/table/route.js';
import { documents, FORMS } from './documents.js';
import { INDEXES, word } from './texts.js';
import { mutated, STRANGE, valueFor } from './values.js';

/** Requests made from the table of routes: each route of it is sent, with members and parameters from the tables that read them. */

export interface FuzzRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
}

/** Routes that are drawn more often than others: most of the service is behind them. */
const WEIGHTS: readonly [pattern: RegExp, weight: number][] = [
  [/search|similar/, 80],
  [/documents/, 10],
  [/render|PATCH .*settings$|fields/, 6],
  [/settings\//, 1],
  [/dumps|snapshots|export|logs\/stream|completions/, 1],
];
const USUAL_WEIGHT = 3;

const DRAWN: readonly (readonly [string, Route])[] = Object.entries(ROUTES).flatMap((entry) => {
  const weight = WEIGHTS.find(([pattern]) => pattern.test(entry[0]))?.[1] ?? USUAL_WEIGHT;
  return Array.from({ length: weight }, () => entry);
});

/** Values in paths, by name of the parameter; other parameters get any text. */
const IN_PATHS: Readonly<Record<string, readonly string[]>> = {
  index_uid: [...INDEXES, 'movies', 'movies', 'movies'],
  document_id: ['1', '2', '59', 'x'],
  task_uid: ['0', '1', '5'],
  batch_uid: ['0', '1', '5'],
  uuid: ['6a6f3d1e-6a52-4a6e-8f0a-2f2b6f4c9d10'],
  workspace_uid: ['chat', 'constructor'],
  rule_uid: ['rule', 'constructor'],
};
const ODD_PATHS = [
  '',
  ' ',
  '.',
  '..',
  '%',
  '%00',
  '%zz',
  '%ff',
  '*',
  'a/b',
  '-1',
  '1.5',
  '99999999999999999999',
  'x'.repeat(500),
  'é',
  '東京',
];

const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/problem+json',
  'text/plain',
  'x',
  '',
  'text/csv',
  'application/x-ndjson',
];

/** One request: good in two of five cases, one thing wrong in the next two, and bytes of it changed in the last. */
export function someRequest(random: SeededRandom): FuzzRequest {
  const [route, { body, parameters, types = ['application/json'] }] = random.pick(DRAWN);
  const [method, pattern] = route.split(' ') as [string, string];
  const mode = random.pick(['good', 'good', 'near', 'near', 'broken'] as const);
  const headers: Record<string, string> = {};
  if (random.int(40) === 0) headers.prefer = random.pick(['wait=0', 'wait=1', 'wait=x', 'wait', 'respond-async']);
  if (random.int(40) === 0) headers['meili-include-metadata'] = random.pick(['true', '1', 'x']);
  if (random.int(60) === 0) headers.origin = 'http://example.org';
  if (random.int(30) === 0) headers['accept-encoding'] = random.pick(['gzip', 'br', 'deflate', 'identity;q=0', '*', 'x']);
  const path = pathOf(random, pattern, mode) + (parameters ? queryOf(random, parameters, mode) : '');
  if (!body) return { method, path, headers, body: random.int(50) === 0 ? Buffer.from('{}') : null };
  const type = random.pick(types);
  headers['content-type'] = mode !== 'good' && random.int(8) === 0 ? random.pick(TYPES) : type;
  let bytes: Buffer = Buffer.from(bodyOf(random, body, type, types.length > 1, mode));
  if (mode === 'broken') bytes = damaged(random, bytes);
  if (random.int(25) === 0) {
    headers['content-encoding'] = random.pick(['gzip', 'deflate', 'br', 'constructor', 'identity']);
    if (headers['content-encoding'] === 'gzip' && random.int(3) > 0) bytes = Buffer.from(gzipSync(bytes));
  }
  return { method, path, headers, body: bytes };
}

function pathOf(random: SeededRandom, pattern: string, mode: string): string {
  return pattern.replace(/:(\w+)/g, (_, name: string) => {
    if (mode !== 'good' && random.int(5) === 0) {
      const odd = random.pick(ODD_PATHS);
      return odd.startsWith('%') ? odd : encodeURIComponent(odd);
    }
    return encodeURIComponent(Object.hasOwn(IN_PATHS, name) ? random.pick(IN_PATHS[name]!) : wellFormed(word(random)));
  });
}

function queryOf(random: SeededRandom, table: NonNullable<Route['parameters']>, mode: string): string {
  const names = Object.keys(table);
  const sent = Array.from({ length: random.int(4) }, () => random.pick(names));
  const pairs = sent.map((name): [string, string] => {
    const { kind } = (table as Record<string, Member<unknown>>)[name]!;
    const value = mode !== 'good' && random.int(3) === 0 ? random.pick(STRANGE) : valueFor(random, kind.schema ?? {}, name);
    return [name, textOf(value)];
  });
  if (mode === 'near' && random.int(6) === 0) pairs.push([random.pick(['x', 'constructor', '__proto__', '']), '1']);
  const text = new URLSearchParams(pairs).toString();
  const query =
    mode === 'broken' ? text.slice(0, random.int(text.length + 1)) + random.pick(['', '%', '%zz', '&&', '=', '&=', '+']) : text;
  return query === '' ? '' : `?${query}`;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => textOf(one)).join(',');
  return wellFormed(typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, MAX_PARAMETER_LENGTH);
}

/** Node.js takes 16 KiB of headers, the first line among them. */
const MAX_PARAMETER_LENGTH = 1000;

function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

function bodyOf(random: SeededRandom, schema: Schema, type: string, isDocuments: boolean, mode: string): string {
  if (isDocuments) {
    const list = documents(random);
    const sent = mode === 'near' ? list.map((one) => mutated(random, one) as Record<string, unknown>) : list;
    return (
      FORMS[type]?.(
        sent.filter((one) => one !== null && typeof one === 'object'),
        random,
      ) ?? JSON.stringify(sent)
    );
  }
  const value = valueFor(random, schema);
  return JSON.stringify(mode === 'near' ? mutated(random, value) : value) ?? '';
}

/** Bytes with some of them changed, left out, repeated or put in. */
export function damaged(random: SeededRandom, bytes: Buffer): Buffer {
  let result: Buffer = Buffer.from(bytes);
  for (let left = 1 + random.int(3); left > 0; left--) {
    const at = random.int(result.length + 1);
    const [before, after] = [result.subarray(0, at), result.subarray(at)];
    const kind = random.int(6);
    if (kind === 0) result = Buffer.from(before);
    else if (kind === 1) result = Buffer.concat([before, after.subarray(1 + random.int(8))]);
    else if (kind === 2) result = Buffer.concat([before, after.subarray(0, random.int(40)), after]);
    else if (kind === 3) result = Buffer.concat([before, Buffer.from(random.pick(PIECES)), after]);
    else if (result.length > 0) result[at % result.length] = random.int(256);
  }
  return result;
}

const PIECES = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\0',
  '\n',
  '\xff',
  '\\ud800',
  '\\u0000',
  '1e999',
  '-',
  'null',
  '"__proto__":1,',
  '/*',
  '\ufeff',
];
