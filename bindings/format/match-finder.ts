import type { EngineInstance } from '../engine/instance.js';
import { createTokenizer, putLocales } from '../engine/tokenizer.js';
import { type IndexSettings, tokenizerConfig } from '../index-types.js';
import { HARD, SOFT, type TextMatch, type TextTokens, WORD } from './crop.js';
import type { PathNode } from './format-plan.js';
import { isSame, type SequenceMatch, type TermMatcher } from './term-matcher.js';

/** The engine's record of a candidate, in u32 units. */
const CANDIDATE_UNITS = 6;
const TOKEN = 0;
const NUMBER = 1;
const START = 2;
const END = 3;
const LEMMA = 4;
const LEMMA_LENGTH = 5;

/** Of the engine's record of a token, in u32 units. */
const TOKEN_UNITS = 7;
const MAP = 4;
const MAP_LENGTH = 5;

/** Kinds of the engine (word, stop word, soft and hard separator) as a crop sees them. */
const KINDS = [WORD, WORD, SOFT, HARD];

/** A match and the bytes of the text that it highlights. */
export interface HighlightMatch extends TextMatch {
  from: number;
  to: number;
}

export const NO_MATCHES: readonly HighlightMatch[] = [];

/** Finds the matches of texts. It lives in one scratch scope of its instance. */
export class MatchFinder {
  readonly #tokenizer: number;
  readonly #locales = new Map<string, number>();
  /** Bitmap of what words the engine looks for. */
  readonly #starts: number;
  readonly #tokens: TextTokens = {
    count: 0,
    kinds: new Uint8Array(256),
    starts: new Uint32Array(256),
    ends: new Uint32Array(256),
  };
  /** The memory of the engine, and the same in u32 units. */
  #memory = new Uint8Array(0);
  #units = new Uint32Array(0);
  /** The text: its address, bytes and field. */
  #text = 0;
  #length = 0;
  #locale = 0;
  #searchable = true;
  /** Place of its candidates in u32 units, and how many they are. */
  #candidates = 0;
  #count = 0;
  /** Place of the records of its tokens with maps, once they are asked for. */
  #mapped = 0;

  constructor(
    readonly instance: EngineInstance,
    settings: IndexSettings,
    readonly matcher: TermMatcher,
  ) {
    // texts are shown cut as they were indexed, but without stop words
    this.#tokenizer = createTokenizer(instance, { ...tokenizerConfig(settings), stopWords: [] });
    this.#starts = instance.put(matcher.starts);
  }

  /** Reserves what the texts of a field need for longer than one of them. */
  prepare({ locales, searchable }: PathNode): void {
    this.#searchable = searchable;
    this.#locale = locales === null ? 0 : this.#localeList(locales);
  }

  /**
   * Matches of a text of the field prepared last, ascending.
   * @param text address of its UTF-8
   * @param withTokens whether {@link tokens} is wanted afterwards
   */
  find(text: number, length: number, withTokens: boolean): readonly HighlightMatch[] {
    const { exports } = this.instance;
    this.#text = text;
    this.#length = length;
    this.#count = exports.findCandidates(this.#tokenizer, text, length, this.#locale, this.#starts, withTokens);
    this.#candidates = exports.candidatesPointer() >>> 2;
    this.#mapped = 0;
    this.#refreshViews();
    return this.#count === 0 ? NO_MATCHES : this.#matches();
  }

  /** Words of the text of the last {@link find}. */
  get wordCount(): number {
    return this.instance.exports.textWordCount();
  }

  /** Tokens of the text of the last {@link find}; valid until the next call. */
  tokens(): TextTokens {
    const { exports } = this.instance;
    const count = exports.textTokenCount();
    const records = exports.textTokens() >>> 2;
    const tokens = this.#tokens;
    if (tokens.kinds.length < count) {
      tokens.kinds = new Uint8Array(count * 2);
      tokens.starts = new Uint32Array(count * 2);
      tokens.ends = new Uint32Array(count * 2);
    }
    tokens.count = count;
    let start = 0;
    for (let token = 0; token < count; token++) {
      const record = this.#units[records + token] as number;
      tokens.kinds[token] = KINDS[record & 3] as number;
      tokens.starts[token] = start;
      start = record >>> 2;
      tokens.ends[token] = start;
    }
    return tokens;
  }

  #refreshViews(): void {
    const { buffer } = this.instance.memory;
    if (this.#memory.buffer === buffer && this.#memory.byteLength === buffer.byteLength) return;
    this.#memory = new Uint8Array(buffer);
    this.#units = new Uint32Array(buffer);
  }

  #localeList(locales: string[]): number {
    const key = locales.join();
    let list = this.#locales.get(key);
    if (list === undefined) {
      list = putLocales(this.instance, locales);
      this.#locales.set(key, list);
    }
    return list;
  }

  #field(candidate: number, field: number): number {
    return this.#units[this.#candidates + candidate * CANDIDATE_UNITS + field] as number;
  }

  #matches(): readonly HighlightMatch[] {
    const matches: HighlightMatch[] = [];
    for (let candidate = 0; candidate < this.#count; ) {
      const match = this.#sequenceAt(candidate) ?? this.#wordAt(candidate);
      candidate++;
      if (!match) continue;
      matches.push(match);
      while (candidate < this.#count && this.#field(candidate, NUMBER) <= match.lastWord) candidate++;
    }
    return matches;
  }

  #sequenceAt(candidate: number): HighlightMatch | null {
    const found = this.matcher.sequences(this.#memory, this.#field(candidate, LEMMA), this.#field(candidate, LEMMA_LENGTH));
    for (const { words, ids } of found) {
      const last = this.#completes(words, 1, candidate, this.#field(candidate, NUMBER) + 1);
      if (last >= 0) return this.#match(candidate, last, ids, this.#field(last, END));
    }
    return null;
  }

  /** The candidate that ends a sequence of which the words before `position` end before a word number; -1 when it does not go on. */
  #completes(words: SequenceMatch['words'], position: number, candidate: number, number: number): number {
    if (position === words.length) return candidate;
    const expected = words[position] as Uint8Array | null;
    if (expected === null) {
      const filled = this.#completes(words, position + 1, candidate, number + 1);
      return filled >= 0 ? filled : this.#completes(words, position + 1, candidate, number);
    }
    let next = candidate + 1;
    while (next < this.#count && this.#field(next, NUMBER) < number) next++;
    if (next === this.#count || this.#field(next, NUMBER) !== number) return -1;
    const same = isSame(expected, this.#memory, this.#field(next, LEMMA), this.#field(next, LEMMA_LENGTH));
    return same ? this.#completes(words, position + 1, next, number + 1) : -1;
  }

  #wordAt(candidate: number): HighlightMatch | null {
    const lemma = this.#field(candidate, LEMMA);
    const found = this.matcher.word(this.#memory, lemma, this.#field(candidate, LEMMA_LENGTH), this.#searchable);
    if (!found) return null;
    const whole = this.#field(candidate, END);
    const to = found.matchedBytes === 0 ? whole : this.#prefixEnd(candidate, found.matchedBytes);
    return this.#match(candidate, candidate, found.ids, to);
  }

  #match(first: number, last: number, ids: readonly number[], to: number): HighlightMatch {
    return {
      firstToken: this.#field(first, TOKEN),
      lastToken: this.#field(last, TOKEN),
      firstWord: this.#field(first, NUMBER),
      lastWord: this.#field(last, NUMBER),
      ids,
      from: this.#field(first, START),
      to,
    };
  }

  /** Where the part of a word ends that became the first `folded` bytes of its lemma; letters are taken whole. */
  #prefixEnd(candidate: number, folded: number): number {
    const start = this.#field(candidate, START);
    const end = this.#field(candidate, END);
    const sameLength = this.#field(candidate, LEMMA_LENGTH) === end - start;
    if (sameLength && this.#isAscii(start, end)) return start + folded;
    return this.#mappedEnd(start, end, this.#field(candidate, TOKEN), folded);
  }

  /** The same by the lengths of code points before and after folding, which only now are asked for. */
  #mappedEnd(start: number, end: number, token: number, folded: number): number {
    const { exports } = this.instance;
    if (this.#mapped === 0) {
      exports.tokenize(this.#tokenizer, this.#text, this.#length, this.#locale, true);
      this.#mapped = exports.tokensPointer() >>> 2;
      this.#refreshViews();
    }
    const record = this.#mapped + token * TOKEN_UNITS;
    const map = this.#units[record + MAP] as number;
    let at = start;
    if (map === 0) {
      // every code point kept its length
      at = Math.min(start + folded, end);
      while (at < end && isContinuation(this.#memory[this.#text + at] as number)) at++;
      return at;
    }
    let became = 0;
    for (let pair = 0; pair < (this.#units[record + MAP_LENGTH] as number) && became < folded; pair++) {
      at += this.#memory[map + 2 * pair] as number;
      became += this.#memory[map + 2 * pair + 1] as number;
    }
    return at;
  }

  #isAscii(from: number, to: number): boolean {
    for (let at = this.#text + from; at < this.#text + to; at++) if ((this.#memory[at] as number) >= 0x80) return false;
    return true;
  }
}

/** A byte of a code point that is not its first. */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
