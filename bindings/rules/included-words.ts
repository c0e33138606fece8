import type { Token } from '../engine/tokenizer.js';

/**
 * The normalized words that a query asks for, including those of its phrases, without those that it excludes by a minus sign: a rule
 * for `lamp` does not apply to a search for `stool -lamp`. Minus signs are read as in the engine (assembly/graph/query.ts).
 */
export function includedWords(tokens: readonly Token[]): string[] {
  const words: string[] = [];
  let phrase: 'included' | 'excluded' | null = null;
  let excludesNext = false;
  let afterSpace = true;
  for (const { kind, lemma } of tokens) {
    if (lemma === '') continue;
    if (kind === 'word' || kind === 'stop') {
      const isExcluded = phrase === null ? excludesNext : phrase === 'excluded';
      if (phrase === null) excludesNext = false;
      if (kind === 'word' && !isExcluded) words.push(lemma);
    } else {
      if (lemma.includes('"')) phrase = phrase === null ? (excludesNext ? 'excluded' : 'included') : null;
      excludesNext = phrase === null && lemma === '-' && afterSpace;
    }
    afterSpace = /\s$/.test(lemma);
  }
  return words;
}
