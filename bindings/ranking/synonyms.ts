import type { Tokenizer } from '../engine/tokenizer.js';
import { byteLength, compareTexts } from '../engine/utf8.js';
import type { IndexView } from '../index-types.js';

/** Longest key in bytes; longer ones are ignored. */
const MAX_KEY_BYTES = 499;
const SEPARATOR = '\u0000';

/** Key (its words joined by NUL) -> values, each a list of words. */
export type SynonymTable = ReadonlyMap<string, readonly (readonly string[])[]>;

/** The synonyms of an index, with normalised words. */
export function synonymTable(view: IndexView, tokenizer: Tokenizer): SynonymTable {
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
    for (const value of values.sort(compareTexts)) {
      const words = wordsOf(value);
      const id = words.join(SEPARATOR);
      if (words.length > 0 && !unique.has(id)) unique.set(id, words);
    }
    table.set(key, [...unique.values()]);
  }
  return table;
}
