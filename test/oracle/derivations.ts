import type { Corpus, Within } from './corpus.js';
import { utf8Length } from './text.js';
import { Tokenizer } from './tokenizer.js';

/** The derivations of a query word in the index: prefixes, typos, a split into two, synonyms. */

export const MAX_WORD_BYTES = 250;
const MAX_PREFIXES = 1000;
const MAX_ONE_TYPO = 150;
const MAX_TWO_TYPOS = 50;
const MAX_SYNONYMS = 50;
const MAX_SYNONYM_WORDS = 100;
/** A prefix of at most 4 bytes that 100 dictionary words share has no limit on its words. */
const SHORT_PREFIX_BYTES = 4;
const SHORT_PREFIX_WORDS = 100;

/** Restricted Damerau-Levenshtein distance; `toPrefix`: to the nearest prefix of `word`. */
function editDistance(query: readonly string[], word: readonly string[], toPrefix: boolean): number {
  const rows: number[][] = [query.map((_, i) => i).concat(query.length)];
  const cell = (j: number, i: number): number => rows[j]?.[i] as number;
  let nearest = query.length;
  for (let j = 1; j <= word.length; j++) {
    const row = [j];
    rows.push(row);
    for (let i = 1; i <= query.length; i++) {
      const same = query[i - 1] === word[j - 1];
      let cost = Math.min(cell(j - 1, i - 1) + (same ? 0 : 1), cell(j - 1, i) + 1, cell(j, i - 1) + 1);
      const swapped = i > 1 && j > 1 && query[i - 1] === word[j - 2] && query[i - 2] === word[j - 1];
      if (swapped) cost = Math.min(cost, cell(j - 2, i - 2) + 1);
      row.push(cost);
    }
    nearest = Math.min(nearest, cell(j, query.length));
  }
  return toPrefix ? nearest : cell(word.length, query.length);
}

/** Typos a word may have. */
export function typoBudget(corpus: Corpus, word: string): number {
  const { enabled, minWordSizeForTypos } = corpus.settings.typoTolerance;
  const length = [...word].length;
  if (!enabled || length < minWordSizeForTypos.oneTypo || exceptions(corpus).has(word)) return 0;
  return length < minWordSizeForTypos.twoTypos ? 1 : 2;
}

const exceptionSets = new WeakMap<Corpus, Set<string>>();

/** The words of `disableOnWords` in the normal form of query words. */
function exceptions(corpus: Corpus): Set<string> {
  const known = exceptionSets.get(corpus);
  if (known) return known;
  const { stopWords, typoTolerance } = corpus.settings;
  const tokenizer = new Tokenizer({ stopWords, separatorTokens: [], nonSeparatorTokens: [], dictionary: [] });
  const lemmas = typoTolerance.disableOnWords.map((word) => tokenizer.tokenize(word).map((token) => token.lemma));
  const set = new Set(lemmas.map((parts) => parts.join('')));
  exceptionSets.set(corpus, set);
  return set;
}

/** Dictionary words one and two typos away. A typo on the first letter counts two, and only alone. */
export function typoWords(corpus: Corpus, word: string, budget: number, isPrefix: boolean): [one: string[], two: string[]] {
  const one: string[] = [];
  const two: string[] = [];
  const query = [...word];
  if (budget === 0) return [one, two];
  for (const candidate of corpus.dictionary) {
    const sameFirst = candidate.codePointAt(0) === word.codePointAt(0);
    if (!sameFirst && budget === 1) continue;
    const letters = [...candidate];
    if (query.length - letters.length > budget || (!isPrefix && letters.length - query.length > budget)) continue;
    const distance = editDistance(query, letters, isPrefix);
    if (distance === 0 || distance > (sameFirst ? budget : 1)) continue;
    if (sameFirst && distance === 1) one.push(candidate);
    else two.push(candidate);
  }
  return [one.slice(0, MAX_ONE_TYPO), two.slice(0, MAX_TWO_TYPOS)];
}

/** Words that start with a prefix; `unlimited` when there are enough of them for a stored list. */
export function prefixWords(corpus: Corpus, prefix: string): { words: string[]; unlimited: boolean } {
  const shared = corpus.startingWith(corpus.dictionary, prefix).length + (corpus.dictionary.includes(prefix) ? 1 : 0);
  const unlimited = utf8Length(prefix) <= SHORT_PREFIX_BYTES && shared >= SHORT_PREFIX_WORDS;
  const words = corpus.startingWith(corpus.words, prefix);
  return { words: unlimited ? words : words.slice(0, MAX_PREFIXES), unlimited };
}

/** The cut of a word whose two halves are neighbours in most documents; the shortest left half wins a tie. */
export function bestSplit(corpus: Corpus, word: string, within: Within): [string, string] | null {
  const letters = [...word];
  let best: [string, string] | null = null;
  let most = 0;
  for (let cut = 1; cut < letters.length; cut++) {
    const left = letters.slice(0, cut).join('');
    const right = letters.slice(cut).join('');
    const count = corpus.neighbours(left, right, within);
    if (count > most) {
      most = count;
      best = [left, right];
    }
  }
  return best;
}

const tables = new WeakMap<Corpus, Map<string, string[][]>>();
const sequenceKey = (words: readonly string[]): string => words.join('\u0000');

function synonymTable(corpus: Corpus): Map<string, string[][]> {
  const known = tables.get(corpus);
  if (known) return known;
  const sent = new Map<string, string[]>();
  for (const [key, values] of Object.entries(corpus.settings.synonyms)) {
    const words = corpus.tokenizer.words(key);
    if (words.length > 0) sent.set(sequenceKey(words), [...(sent.get(sequenceKey(words)) ?? []), ...values]);
  }
  const table = new Map<string, string[][]>();
  for (const [key, values] of sent) {
    const bySequence = new Map<string, string[]>();
    for (const value of values.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))) {
      const words = corpus.tokenizer.words(value);
      if (words.length > 0 && !bySequence.has(sequenceKey(words))) bySequence.set(sequenceKey(words), words);
    }
    table.set(key, [...bySequence.values()]);
  }
  tables.set(corpus, table);
  return table;
}

/** Synonyms of one word, within the limits. */
export function synonymsOfWord(corpus: Corpus, word: string): string[][] {
  let total = 0;
  return (synonymTable(corpus).get(word) ?? []).slice(0, MAX_SYNONYMS).filter((value) => {
    if (total + value.length > MAX_SYNONYM_WORDS) return false;
    total += value.length;
    return true;
  });
}

/** Synonyms of several words in a row. */
export function synonymsOfSequence(corpus: Corpus, words: readonly string[]): string[][] {
  return synonymTable(corpus).get(sequenceKey(words)) ?? [];
}
