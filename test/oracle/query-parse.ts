import type { Corpus } from './corpus.js';
import { endsBlank } from './text.js';

/** Parses a query into terms: words, phrases, and excluded ones. */

const MAX_TERMS = 10;
const MAX_TOKENS = 1000;
/** Added to the position of the word after a hard separator. */
const HARD_STEP = 7;

export interface Term {
  /** One word, or the words of a phrase; null represents a stop word in a phrase. */
  words: (string | null)[];
  isPhrase: boolean;
  /** The last word typed: any word that begins with it will do. */
  isPrefix: boolean;
  /** Positions of the first and last word in the query. */
  start: number;
  end: number;
}

export interface ParsedQuery {
  terms: Term[];
  excludedWords: string[];
  excludedPhrases: (string | null)[][];
}

interface OpenPhrase {
  excluded: boolean;
  words: (string | null)[];
  start: number;
  end: number;
}

export function parseQuery(text: string, corpus: Corpus): ParsedQuery {
  const tokens = corpus.tokenizer
    .tokenize(text)
    .slice(0, MAX_TOKENS)
    .filter((token) => token.lemma !== '');
  const parsed: ParsedQuery = { terms: [], excludedWords: [], excludedPhrases: [] };
  const { terms } = parsed;
  let phrase: OpenPhrase | null = null;
  let excludesNext = false;
  let afterBlank = true;
  let position = -1;

  const open = (excluded: boolean): OpenPhrase => ({ excluded, words: [], start: -1, end: -1 });
  const close = ({ excluded, words, start, end }: OpenPhrase): void => {
    if (words.every((word) => word === null)) return;
    if (excluded) parsed.excludedPhrases.push(words);
    else terms.push({ words, isPhrase: true, isPrefix: false, start, end });
  };

  for (const [index, { kind, lemma }] of tokens.entries()) {
    // what an eleventh term would begin is not read, an open phrase included
    if (terms.length >= MAX_TERMS) return parsed;
    if (kind === 'word' || kind === 'stop') {
      position++;
      const isLast = index === tokens.length - 1;
      if (phrase) {
        phrase.words.push(kind === 'stop' ? null : lemma);
        if (kind === 'word' && phrase.start < 0) phrase.start = position;
        phrase.end = position;
      } else if (excludesNext) {
        parsed.excludedWords.push(lemma);
        excludesNext = false;
      } else if (kind === 'word' || isLast) {
        const isPrefix = isLast && corpus.settings.prefixSearch !== 'disabled';
        terms.push({ words: [lemma], isPhrase: false, isPrefix, start: position, end: position });
      }
    } else {
      if (kind === 'hard') {
        position += HARD_STEP;
        if (phrase) {
          close(phrase);
          phrase = open(phrase.excluded);
        }
      }
      if (lemma.includes('"')) {
        if (phrase) close(phrase);
        phrase = phrase ? null : open(excludesNext);
      }
      excludesNext = phrase === null && lemma === '-' && afterBlank;
    }
    afterBlank = endsBlank(lemma);
  }
  if (phrase) close(phrase);
  return parsed;
}
