import { isNumeric, utf8Length } from './text.js';
import { DEFAULT_SEPARATORS, isArmenian, isHard, isRemovedMark, scriptOf } from './unicode.js';

/**
 * Text into tokens, for scripts that write blanks between words. Not simulated: segmentation by dictionary (Chinese, Japanese,
 * Korean, Thai, Khmer, German), locales, and the foldings of Han and kana.
 */
export type TokenKind = 'word' | 'stop' | 'soft' | 'hard';

export interface Token {
  text: string;
  lemma: string;
  kind: TokenKind;
}

export interface TokenizerSettings {
  stopWords: string[];
  separatorTokens: string[];
  nonSeparatorTokens: string[];
  dictionary: string[];
}

const LOWERED = new Set(['Latin', 'Cyrillic', 'Greek', 'Georgian', 'Armenian']);
const UNMARKED = new Set(['Latin', 'Greek', 'Hebrew', 'Arabic', 'Thai']);

/** The first form of normalisation: decomposed, without control characters. Stop words and separators are recognised in it. */
export function lossless(text: string): string {
  let out = '';
  for (const char of text) out += char.normalize('NFKD').replace(/\p{Cc}/gu, (c) => (/\p{White_Space}/u.test(c) ? c : ''));
  return out;
}

/** The second form of what one code point became in the first: without case, ligatures and marks. */
function lossy(plain: string, script: string): string {
  let out = '';
  for (const char of plain) out += lossyChar(char, script);
  return out;
}

function lossyChar(char: string, script: string): string {
  let c = LOWERED.has(script) ? char.toLowerCase() : char;
  if (script === 'Latin') c = c.replace(/[’‘‛]/g, "'").replace(/œ/g, 'oe').replace(/æ/g, 'ae');
  if (script === 'Arabic')
    c = c
      .replace(/ـ/g, '')
      .replace(/[أإآٱ]/g, 'ا')
      .replace(/ى/g, 'ي')
      .replace(/ة/g, 'ه');
  if (UNMARKED.has(script)) c = [...c].filter((x) => !isRemovedMark(x)).join('');
  if (script === 'Latin') c = c.replace(/[đð]/g, 'd').replace(/ı/g, 'i');
  return c;
}

export class Tokenizer {
  readonly #stopWords: Set<string>;
  readonly #separators: ReadonlySet<string>;
  /** What cuts text, by first UTF-16 unit, the longest first. */
  readonly #cutters = new Map<string, string[]>();
  readonly #folded = new Map<string, [plain: string, lemma: string]>();

  constructor(settings: TokenizerSettings) {
    this.#stopWords = new Set(settings.stopWords.map(lossless));
    const separators = new Set([...DEFAULT_SEPARATORS, ...settings.separatorTokens]);
    for (const token of settings.nonSeparatorTokens) separators.delete(token);
    this.#separators = separators;
    for (const cutter of new Set([...separators, ...settings.dictionary])) {
      if (cutter === '') continue;
      const first = cutter[0] as string;
      this.#cutters.set(
        first,
        [...(this.#cutters.get(first) ?? []), cutter].sort((a, b) => b.length - a.length),
      );
    }
  }

  /** The tokens of a text, in order; their texts joined are the input. */
  tokenize(input: string): Token[] {
    const tokens: Token[] = [];
    for (const group of scriptGroups(input)) {
      const script = scriptOfGroup(group);
      for (const piece of this.#cut(group)) {
        const parts = this.#isCutter(piece) ? [piece] : segment(piece, script);
        for (const part of parts) tokens.push(this.#token(part, script));
      }
    }
    return tokens;
  }

  /** The words of a text, separators and stop words left out. */
  words(input: string): string[] {
    return this.tokenize(input).flatMap((token) => (token.kind === 'word' && token.lemma !== '' ? [token.lemma] : []));
  }

  #isCutter(piece: string): boolean {
    return this.#cutters.get(piece[0] as string)?.includes(piece) ?? false;
  }

  #cut(group: string): string[] {
    const pieces: string[] = [];
    let start = 0;
    let at = 0;
    while (at < group.length) {
      const cutter = this.#cutters.get(group[at] as string)?.find((candidate) => group.startsWith(candidate, at));
      if (cutter === undefined) {
        at++;
        continue;
      }
      if (at > start) pieces.push(group.slice(start, at));
      pieces.push(cutter);
      at += cutter.length;
      start = at;
    }
    if (at > start) pieces.push(group.slice(start));
    return pieces;
  }

  #token(text: string, script: string): Token {
    let plain = '';
    let lemma = '';
    for (const char of text) {
      const key = script + char;
      let folded = this.#folded.get(key);
      if (!folded) {
        const first = lossless(char);
        folded = [first, lossy(first, script)];
        this.#folded.set(key, folded);
      }
      plain += folded[0];
      lemma += folded[1];
    }
    const kind = this.#kind(plain);
    if (script === 'Greek' && (kind === 'word' || kind === 'stop')) lemma = lemma.replace(/ς$/, 'σ');
    return { text, lemma, kind };
  }

  #kind(plain: string): TokenKind {
    if (this.#stopWords.has(plain)) return 'stop';
    if (!this.#separators.has(plain)) return 'word';
    return isHard(plain) ? 'hard' : 'soft';
  }
}

/** Divides the text where the script changes; code points without a script belong to the text before them. */
function scriptGroups(input: string): string[] {
  const groups: string[] = [];
  let script = 'Other';
  let group = '';
  for (const char of input) {
    const own = scriptOf(char.codePointAt(0) as number);
    if (own !== 'Other') {
      if (script !== 'Other' && own !== script) {
        groups.push(group);
        group = '';
      }
      script = own;
    }
    group += char;
  }
  return group === '' ? groups : [...groups, group];
}

/** The script most code points of a group have. */
function scriptOfGroup(group: string): string {
  const counts = new Map<string, number>();
  for (const char of group) {
    const point = char.codePointAt(0) as number;
    const uncounted = point <= 0x40 || (point >= 0x5b && point <= 0x60) || (point >= 0x7b && point <= 0x7e);
    const script = isArmenian(point) ? 'Armenian' : scriptOf(point);
    if (!uncounted && script !== 'Other') counts.set(script, (counts.get(script) ?? 0) + 1);
  }
  let best = 'Other';
  for (const [script, count] of counts) if (count > (counts.get(best) ?? 0)) best = script;
  return best;
}

/** Full-width letters, digits, and everything else: what Korean is divided into without its dictionary. */
const KOREAN_RUNS = /[Ａ-Ｚａ-ｚ]+|[0-9０-９]+|[^Ａ-Ｚａ-ｚ0-9０-９]+/gu;

/** An Arabic article is a word of its own; everything else between two cutters is one word, save in Korean. */
function segment(piece: string, script: string): string[] {
  if (isNumeric(piece)) return [piece];
  if (script === 'Hangul') return piece.match(KOREAN_RUNS) as string[];
  if (script === 'Arabic' && utf8Length(piece) > 4 && /^(ال|أل|إل|آل|ٱل)/.test(piece)) return [piece.slice(0, 2), piece.slice(2)];
  return [piece];
}
