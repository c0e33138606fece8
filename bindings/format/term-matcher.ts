import { readText } from '../engine/utf8.js';
import type { MatchSequence, MatchTerms, MatchWord } from './match-terms.js';

/** What a text word can be: a whole word of the query, or one that starts with a word of the query. */
export interface WordMatch {
  bytes: Uint8Array;
  /** Rank among the candidates: the smallest one wins. */
  order: number;
  /** Bytes of the lemma that count as matched; 0: the whole text word. */
  matchedBytes: number;
  /** Does not count in attributes that are searchable. */
  unknown: boolean;
  /** Numbers of the query words it stands for, among all that can match; empty for a stop word. */
  ids: number[];
}

export interface SequenceMatch {
  /** null: a gap */
  words: (Uint8Array | null)[];
  ids: number[];
}

const encoder = new TextEncoder();

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * The words and sequences of a query, prepared for testing many text words: the engine refuses most of them by their first two bytes,
 * hashes find what the others may match.
 */
export class TermMatcher {
  /** Nothing can match. */
  readonly empty: boolean;
  /** Query words that can match: the size of the space of `ids`. */
  readonly idCount: number;
  /** Bitmap over the first two bytes of lemmas that can match: bit `first | second << 8`; the second is 0 in lemmas of one byte. */
  readonly starts = new Uint8Array(8192);
  readonly #words = new Map<number, WordMatch[]>();
  readonly #prefixes = new Map<number, WordMatch[]>();
  /** 1 for every length of a prefix. */
  readonly #prefixLengths: Uint8Array;
  readonly #sequences = new Map<number, SequenceMatch[]>();
  readonly #indexed: MatchTerms['indexed'];
  readonly #known = new Map<string, boolean>();

  constructor(terms: MatchTerms) {
    const ids = positionIds(terms);
    const idsOf = (positions: readonly number[]) => positions.map((position) => ids.get(position) ?? 0);
    this.idCount = ids.size;
    this.empty = terms.words.length === 0 && terms.sequences.length === 0 && terms.stopWords.length === 0;

    // whole words come before words that only start like the query, and of these, joined words before the last one alone
    const ordered = [
      ...terms.words.filter((word) => !word.prefix),
      ...stopWords(terms),
      ...terms.words.filter((word) => word.prefix).sort((a, b) => b.positions.length - a.positions.length),
    ];
    this.#indexed = terms.indexed;
    const candidates = ordered.flatMap((word) => candidatesOf(word, idsOf(word.positions)));
    this.#prefixLengths = new Uint8Array(1 + Math.max(0, ...candidates.map(({ bytes }) => bytes.length)));
    for (const [order, candidate] of candidates.entries()) {
      candidate.order = order;
      const prefix = candidate.matchedBytes > 0;
      add(prefix ? this.#prefixes : this.#words, candidate.bytes, candidate);
      this.#admit(candidate.bytes, prefix);
      if (prefix) this.#prefixLengths[candidate.bytes.length] = 1;
    }
    for (const sequence of terms.sequences) {
      const prepared = prepareSequence(sequence, idsOf(sequence.positions));
      const first = prepared.words[0];
      if (!first) continue;
      add(this.#sequences, first, prepared);
      for (const word of prepared.words) if (word) this.#admit(word, false);
    }
  }

  #admit(bytes: Uint8Array, prefix: boolean): void {
    const first = bytes[0] as number;
    const any = prefix && bytes.length === 1;
    for (let second = any ? 0 : (bytes[1] ?? 0); second <= (any ? 255 : (bytes[1] ?? 0)); second++) {
      const start = first | (second << 8);
      this.starts[start >> 3]! |= 1 << (start & 7);
    }
  }

  /** Sequences that begin with a lemma. */
  sequences(memory: Uint8Array, at: number, length: number): readonly SequenceMatch[] {
    if (this.#sequences.size === 0) return [];
    const found = this.#sequences.get(hash(memory, at, length)) ?? [];
    return found.filter(({ words }) => isSame(words[0] as Uint8Array, memory, at, length));
  }

  /** The best match of a lemma, or null. */
  word(memory: Uint8Array, at: number, length: number, searchable: boolean): WordMatch | null {
    let best: WordMatch | null = null;
    let code = FNV_OFFSET;
    const mayStart = !searchable || this.#isIndexed(memory, at, length);
    for (let i = 0; i < length; i++) {
      code = Math.imul(code ^ (memory[at + i] as number), FNV_PRIME);
      if (mayStart && this.#prefixLengths[i + 1] === 1) {
        best = better(best, this.#prefixes.get(code), memory, at, i + 1, searchable);
      }
    }
    return better(best, this.#words.get(code), memory, at, length, searchable);
  }

  #isIndexed(memory: Uint8Array, at: number, length: number): boolean {
    if (this.#indexed === null) return true;
    const word = readText(memory, at, at + length);
    let known = this.#known.get(word);
    if (known === undefined) {
      known = this.#indexed(word);
      this.#known.set(word, known);
    }
    return known;
  }
}

export function isSame(bytes: Uint8Array, memory: Uint8Array, at: number, length: number): boolean {
  if (bytes.length !== length) return false;
  for (let i = 0; i < length; i++) if (bytes[i] !== memory[at + i]) return false;
  return true;
}

function better(
  best: WordMatch | null,
  candidates: readonly WordMatch[] | undefined,
  memory: Uint8Array,
  at: number,
  length: number,
  searchable: boolean,
): WordMatch | null {
  for (const candidate of candidates ?? []) {
    if (best !== null && best.order < candidate.order) continue;
    if (candidate.unknown && searchable) continue;
    if (isSame(candidate.bytes, memory, at, length)) best = candidate;
  }
  return best;
}

function hash(memory: Uint8Array, at: number, length: number): number {
  let code = FNV_OFFSET;
  for (let i = at; i < at + length; i++) code = Math.imul(code ^ (memory[i] as number), FNV_PRIME);
  return code;
}

function add<T>(map: Map<number, T[]>, bytes: Uint8Array, value: T): void {
  const code = hash(bytes, 0, bytes.length);
  const list = map.get(code);
  if (list) list.push(value);
  else map.set(code, [value]);
}

/** Positions of the query as dense numbers, in the same order. */
function positionIds(terms: MatchTerms): Map<number, number> {
  const positions = [...terms.words, ...terms.sequences].flatMap((term) => term.positions);
  return new Map([...new Set(positions)].sort((a, b) => a - b).map((position, id) => [position, id]));
}

function stopWords({ stopWords, words }: MatchTerms): MatchWord[] {
  return stopWords
    .filter((text) => !words.some((word) => word.text === text))
    .map((text) => ({ text, prefix: false, known: true, typos: [], positions: [] }));
}

function candidatesOf(word: MatchWord, ids: number[]): WordMatch[] {
  const typed = [...word.text].length;
  return [word.text, ...word.typos]
    .filter((text) => text !== '')
    .map((text, position) => ({
      bytes: encoder.encode(text),
      order: 0,
      matchedBytes: word.prefix ? encoder.encode([...text].slice(0, typed).join('')).length : 0,
      unknown: position === 0 && !word.known,
      ids,
    }));
}

function prepareSequence({ words }: MatchSequence, ids: number[]): SequenceMatch {
  return { words: words.map((word) => (word === null ? null : encoder.encode(word))), ids };
}
