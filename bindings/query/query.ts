import { mostBytes, writeText } from '../engine/utf8.js';
import { parseJson } from './json.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const MINUS = 0x2d;
const COLON = 0x3a;
const SMALL_Q = 0x71;
const OPEN = 0x7b;
const ASCII_END = 0x80;
const WHITE_SPACE = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const NO_BYTES = new Uint8Array(0);

/**
 * The query of a search. Most are sent as ASCII in which nothing but quotes and backslashes is escaped: these are copied to where they are
 * needed, and their text is only made for what seldom needs it. Valid as long as the bytes that it was read from.
 */
export class Query {
  private constructor(
    /** Plain: those of the JSON string, in [from, to); otherwise none. */
    private readonly bytes: Uint8Array,
    private readonly from: number,
    private readonly to: number,
    /** Absent while it is not needed. */
    private known?: string | null,
  ) {}

  static of(text: string | null): Query {
    return new Query(NO_BYTES, 0, 0, text);
  }

  static plain(bytes: Uint8Array, from: number, to: number): Query {
    return new Query(bytes, from, to);
  }

  get #isPlain(): boolean {
    return this.bytes !== NO_BYTES;
  }

  /** null: the search has none. */
  get text(): string | null {
    if (this.known === undefined)
      this.known = JSON.parse(`"${decoder.decode(this.bytes.subarray(this.from, this.to))}"`) as string;
    return this.known;
  }

  /** Whether it is absent, empty or only white space (Unicode White_Space). */
  get isBlank(): boolean {
    if (!this.#isPlain) return this.text === null || WHITE_SPACE.test(this.text);
    const { bytes, to } = this;
    let at = this.from;
    while (at < to && bytes[at] === SPACE) at++;
    return at === to;
  }

  /** Number of terms between white space, and whether one of them begins with a minus. */
  get terms(): { count: number; excludes: boolean } {
    if (!this.#isPlain) {
      const terms = (this.text ?? '').split(/\s+/).filter(Boolean);
      return { count: terms.length, excludes: terms.some((term) => term.length > 1 && term.startsWith('-')) };
    }
    const { bytes, to } = this;
    let count = 0;
    let excludes = false;
    for (let at = this.from, before = SPACE; at < to; at++) {
      const byte = bytes[at] as number;
      if (before === SPACE && byte !== SPACE) {
        count++;
        excludes ||= byte === MINUS && at + 1 < to && bytes[at + 1] !== SPACE;
      }
      before = byte;
    }
    return { count, excludes };
  }

  /** An upper bound of its bytes. */
  get mostBytes(): number {
    return this.#isPlain ? this.to - this.from : mostBytes(this.text ?? '');
  }

  /** Writes it as UTF-8. @param most UTF-16 units that are written @returns the number of bytes */
  write(into: Uint8Array, at: number, most = Number.POSITIVE_INFINITY): number {
    if (!this.#isPlain) return writeText((this.text ?? '').slice(0, most), into, at);
    const { bytes, to } = this;
    let end = at;
    for (let from = this.from; from < to; from++) {
      if (bytes[from] === BACKSLASH) from++;
      into[end++] = bytes[from] as number;
    }
    return end - at;
  }
}

/** The query of a body that begins with it, and where its value ends; null: the body begins otherwise, or is not valid. */
export function leadingQuery(bytes: Uint8Array): { query: Query; end: number } | null {
  const from = afterBegin(bytes);
  if (from < 0) return null;
  let isPlain = true;
  let at = from;
  for (; bytes[at] !== QUOTE; at++) {
    const byte = bytes[at];
    if (byte === undefined || byte < SPACE) return null;
    if (byte === BACKSLASH) {
      at++;
      if (bytes[at] !== QUOTE && bytes[at] !== BACKSLASH) isPlain = false;
    } else if (byte >= ASCII_END) isPlain = false;
  }
  const query = isPlain ? Query.plain(bytes, from, at) : decoded(bytes.subarray(from - 1, at + 1));
  return query && { query, end: at + 1 };
}

/** The first byte of the value of `q`; -1: the body does not begin with a text of this name. */
function afterBegin(bytes: Uint8Array): number {
  const name = afterBlanks(bytes, 0, OPEN);
  if (bytes[name] !== QUOTE || bytes[name + 1] !== SMALL_Q || bytes[name + 2] !== QUOTE) return -1;
  const value = afterBlanks(bytes, name + 3, COLON);
  return bytes[value] === QUOTE ? value + 1 : -1;
}

/** Where something begins after a sign that may have white space on both sides; -1: there is another one. */
function afterBlanks(bytes: Uint8Array, from: number, sign: number): number {
  let at = from;
  while (isBlank(bytes[at])) at++;
  if (bytes[at] !== sign) return -1;
  do at++;
  while (isBlank(bytes[at]));
  return at;
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** null: the string is not valid. */
function decoded(json: Uint8Array): Query | null {
  try {
    return Query.of(parseJson(decoder.decode(json)) as string);
  } catch {
    return null;
  }
}
