import type { IndexSettings } from '../../bindings/index-types.js';
import { DEFAULT_SETTINGS } from '../index/settings.js';
import { pick, upTo } from './random.js';

const DOCUMENTS = 5000;
/** Different words, about. */
const WORDS = 6000;
const KINDS = ['aquatic', 'boreal', 'coastal', 'desert', 'estuary', 'forest', 'grassland', 'highland'];
const SYLLABLES = 'ba ke li mo nu ra se ti vo pra cle gri sto fen dal mer tor lin sal net per con der'.split(' ');

export const PRIMARY_KEY = 'id';

export const SETTINGS: IndexSettings = {
  ...DEFAULT_SETTINGS,
  searchableAttributes: ['name', 'summary', 'text'],
  filterableAttributes: ['kind', 'size'],
  sortableAttributes: ['size'],
};

/** A document of made-up words, few of them frequent and most of them rare, as in any language. */
export interface MadeUpDocument {
  id: number;
  name: string[];
  summary: string[];
  text: string[];
  kind: string;
  size: number;
}

export function madeUpDocuments(): MadeUpDocument[] {
  const words = Array.from({ length: WORDS }, () => Array.from({ length: 1 + upTo(4) }, () => pick(SYLLABLES)).join(''));
  // the frequency of a word falls with its rank
  const word = () => words[Math.floor(WORDS ** Math.random()) - 1] as string;
  const some = (count: number) => Array.from({ length: count }, word);
  return Array.from({ length: DOCUMENTS }, (_, id) => ({
    id,
    name: some(1 + upTo(3)),
    summary: some(4 + upTo(6)),
    text: some(20 + upTo(50)),
    kind: pick(KINDS),
    size: upTo(1_000_000),
  }));
}

/** The documents as NDJSON. */
export function payloadOf(documents: readonly MadeUpDocument[]): Uint8Array {
  const lines = documents.map(({ name, summary, text, ...rest }) =>
    JSON.stringify({ ...rest, name: name.join(' '), summary: summary.join(' '), text: `${text.join(' ')}.` }),
  );
  return new TextEncoder().encode(lines.join('\n'));
}
