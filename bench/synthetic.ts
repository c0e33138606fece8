const DOCUMENTS = 5000;
/** Approximate number of different words. */
const WORDS = 6000;
/** Phrases; one in this many words begins one. */
const EXPRESSIONS = 300;
const EXPRESSED = 6;
/** One document in this many has no rating. */
const RATED = 4;
const KINDS = ['aquatic', 'boreal', 'coastal', 'desert', 'estuary', 'forest', 'grassland', 'highland'];
const SYLLABLES = 'ba ke li mo nu ra se ti vo pra cle gri sto fen dal mer tor lin sal net per con der'.split(' ');

export const PRIMARY_KEY = 'id';

/** A document of synthetic words, few of them frequent and most of them rare, as in any language. */
export interface SyntheticDocument {
  id: number;
  name: string[];
  summary: string[];
  text: string[];
  kind: string;
  size: number;
  labels: string[];
  rating: number | null;
  maker: { name: string; since: number; isActive: boolean };
}

export function syntheticDocuments(): SyntheticDocument[] {
  const words = Array.from({ length: WORDS }, () => Array.from({ length: 1 + upTo(4) }, () => pick(SYLLABLES)).join(''));
  const word = () => frequent(words);
  const expressions = Array.from({ length: EXPRESSIONS }, () => Array.from({ length: 2 + upTo(3) }, word));
  const some = (count: number) => {
    const text: string[] = [];
    while (text.length < count) text.push(...(upTo(EXPRESSED) === 0 ? frequent(expressions) : [word()]));
    return text.slice(0, count);
  };
  return Array.from({ length: DOCUMENTS }, (_, id) => ({
    id,
    name: some(1 + upTo(3)),
    summary: some(4 + upTo(6)),
    text: some(20 + upTo(50)),
    kind: pick(KINDS),
    size: upTo(1_000_000),
    labels: some(upTo(5)),
    rating: upTo(RATED) === 0 ? null : upTo(50) / 10,
    maker: { name: some(2).join(' '), since: 1900 + upTo(120), isActive: upTo(2) === 0 },
  }));
}

/** A random item; its frequency falls with its place in the list. */
function frequent<T>(list: readonly T[]): T {
  return list[Math.floor(list.length ** Math.random()) - 1] as T;
}

/** The documents as NDJSON. */
export function payloadOf(documents: readonly SyntheticDocument[]): Uint8Array {
  const lines = documents.map(({ name, summary, text, ...rest }) =>
    JSON.stringify({ ...rest, name: name.join(' '), summary: summary.join(' '), text: `"${text.join(' ')}."\n` }),
  );
  return new TextEncoder().encode(lines.join('\n'));
}

/** An integer below `end`. */
function upTo(end: number): number {
  return Math.floor(Math.random() * end);
}

function pick<T>(list: readonly T[]): T {
  return list[upTo(list.length)] as T;
}
