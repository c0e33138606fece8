import type { IndexSettings } from '../index-types.js';
import {
  FACET_ROOM,
  MAX_FOLD_GROWTH,
  TextTokens,
  TOKEN_HARD,
  TOKEN_SOFT,
  TOKEN_STOP,
  TOKEN_WORD,
  type TokenFields,
  Token as TokenRecord,
  VALUE_COMPARED,
  VALUE_SEARCHED,
} from './exports.js';
import type { EngineInstance } from './instance.js';
import { languageCode, languageNumber } from './languages.js';
import { ListWriter } from './list-writer.js';
import { readText } from './utf8.js';

/** The settings of an index that affect tokenization. Entries are used verbatim. */
export interface TokenizerConfig {
  stopWords: string[];
  separatorTokens: string[];
  nonSeparatorTokens: string[];
  dictionary: string[];
}

export function tokenizerConfig(settings: IndexSettings): TokenizerConfig {
  const { stopWords, separatorTokens, nonSeparatorTokens, dictionary } = settings;
  return { stopWords, separatorTokens, nonSeparatorTokens, dictionary };
}

/** Whether a tokenizer with these settings differs from the default one. */
export function hasEntries(config: TokenizerConfig): boolean {
  return Object.values(config).some((list: string[]) => list.length > 0);
}

/** The bytes that the engine's `tokenizerCreate` reads: four counts (u32), then each string as u32 length and UTF-8 bytes. */
export function encodeTokenizerConfig(config: TokenizerConfig): Uint8Array {
  const lists = [config.stopWords, config.separatorTokens, config.nonSeparatorTokens, config.dictionary];
  const writer = new ListWriter();
  for (const list of lists) writer.u32(list.length);
  for (const text of lists.flat()) writer.text(text);
  return writer.finish();
}

/**
 * Locales (two- or three-letter codes) in the engine's form: u8 count, then a u8 language number each. Unknown codes are left
 * out.
 */
export function encodeLocales(locales: readonly string[]): Uint8Array {
  const languages = [...new Set(locales.map(languageNumber))].filter((language) => language !== 0);
  return Uint8Array.of(languages.length, ...languages);
}

export type TokenKind = 'word' | 'stop' | 'soft' | 'hard';

/** A token; the tokens of a text cover it without gaps. */
export interface Token {
  /** Byte offsets in the UTF-8 text, end exclusive. */
  start: number;
  end: number;
  /** Normalised text; may be empty. */
  lemma: string;
  kind: TokenKind;
  /** Three-letter code of the language, if one was determined. */
  language?: string;
  /**
   * Pairs (original bytes, normalised bytes), one per code point; a letter and a mark that are folded together count as one.
   * Absent: lengths did not change, or maps were not requested.
   */
  map?: Uint8Array;
}

export interface TokenizeOptions {
  /** The possible languages; empty: any. */
  locales?: readonly string[] | undefined;
  maps?: boolean;
}

const KINDS = new Map<number, TokenKind>([
  [TOKEN_WORD, 'word'],
  [TOKEN_STOP, 'stop'],
  [TOKEN_SOFT, 'soft'],
  [TOKEN_HARD, 'hard'],
]);
const EMPTY: TokenizerConfig = { stopWords: [], separatorTokens: [], nonSeparatorTokens: [], dictionary: [] };

/** Copies a locale list into scratch memory. @returns its address; 0 when there is none */
export function putLocales(instance: EngineInstance, locales: readonly string[] | undefined): number {
  const list = encodeLocales(locales ?? []);
  return list[0] === 0 ? 0 : instance.put(list);
}

/** Creates the engine's tokenizer for a configuration, in scratch memory; valid as long as that. 0: the default tokenizer. */
export function createTokenizer(instance: EngineInstance, config: TokenizerConfig): number {
  if (!hasEntries(config)) return 0;
  const bytes = encodeTokenizerConfig(config);
  return instance.exports.tokenizerCreate(instance.put(bytes), bytes.length);
}

/**
 * Tokenizes texts as an index with these settings does. Its data is in scratch memory: create it inside the `scoped` job that
 * uses it.
 */
export class Tokenizer {
  /** The tokenizer argument of the engine's functions. */
  readonly handle: number;
  readonly #instance: EngineInstance;

  constructor(instance: EngineInstance, config: TokenizerConfig = EMPTY) {
    this.#instance = instance;
    this.handle = createTokenizer(instance, config);
  }

  tokenize(text: string | Uint8Array, options: TokenizeOptions = {}): Token[] {
    const instance = this.#instance;
    return instance.scoped(() => {
      const { pointer, length } =
        typeof text === 'string' ? instance.putText(text) : { pointer: instance.put(text), length: text.length };
      const locales = putLocales(instance, options.locales);
      const tokens = instance.exports.tokenize(this.handle, pointer, length, locales, options.maps ?? false);
      const { list, count } = instance.read(TextTokens, tokens);
      return Array.from({ length: count }, (_, index) =>
        this.#token(instance.read(TokenRecord, list + index * TokenRecord.bytes)),
      );
    });
  }

  #token({ start, end, lemma, lemmaLength, map, mapLength, kind, language }: TokenFields): Token {
    const memory = this.#instance.bytes;
    const token: Token = { start, end, lemma: readText(memory, lemma, lemma + lemmaLength), kind: KINDS.get(kind) as TokenKind };
    const code = languageCode(language);
    if (code !== undefined) token.language = code;
    if (map !== 0) token.map = memory.slice(map, map + mapLength * 2);
    return token;
  }
}

/** Runs a folding function of the engine on a text; the folded form has at most MAX_FOLD_GROWTH bytes per byte. */
export function folded(
  instance: EngineInstance,
  text: string,
  fold: (at: number, length: number, out: number) => number,
): string {
  return instance.scoped(() => {
    const { pointer, length } = instance.putText(text);
    const out = instance.alloc(length * MAX_FOLD_GROWTH + FACET_ROOM);
    return instance.text(out, fold(pointer, length, out));
  });
}

/**
 * The form in which facet values are compared in facet search: the whole text folded as one word, accents removed, not trimmed.
 * `locales`: those of the facet's rule, restricted to those of the request.
 */
export function foldFacet(instance: EngineInstance, text: string, locales?: readonly string[]): string {
  return folded(instance, text, (at, length, out) =>
    instance.exports.foldValueInto(at, length, VALUE_SEARCHED, putLocales(instance, locales), out),
  );
}

/**
 * Operands of filters, normalised like stored texts of columns (trimmed, decomposed, lower case, accents kept), but not
 * truncated.
 */
export function normalizeOperand(instance: EngineInstance, text: string): string {
  return folded(instance, text, (at, length, out) => instance.exports.foldValueInto(at, length, VALUE_COMPARED, 0, out));
}
