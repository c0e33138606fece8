import { type Token, Tokenizer } from '../engine/tokenizer.js';
import { loadPlainEngine } from './engine.js';
import type { MatchTerms } from './match-terms.js';

const engine = loadPlainEngine();
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const NO_SETTINGS = { stopWords: [], separatorTokens: [], nonSeparatorTokens: [], dictionary: [] };

export interface NaiveMatch {
  /** Numbers among the tokens and among the words. */
  firstToken: number;
  lastToken: number;
  firstWord: number;
  lastWord: number;
  /** Words of the query that it represents. */
  positions: readonly number[];
  /** Bytes that are highlighted. */
  from: number;
  to: number;
}

/** The tokens and matches of a text, found by comparing every word with every term. */
export function naiveMatches(text: string, terms: MatchTerms): { tokens: Token[]; matches: NaiveMatch[] } {
  const bytes = encoder.encode(text);
  const tokens = engine.scoped(() => new Tokenizer(engine, NO_SETTINGS).tokenize(text, { maps: true }));
  const words = tokens.filter(({ kind }) => kind === 'word');
  const ends = (sequence: (string | null)[], at: number): number[] => {
    const [first, ...rest] = sequence;
    if (first === undefined) return [at];
    if (first === null) return [...(at < words.length ? ends(rest, at + 1) : []), ...ends(rest, at)];
    return words[at]?.lemma === first ? ends(rest, at + 1) : [];
  };
  const ordered = [
    ...terms.words.filter(({ prefix }) => !prefix),
    ...terms.stopWords
      .filter((stop) => !terms.words.some((word) => word.text === stop))
      .map((stop) => ({ text: stop, prefix: false, typos: [] as string[], positions: [] })),
    ...[2, 1].flatMap((joined) => terms.words.filter(({ prefix, positions }) => prefix && positions.length === joined)),
  ];
  /** The end of the matching part of a word, and the words of the query that it represents. */
  const wordMatch = (token: Token): { to: number; positions: readonly number[] } | null => {
    for (const { text: typed, prefix, typos, positions } of ordered) {
      if (prefix && terms.indexed?.includes(token.lemma) === false) continue;
      for (const candidate of [typed, ...typos]) {
        if (!prefix && token.lemma === candidate) return { to: token.end, positions };
        if (!prefix || !token.lemma.startsWith(candidate)) continue;
        let left = encoder.encode([...candidate].slice(0, [...typed].length).join('')).length;
        let to = token.start;
        const letters = [...decoder.decode(bytes.subarray(token.start, token.end))];
        for (const [i, letter] of letters.entries()) {
          if (left <= 0) break;
          const size = encoder.encode(letter).length;
          to += size;
          left -= token.map ? (token.map[2 * i + 1] as number) : size;
        }
        return { to, positions };
      }
    }
    return null;
  };
  const matches: NaiveMatch[] = [];
  const add = (firstWord: number, lastWord: number, positions: readonly number[], to: number) => {
    const [first, last] = [words[firstWord] as Token, words[lastWord] as Token];
    const [firstToken, lastToken] = [tokens.indexOf(first), tokens.indexOf(last)];
    matches.push({ firstToken, lastToken, firstWord, lastWord, positions, from: first.start, to });
  };
  for (let at = 0; at < words.length; at++) {
    const found = terms.sequences
      .map(({ words: sequence, positions }) => ({ end: ends(sequence, at)[0], positions }))
      .find(({ end }) => end !== undefined);
    if (found?.end !== undefined) {
      add(at, found.end - 1, found.positions, (words[found.end - 1] as Token).end);
      at = found.end - 1;
    } else {
      const match = wordMatch(words[at] as Token);
      if (match) add(at, at, match.positions, match.to);
    }
  }
  return { tokens, matches };
}
