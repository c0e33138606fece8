import { address, type EngineInstance } from '../engine/instance.js';
import { encodeLocales, encodeTokenizerConfig } from '../engine/tokenizer.js';
import type { IndexSettings } from '../index-types.js';
import type { ByteWriter } from './byte-writer.js';
import { cropWindow, HARD, SOFT, type TextMatch, type TextTokens, WORD } from './crop.js';
import type { PathNode } from './format-plan.js';
import { hasEscape, QUOTE, unescapeInto } from './raw-json.js';
import { isSame, type SequenceMatch, type TermMatcher } from './term-matcher.js';

/** The engine's record of a token, in u32 units; the kind is one byte. */
const TOKEN_UNITS = 7;
const START = 0;
const END = 1;
const LEMMA = 2;
const LEMMA_LENGTH = 3;
const MAP = 4;
const MAP_LENGTH = 5;
const KIND = 6;
/** Kinds of the engine (word, stop word, soft and hard separator) as a crop sees them. */
const KINDS = [WORD, WORD, SOFT, HARD];
const FIRST_SEPARATOR = 2;

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
  /** Address of the text and of its first record. */
  #text = 0;
  #records = 0;
  #count = 0;
  #withMaps = false;
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
    this.#tokenizer = displayTokenizer(instance, settings);
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
      this.#tokenize(locales, false);
      if (matching) matches = this.#matches(node);
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

  #tokenize(locales: number, withMaps: boolean): void {
    const { exports, memory } = this.instance;
    this.#count = exports.tokenize!(this.#tokenizer, this.#text, this.#length, locales, withMaps ? 1 : 0);
    this.#records = address(exports.tokensPointer!()) >>> 2;
    this.#withMaps = withMaps;
    if (this.#memory.buffer !== memory.buffer || this.#memory.byteLength !== memory.buffer.byteLength) {
      this.#memory = new Uint8Array(memory.buffer);
      this.#units = new Uint32Array(memory.buffer);
    }
  }

  #localesAt({ locales }: PathNode): number {
    if (locales === null) return 0;
    const key = locales.join();
    let list = this.#locales.get(key);
    if (list === undefined) {
      list = this.instance.put(encodeLocales(locales));
      this.#locales.set(key, list);
    }
    return list;
  }

  #field(token: number, field: number): number {
    return this.#units[this.#records + token * TOKEN_UNITS + field] as number;
  }

  #isWord(token: number): boolean {
    return (this.#field(token, KIND) & 0xff) < FIRST_SEPARATOR;
  }

  #matches(node: PathNode): readonly HighlightMatch[] {
    const matches: HighlightMatch[] = [];
    let word = 0;
    for (let token = 0; token < this.#count; token++) {
      if (!this.#isWord(token)) continue;
      const match = this.#matchAt(node, token, word);
      if (match) {
        matches.push(match);
        token = match.lastToken;
        word = match.lastWord;
      }
      word++;
    }
    return matches;
  }

  #matchAt(node: PathNode, token: number, word: number): HighlightMatch | null {
    const lemma = this.#field(token, LEMMA);
    const length = this.#field(token, LEMMA_LENGTH);
    const memory = this.#memory;
    if (length === 0 || !this.matcher.mayStart(memory[lemma] as number)) return null;
    for (const sequence of this.matcher.sequences(memory, lemma, length)) {
      const end = this.#completes(sequence.words, 1, token);
      if (end < 0) continue;
      const lastWord = word + this.#wordsBetween(token, end);
      return {
        ...{ firstToken: token, lastToken: end, firstWord: word, lastWord, ids: sequence.ids },
        ...{ from: this.#field(token, START), to: this.#field(end, END) },
      };
    }
    const found = this.matcher.word(memory, lemma, length, node.searchable);
    if (!found) return null;
    const from = this.#field(token, START);
    const to = found.matchedBytes === 0 ? this.#field(token, END) : from + this.#originalBytes(node, token, found.matchedBytes);
    return { firstToken: token, lastToken: token, firstWord: word, lastWord: word, ids: found.ids, from, to };
  }

  /** The token that ends a sequence whose words from `position` on must follow `token`; -1 when they do not. */
  #completes(words: SequenceMatch['words'], position: number, token: number): number {
    if (position === words.length) return token;
    let next = token + 1;
    while (next < this.#count && !this.#isWord(next)) next++;
    if (next === this.#count) return -1;
    const expected = words[position] as Uint8Array | null;
    if (expected === null) {
      const filled = this.#completes(words, position + 1, next);
      return filled >= 0 ? filled : this.#completes(words, position + 1, token);
    }
    const same = isSame(expected, this.#memory, this.#field(next, LEMMA), this.#field(next, LEMMA_LENGTH));
    return same ? this.#completes(words, position + 1, next) : -1;
  }

  #wordsBetween(token: number, end: number): number {
    let words = 0;
    for (let next = token + 1; next <= end; next++) if (this.#isWord(next)) words++;
    return words;
  }

  /** Bytes of the text of a token that became the first `folded` bytes of its lemma; letters are taken whole. */
  #originalBytes(node: PathNode, token: number, folded: number): number {
    const length = this.#field(token, END) - this.#field(token, START);
    // maps are rarely needed: only now are they asked for
    if (!this.#withMaps && !this.#isAscii(token)) this.#tokenize(this.#localesAt(node), true);
    const map = this.#field(token, MAP);
    if (map === 0) {
      // every code point kept its length
      let bytes = Math.min(folded, length);
      const start = this.#text + this.#field(token, START);
      while (bytes < length && isContinuation(this.#memory[start + bytes] as number)) bytes++;
      return bytes;
    }
    let original = 0;
    let became = 0;
    for (let pair = 0; pair < this.#field(token, MAP_LENGTH) && became < folded; pair++) {
      original += this.#memory[map + 2 * pair] as number;
      became += this.#memory[map + 2 * pair + 1] as number;
    }
    return original;
  }

  #isAscii(token: number): boolean {
    const end = this.#text + this.#field(token, END);
    for (let at = this.#text + this.#field(token, START); at < end; at++) if ((this.#memory[at] as number) >= 0x80) return false;
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
    const tokens = this.#tokens;
    if (tokens.kinds.length < this.#count) {
      tokens.kinds = new Uint8Array(this.#count * 2);
      tokens.starts = new Uint32Array(this.#count * 2);
      tokens.ends = new Uint32Array(this.#count * 2);
    }
    tokens.count = this.#count;
    let words = 0;
    for (let token = 0; token < this.#count; token++) {
      const kind = KINDS[this.#field(token, KIND) & 0xff] as number;
      if (kind === WORD) words++;
      tokens.kinds[token] = kind;
      tokens.starts[token] = this.#field(token, START);
      tokens.ends[token] = this.#field(token, END);
    }
    if (words < crop) return { from: 0, to: this.#length };
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

/** Texts are shown cut as they were indexed, but without stop words. */
function displayTokenizer(instance: EngineInstance, settings: IndexSettings): number {
  const { separatorTokens, nonSeparatorTokens, dictionary } = settings;
  if (separatorTokens.length + nonSeparatorTokens.length + dictionary.length === 0) return 0;
  const config = encodeTokenizerConfig({ stopWords: [], separatorTokens, nonSeparatorTokens, dictionary });
  return address(instance.call('tokenizerCreate', instance.put(config), config.length));
}
