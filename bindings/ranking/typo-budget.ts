import type { IndexReader } from '../engine/segments.js';
import { Tokenizer } from '../engine/tokenizer.js';
import type { IndexSettings } from '../index-types.js';

/** How many typos a word of the query may have (0, 1 or 2); `wordCount` words were joined into it. */
export function typoBudget(settings: IndexSettings, exceptions: ReadonlySet<string>, text: string, wordCount: number): number {
  const { enabled, minWordSizeForTypos } = settings.typoTolerance;
  if (!enabled || exceptions.has(text)) return 0;
  let length = 0;
  for (const _ of text) length++;
  if (length < minWordSizeForTypos.oneTypo) return 0;
  const budget = length < minWordSizeForTypos.twoTypos ? 1 : 2;
  return Math.max(0, budget - (wordCount - 1));
}

/** `disableOnWords` in the form in which query words are compared: each entry's tokens, separators too, joined again. */
export function typoExceptions(reader: IndexReader): ReadonlySet<string> {
  const { stopWords, typoTolerance } = reader.view.settings;
  const { disableOnWords } = typoTolerance;
  if (disableOnWords.length === 0) return new Set();
  const tokenizer = new Tokenizer(reader.instance, { stopWords, separatorTokens: [], nonSeparatorTokens: [], dictionary: [] });
  const lemmas = (entry: string): string[] => tokenizer.tokenize(entry).map((token) => token.lemma);
  return new Set(disableOnWords.map((entry) => lemmas(entry).join('')));
}
