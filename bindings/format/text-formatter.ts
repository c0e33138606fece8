import { address, type EngineInstance } from '../engine/instance.js';
import { createTokenizer, putLocales } from '../engine/tokenizer.js';
import { type IndexSettings, tokenizerConfig } from '../index-types.js';
import type { ByteWriter } from './byte-writer.js';
import { cropWindow, HARD, SOFT, type TextMatch, type TextTokens, WORD } from './crop.js';
import type { PathNode } from './format-plan.js';
import { hasEscape, QUOTE, unescapeInto } from './raw-json.js';
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

/** What is inserted into texts: insides of JSON strings. */
export interface Insertions {
  preTag: Uint8Array;
  postTag: Uint8Array;
  marker: Uint8Array;
}

const NO_MATCHES: readonly HighlightMatch[] = [];

/** Finds the matches of texts and writes them highlighted and cropped. It lives in one scratch scope of its instance. */
export class TextFormatter {
  readonly #tokenizer: number;
  readonly #locales = new Map<string, number>();
  readonly #tokens: TextTokens = {
    count: 0,
    kinds: new Uint8Array(256),
    starts: new Uint32Array(256),
    ends: new Uint32Array(256),
  };
  /** The memory of the engine, and the same in u32 units. */
  #memory = new Uint8Array(0);
  #units = new Uint32Array(0);
  /** Bitmap of what words the engine looks for. */
  readonly #starts: number;
  /** Address of the text, and place of its candidates in u32 units. */
  #text = 0;
  #candidates = 0;
  #count = 0;
  /** Place of the records of its tokens with maps, once they are asked for. */
  #mapped = 0;
  /** The text as bytes: of the document, or free of escapes. */
  #source: Uint8Array = new Uint8Array(0);
  #from = 0;
  #length = 0;
  #escaped = false;
  #unescaped = new Uint8Array(4096);
  /** Where the engine has the document. */
  #document = 0;
  #documentCapacity = 0;

  constructor(
    readonly instance: EngineInstance,
    settings: IndexSettings,
    readonly matcher: TermMatcher,
    readonly insertions: Insertions,
  ) {
    // texts are shown cut as they were indexed, but without stop words
    this.#tokenizer = createTokenizer(instance, { ...tokenizerConfig(settings), stopWords: [] });
    this.#starts = instance.put(matcher.starts);
  }

  /** Says which document the next texts are of. */
  begin(json: Uint8Array): void {
    if (json.length > this.#documentCapacity) {
      this.#documentCapacity = json.length * 2;
      this.#document = this.instance.alloc(this.#documentCapacity);
    }
    this.instance.bytes.set(json, this.#document);
  }

  /**
   * Writes a text or number of the document to `out`, if given: in quotes, highlighted and cropped.
   * @param from, to the value in the JSON
   * @param collect whether the caller wants the matches
   * @returns the matches of the whole text, ascending; none when they were not looked for
   */
  format(
    node: PathNode,
    json: Uint8Array,
    from: number,
    to: number,
    out: ByteWriter | null,
    collect: boolean,
  ): readonly HighlightMatch[] {
    const isText = json[from] === QUOTE;
    const start = isText ? from + 1 : from;
    const end = isText ? to - 1 : to;
    // a text has at most as many words as bytes
    const crop = isText && out !== null && end - start >= node.crop ? node.crop : 0;
    const matching = !this.matcher.empty && (collect || crop > 0 || (out !== null && node.highlight));
    out?.byte(QUOTE);
    let matches = NO_MATCHES;
    if (matching || crop > 0) {
      const locales = this.#localesAt(node);
      const mark = this.instance.exports.arenaMark!();
      this.#load(json, start, end);
      this.#find(locales, crop > 0);
      if (this.#count > 0) matches = this.#matches(node);
      if (out) this.#write(node, matches, crop, out);
      this.instance.exports.arenaReset!(mark);
    } else {
      out?.slice(json, start, end);
    }
    out?.byte(QUOTE);
    return matches;
  }

  #load(json: Uint8Array, from: number, to: number): void {
    this.#escaped = hasEscape(json, from, to);
    if (!this.#escaped) {
      this.#source = json;
      this.#from = from;
      this.#length = to - from;
      this.#text = this.#document + from;
      return;
    }
    if (this.#unescaped.length < to - from) this.#unescaped = new Uint8Array((to - from) * 2);
    this.#source = this.#unescaped;
    this.#from = 0;
    this.#length = unescapeInto(json, from, to, this.#unescaped);
    this.#text = this.instance.alloc(this.#length);
    this.instance.bytes.set(this.#unescaped.subarray(0, this.#length), this.#text);
  }

  #find(locales: number, withTokens: boolean): void {
    const { exports } = this.instance;
    this.#count = exports.findCandidates!(this.#tokenizer, this.#text, this.#length, locales, this.#starts, withTokens ? 1 : 0);
    this.#candidates = address(exports.candidatesPointer!()) >>> 2;
    this.#mapped = 0;
    this.#refreshViews();
  }

  #refreshViews(): void {
    const { buffer } = this.instance.memory;
    if (this.#memory.buffer === buffer && this.#memory.byteLength === buffer.byteLength) return;
    this.#memory = new Uint8Array(buffer);
    this.#units = new Uint32Array(buffer);
  }

  #localesAt({ locales }: PathNode): number {
    if (locales === null) return 0;
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

  #matches(node: PathNode): readonly HighlightMatch[] {
    const matches: HighlightMatch[] = [];
    for (let candidate = 0; candidate < this.#count; ) {
      const match = this.#sequenceAt(candidate) ?? this.#wordAt(candidate, node);
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

  #wordAt(candidate: number, node: PathNode): HighlightMatch | null {
    const lemma = this.#field(candidate, LEMMA);
    const found = this.matcher.word(this.#memory, lemma, this.#field(candidate, LEMMA_LENGTH), node.searchable);
    if (!found) return null;
    const whole = this.#field(candidate, END);
    const to = found.matchedBytes === 0 ? whole : this.#prefixEnd(candidate, found.matchedBytes, node);
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
  #prefixEnd(candidate: number, folded: number, node: PathNode): number {
    const start = this.#field(candidate, START);
    const end = this.#field(candidate, END);
    const sameLength = this.#field(candidate, LEMMA_LENGTH) === end - start;
    if (sameLength && this.#isAscii(start, end)) return start + folded;
    return this.#mappedEnd(start, end, this.#field(candidate, TOKEN), folded, node);
  }

  /** The same by the lengths of code points before and after folding, which only now are asked for. */
  #mappedEnd(start: number, end: number, token: number, folded: number, node: PathNode): number {
    const { exports } = this.instance;
    if (this.#mapped === 0) {
      exports.tokenize!(this.#tokenizer, this.#text, this.#length, this.#localesAt(node), 1);
      this.#mapped = address(exports.tokensPointer!()) >>> 2;
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

  #write(node: PathNode, matches: readonly HighlightMatch[], crop: number, out: ByteWriter): void {
    const whole = { from: 0, to: this.#length };
    const { from, to } = crop > 0 ? this.#window(matches, crop) : whole;
    const { preTag, postTag, marker } = this.insertions;
    if (from > 0) out.all(marker);
    let at = from;
    for (const match of node.highlight ? matches : NO_MATCHES) {
      const start = Math.max(match.from, from);
      const end = Math.min(match.to, to);
      if (start >= end) continue;
      this.#copy(at, start, out);
      out.all(preTag);
      this.#copy(start, end, out);
      out.all(postTag);
      at = end;
    }
    this.#copy(at, to, out);
    if (to < this.#length) out.all(marker);
  }

  #copy(from: number, to: number, out: ByteWriter): void {
    if (this.#escaped) out.escaped(this.#source, from, to);
    else out.slice(this.#source, this.#from + from, this.#from + to);
  }

  #window(matches: readonly HighlightMatch[], crop: number): { from: number; to: number } {
    const { exports } = this.instance;
    if (exports.textWordCount!() < crop) return { from: 0, to: this.#length };
    const count = exports.textTokenCount!();
    const records = address(exports.textTokens!()) >>> 2;
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
    // stop words stand for no query word: they do not choose the window
    return cropWindow(
      tokens,
      this.#length,
      matches.filter(({ ids }) => ids.length > 0),
      crop,
    );
  }
}

/** A byte of a code point that is not its first. */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
