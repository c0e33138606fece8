import type { ApiError } from '../errors.js';
import { own } from '../own.js';
import type { FilterNumber, FilterSpan, FilterText } from './filter-ast.js';
import { filterError } from './filter-error.js';

const SPACE = /[\s\u0085]*/uy;
const WORD = /[\p{Alphabetic}\p{N}_.-]+/uy;
const NAME = /[\p{Alphabetic}\p{N}_-]+/uy;
const NUMBER = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/uy;
const LONE_SURROGATE = /\p{Surrogate}/u;

const KEYWORDS = new Set([
  'AND',
  'OR',
  'IN',
  'NOT',
  'TO',
  'EXISTS',
  'IS',
  'NULL',
  'EMPTY',
  'CONTAINS',
  'STARTS',
  'WITH',
  '_geoRadius',
  '_geoBoundingBox',
]);

/** Characters with a meaning after a backslash. */
const ESCAPES: Record<string, string> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  "'": "'",
  '"': '"',
  '\\': '\\',
  '/': '/',
};
/** Numeric escapes: the digits (the first group that matched) and their base. */
const NUMERIC_ESCAPES: [RegExp, number][] = [
  [/u\{([0-9a-fA-F]{1,6})\}/y, 16],
  [/u([0-9a-fA-F]{4})/y, 16],
  [/x([0-9a-fA-F]{2})/y, 16],
  [/([0-3][0-7]{2}|[0-7]{1,2})/y, 8],
];
/** A numeric escape truncated by the end of the value. */
const CUT_ESCAPE = /^(?:u(?:[0-9a-fA-F]{0,3}|\{[0-9a-fA-F]{0,6})|x[0-9a-fA-F]?)?$/;

/** Reads words, quoted texts and numbers of an expression, and creates errors with positions. */
export class FilterLexer {
  position = 0;

  constructor(
    readonly source: string,
    readonly code: string,
  ) {}

  /** An error that points to a part of the source: from `start` to `end`. */
  fail(message: string, start: number, end = this.source.length): ApiError {
    return filterError(this.code, { source: this.source, start, end }, message);
  }

  get atEnd(): boolean {
    return this.position >= this.source.length;
  }

  /** The remaining input, for messages. */
  rest(from = this.position): string {
    return this.source.slice(from).trim();
  }

  spanFrom(start: number): FilterSpan {
    return { source: this.source, start, end: this.position };
  }

  match(pattern: RegExp): string | null {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.source);
    return found && found[0] !== '' ? found[0] : null;
  }

  /** Skips white space. @returns whether there was any */
  space(): boolean {
    const found = this.match(SPACE);
    if (found) this.position += found.length;
    return found !== null;
  }

  /** The unquoted word at the position, not consumed; '' when there is none. */
  peekWord(): string {
    return this.match(WORD) ?? '';
  }

  /** Consumes a keyword, which must be a whole word. @returns whether it was there */
  keyword(word: string): boolean {
    if (this.peekWord() !== word) return false;
    this.position += word.length;
    return true;
  }

  /** Consumes a fixed text. @returns whether it was there */
  take(text: string): boolean {
    if (!this.source.startsWith(text, this.position)) return false;
    this.position += text.length;
    return true;
  }

  /** Whether a name or value may begin here: keywords do not. */
  atValue(): boolean {
    const first = this.source[this.position];
    if (first === '"' || first === "'") return true;
    const word = this.peekWord();
    return word !== '' && !KEYWORDS.has(word);
  }

  /** Reads a name or value, quoted or not. */
  value(): FilterText {
    const start = this.position;
    const first = this.source[start];
    if (first === '"' || first === "'") return this.#quoted(first);
    const word = this.peekWord();
    if (word === '') {
      const rest = this.rest();
      throw this.fail(`A name or a value was expected, but ${rest ? `\`${rest}\` was` : 'nothing was'} found.`, start);
    }
    this.position = start + word.length;
    if (word === '_geo' || word.startsWith('_geoPoint') || word.startsWith('_geoDistance')) {
      const advice =
        'use _geoRadius(latitude, longitude, metres) or _geoBoundingBox([latitude, longitude], [latitude, longitude])';
      throw this.fail(`\`${word}\` is a reserved keyword and cannot be a name or a value here: ${advice}.`, start, this.position);
    }
    if (word.startsWith('_geo') && this.source[this.position] === '(') {
      throw this.fail(`\`${word}\` is an operation and cannot be used as a value.`, start, this.position);
    }
    if (KEYWORDS.has(word)) {
      throw this.fail(
        `\`${word}\` is a reserved keyword: put it in quotes to use it as a name or a value.`,
        start,
        this.position,
      );
    }
    return { text: word, source: this.source, start, end: this.position, quoted: false };
  }

  /** Like {@link value}, but an unquoted name ends at a dot; null when there is none. */
  pathName(): string | null {
    const first = this.source[this.position];
    if (first === '"' || first === "'") return this.#quoted(first).text;
    const name = this.match(NAME);
    if (name) this.position += name.length;
    return name;
  }

  /** Reads an unquoted number; null when there is none. */
  number(): FilterNumber | null {
    const text = this.match(NUMBER);
    if (text === null) return null;
    const start = this.position;
    this.position += text.length;
    return { value: Number(text), source: this.source, start, end: this.position };
  }

  #quoted(quote: string): FilterText {
    const start = this.position;
    let text = '';
    let at = start + 1;
    for (;;) {
      const character = this.source[at];
      if (character === undefined) {
        this.position = this.source.length;
        throw this.fail(`\`${this.source.slice(start)}\` is not closed: the closing ${quote} is missing.`, start);
      }
      if (character === quote) break;
      if (character !== '\\') {
        text += character;
        at++;
        continue;
      }
      const [decoded, next] = this.#escape(at + 1, start, quote);
      text += decoded;
      at = next;
    }
    this.position = at + 1;
    if (LONE_SURROGATE.test(text)) {
      throw this.fail(
        `\`${this.source.slice(start, at + 1)}\` is malformed: an escape is not a Unicode character.`,
        start,
        at + 1,
      );
    }
    return { text, source: this.source, start, end: this.position, quoted: true };
  }

  /** The character of an escape (`at` is the position after the backslash), and the position after it. */
  #escape(at: number, start: number, quote: string): [string, number] {
    const character = this.source[at];
    const plain = character === undefined ? undefined : own(ESCAPES, character);
    if (plain !== undefined) return [plain, at + 1];
    for (const [pattern, base] of NUMERIC_ESCAPES) {
      pattern.lastIndex = at;
      const found = pattern.exec(this.source);
      if (!found) continue;
      const code = Number.parseInt(found[1] as string, base);
      if (code > 0x10ffff) break;
      return [String.fromCodePoint(code), pattern.lastIndex];
    }
    const closing = this.source.indexOf(quote, at);
    const value = this.source.slice(start, closing < 0 ? undefined : closing + 1);
    const tail = this.source.slice(at, closing < 0 ? undefined : closing);
    const reason = CUT_ESCAPE.test(tail)
      ? 'ends in an incomplete escape'
      : `has \`\\${character ?? ''}\`, which is not a valid escape`;
    throw this.fail(`\`${value}\` is malformed: it ${reason}.`, start);
  }

  /** Consumes the closing character of something that began at `start`. */
  close(character: string, start: number): void {
    this.space();
    if (this.take(character)) return;
    const found = this.rest();
    const what = found ? `\`${found}\` was found instead` : 'the filter ends';
    throw this.fail(`\`${this.rest(start)}\` is not closed: the closing \`${character}\` is missing, ${what}.`, start);
  }
}
