import type { Tokenizer } from '../engine/tokenizer.js';
import { byteLength } from '../engine/utf8.js';
import type { IndexView } from '../index-types.js';
import { compareBytes } from './derivations.js';

const MAX_SYNONYMS = 50;
const MAX_SYNONYM_WORDS = 100;
/** Longer keys, in bytes of their words, are ignored. */
const MAX_KEY_BYTES = 499;
const SEPARATOR = '\u0000';

/** Key (its words joined by NUL) -> values, each a list of words. */
export type SynonymTable = ReadonlyMap<string, readonly (readonly string[])[]>;

const tables = new WeakMap<IndexView, SynonymTable>();

/** The synonyms of an index in normalised words; made once for each state of the index. */
export function synonymTable(view: IndexView, tokenizer: Tokenizer): SynonymTable {
  const known = tables.get(view);
  if (known) return known;
  const table = new Map<string, string[][]>();
  const originals = new Map<string, string[]>();
  const wordsOf = (text: string): string[] =>
    tokenizer
      .tokenize(text)
      .filter((token) => token.kind === 'word' && token.lemma !== '')
      .map((token) => token.lemma);
  for (const [key, values] of Object.entries(view.settings.synonyms)) {
    const words = wordsOf(key).join(SEPARATOR);
    if (words !== '' && byteLength(words) <= MAX_KEY_BYTES) originals.set(words, [...(originals.get(words) ?? []), ...values]);
  }
  for (const [key, values] of originals) {
    const unique = new Map<string, string[]>();
    for (const value of values.sort(compareBytes)) {
      const words = wordsOf(value);
      const id = words.join(SEPARATOR);
      if (words.length > 0 && !unique.has(id)) unique.set(id, words);
    }
    table.set(key, [...unique.values()]);
  }
  tables.set(view, table);
  return table;
}

/** Synonyms of a plain word, or of words joined (`text`) and in sequence (`typed`). */
export function synonymsOf(table: SynonymTable, text: string, typed: readonly string[]): (readonly string[])[] {
  if (table.size === 0) return [];
  const found: (readonly string[])[] = [];
  let total = 0;
  for (const value of (table.get(text) ?? []).slice(0, MAX_SYNONYMS)) {
    if (total + value.length > MAX_SYNONYM_WORDS) continue;
    total += value.length;
    found.push(value);
  }
  if (typed.length > 1) found.push(...(table.get(typed.join(SEPARATOR)) ?? []));
  return found;
}
