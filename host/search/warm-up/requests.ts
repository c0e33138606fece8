import type { MadeUpDocument } from './collection.js';
import { pick, upTo } from './random.js';

type Request = Record<string, unknown>;

/** What people ask, each kind as often as the others. */
const KINDS: ((documents: readonly MadeUpDocument[]) => Request)[] = [
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

/** The body of a search of the made-up documents. */
export function madeUpRequest(documents: readonly MadeUpDocument[]): Uint8Array {
  return Buffer.from(JSON.stringify(pick(KINDS)(documents)));
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
