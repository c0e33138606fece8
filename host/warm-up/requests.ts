import type { MadeUpDocument } from './collection.js';
import type { Request } from './exchange.js';
import { pick, upTo } from './random.js';

type Search = Record<string, unknown>;

/** What people ask, each kind as often as the others. */
const KINDS: ((documents: readonly MadeUpDocument[]) => Search)[] = [
  (documents) => ({ q: words(documents, 1) }),
  (documents) => ({ q: words(documents, 2) }),
  (documents) => ({ q: words(documents, 4) }),
  (documents) => ({ q: words(documents, 8) }),
  (documents) => ({ q: typed(words(documents, 1 + upTo(3))) }),
  (documents) => ({ q: mistyped(words(documents, 1 + upTo(3))) }),
  (documents) => ({ q: `"${words(documents, 2 + upTo(2))}"` }),
  (documents) => ({ q: words(documents, 1), filter: `kind = ${pick(documents).kind} AND size > ${upTo(1_000_000)}` }),
  (documents) => ({ q: words(documents, 1), sort: ['size:desc'] }),
  (documents) => ({ q: words(documents, 1), facets: ['kind', 'size'] }),
  (documents) => ({ q: words(documents, 2), attributesToHighlight: ['*'], attributesToCrop: ['name', 'summary', 'text'] }),
  () => ({ q: '', offset: upTo(200) }),
  (documents) => ({ q: words(documents, 1), page: 1 + upTo(20) }),
];

/** What clients send along. */
const HEADERS: string[][] = [
  [],
  ['user-agent: made-up', 'accept: */*', 'accept-language: *', 'connection: keep-alive'],
  ['user-agent: made-up', 'accept: application/json', 'accept-encoding: identity', 'origin: http://localhost'],
];

/** Of so many requests one is a search by GET; likewise one that is no search, and one so long that it comes in pieces. */
const RARELY = 16;
const LONG = ' '.repeat(100_000);

/** A request that searches the made-up documents, or looks how the service is. @param keys those that clients may use */
export function madeUpRequest(uid: string, documents: readonly MadeUpDocument[], keys: readonly string[]): Request {
  const headers = [...pick(HEADERS), ...(keys.length === 0 ? [] : [`authorization: Bearer ${pick(keys)}`])];
  const path = `/indexes/${uid}/search`;
  const get = (path: string): Request => ({ method: 'GET', path, headers, body: '' });
  if (upTo(RARELY) === 0) return get(`${path}?${new URLSearchParams({ q: words(documents, 2) })}`);
  if (upTo(RARELY) === 0) return get('/health');
  const body = JSON.stringify(pick(KINDS)(documents)) + (upTo(RARELY) === 0 ? LONG : '');
  return { method: 'POST', path, headers: [...headers, 'content-type: application/json'], body };
}

/** Some words that stand together in a document. */
function words(documents: readonly MadeUpDocument[], count: number): string {
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
