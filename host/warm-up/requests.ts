import type { SyntheticDocument } from './collection.js';
import type { Request } from './exchange.js';
import { pick, upTo } from './random.js';

type Search = Record<string, unknown>;
type Asked = (documents: readonly SyntheticDocument[]) => Search;

/** What people look for, each kind as often as the others. */
const QUERIES: Asked[] = [
  (documents) => ({ q: words(documents, 1) }),
  (documents) => ({ q: words(documents, 2) }),
  (documents) => ({ q: words(documents, 4) }),
  (documents) => ({ q: words(documents, 8) }),
  (documents) => ({ q: typed(words(documents, 1 + upTo(3))) }),
  (documents) => ({ q: mistyped(words(documents, 1 + upTo(3))) }),
  (documents) => ({ q: `"${words(documents, 2 + upTo(2))}"` }),
  () => ({ q: '', offset: upTo(200) }),
];

/** What else they want to have: one search in so many. */
const WISHES: [number, Asked][] = [
  [3, (documents) => ({ filter: pick(FILTERS)(pick(documents)) })],
  [5, () => ({ sort: pick(SORTS) })],
  [5, () => ({ facets: ['kind', 'size'] })],
  [8, () => ({ attributesToHighlight: ['*'], attributesToCrop: ['name', 'summary', 'text'] })],
  [12, () => ({ page: 1 + upTo(20) })],
];

const FILTERS: ((document: SyntheticDocument) => string | string[])[] = [
  ({ kind }) => `kind = ${kind} AND size > ${upTo(1_000_000)}`,
  ({ kind, size }) => `kind = "${kind}" AND size <= ${size}`,
  ({ kind, size }) => `(kind = '${kind}' OR size < ${size}) AND NOT size = 0`,
  ({ kind, size }) => `kind IN [${kind}, "desert"] AND size ${upTo(size)} TO ${size}`,
  ({ kind, size }) => [`kind != ${kind}`, `size >= ${size}`],
];

const SORTS = [['size:desc'], ['size:asc'], ['kind:asc'], ['kind:desc', 'size:asc']];

/** What clients send along. */
const HEADERS: string[][] = [
  [],
  ['user-agent: synthetic', 'accept: */*', 'accept-language: *', 'connection: keep-alive'],
  ['user-agent: synthetic', 'accept: application/json', 'accept-encoding: identity', 'origin: http://localhost'],
];

/** Of so many requests one is a search by GET; likewise one that is no search, and one so long that it comes in pieces. */
const RARELY = 16;
const LONG = ' '.repeat(100_000);

/** A request that searches the synthetic documents, or looks how the service is. @param keys those that clients may use */
export function syntheticRequest(uid: string, documents: readonly SyntheticDocument[], keys: readonly string[]): Request {
  const headers = [...pick(HEADERS), ...(keys.length === 0 ? [] : [`authorization: Bearer ${pick(keys)}`])];
  const path = `/indexes/${uid}/search`;
  const get = (path: string): Request => ({ method: 'GET', path, headers, body: '' });
  if (upTo(RARELY) === 0) return get(`${path}?${new URLSearchParams({ q: words(documents, 2) })}`);
  if (upTo(RARELY) === 0) return get('/health');
  const body = JSON.stringify(search(documents)) + (upTo(RARELY) === 0 ? LONG : '');
  return { method: 'POST', path, headers: [...headers, 'content-type: application/json'], body };
}

function search(documents: readonly SyntheticDocument[]): Search {
  const wishes = WISHES.filter(([rarity]) => upTo(rarity) === 0);
  return Object.assign(pick(QUERIES)(documents), ...wishes.map(([, wish]) => wish(documents)));
}

/** Some words that stand together in a document. */
function words(documents: readonly SyntheticDocument[], count: number): string {
  const { name, summary, text } = pick(documents);
  const field = pick([name, summary, text].filter(({ length }) => length >= count));
  const from = upTo(field.length - count + 1);
  return field.slice(from, from + count).join(' ');
}

/** A query that is still being typed. */
function typed(query: string): string {
  return query.slice(0, 1 + upTo(query.length));
}

/** A letter is missing in the query. */
function mistyped(query: string): string {
  const at = upTo(query.length);
  return query.slice(0, at) + query.slice(at + 1);
}
