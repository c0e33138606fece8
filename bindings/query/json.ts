/**
 * A strict JSON parser (RFC 8259) for requests. Unlike JSON.parse it keeps what validation and exact ids need: the order of
 * members as sent, including integer-like names, and the text of numbers.
 */
export type JsonValue = null | boolean | string | JsonNumber | JsonValue[] | JsonObject;

/** Members in the order sent; a repeated name keeps its first position and its last value. */
export type JsonObject = Map<string, JsonValue>;

export class JsonNumber {
  constructor(readonly text: string) {}

  get value(): number {
    return Number(this.text);
  }

  /** Written without fraction and exponent. */
  get isInteger(): boolean {
    return /^-?\d+$/.test(this.text);
  }
}

export class JsonSyntaxError extends Error {
  /** `offset` in UTF-16 units. */
  constructor(
    readonly reason: string,
    readonly offset: number,
  ) {
    super(`${reason} at character ${offset + 1}`);
  }
}

/** Deepest nesting, so that no request can exhaust the stack. */
const MAX_DEPTH = 128;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** @throws JsonSyntaxError when the text is not exactly one JSON value, or is nested deeper than `depth` levels */
export function parseJson(text: string, depth = MAX_DEPTH): JsonValue {
  return new Parser(text, depth).whole();
}

/** The value as JSON.parse would return it. */
export function plainValue(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return value.value;
  if (Array.isArray(value)) return value.map(plainValue);
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, member]) => [name, plainValue(member)]));
  return value;
}

/** The value as JSON, with numbers as they were written. */
export function jsonText(value: JsonValue): string {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join()}]`;
  if (value instanceof Map) {
    return `{${[...value].map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`).join()}}`;
  }
  return JSON.stringify(value);
}

class Parser {
  #at = 0;
  #depth = 0;

  constructor(
    readonly text: string,
    readonly depthLimit: number,
  ) {}

  whole(): JsonValue {
    const value = this.#value();
    this.#skipBlanks();
    if (this.#at < this.text.length) throw this.#error('unexpected text after the value');
    return value;
  }

  /** The string that follows; null: it is something else. */
  #textAhead(): string | null {
    this.#skipBlanks();
    return this.text[this.#at] === '"' ? this.#string() : null;
  }

  #value(): JsonValue {
    this.#skipBlanks();
    switch (this.text[this.#at]) {
      case undefined:
        throw this.#error('unexpected end');
      case '{':
        return this.#nested(() => this.#object());
      case '[':
        return this.#nested(() => this.#array());
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > this.depthLimit) throw this.#error(`nested deeper than ${this.depthLimit} levels`);
    this.#at++;
    const value = read();
    this.#depth--;
    return value;
  }

  #object(): JsonObject {
    const members: JsonObject = new Map();
    this.#skipBlanks();
    if (this.#accept('}')) return members;
    do {
      const name = this.#textAhead();
      if (name === null) throw this.#error('expected a member name in double quotes');
      this.#skipBlanks();
      if (!this.#accept(':')) throw this.#error('expected ":"');
      members.set(name, this.#value());
      this.#skipBlanks();
    } while (this.#accept(','));
    if (!this.#accept('}')) throw this.#error('expected "," or "}"');
    return members;
  }

  #array(): JsonValue[] {
    const items: JsonValue[] = [];
    this.#skipBlanks();
    if (this.#accept(']')) return items;
    do {
      items.push(this.#value());
      this.#skipBlanks();
    } while (this.#accept(','));
    if (!this.#accept(']')) throw this.#error('expected "," or "]"');
    return items;
  }

  #string(): string {
    const { text } = this;
    const start = this.#at;
    let at = start + 1;
    let escaped = false;
    for (; ; at++) {
      const unit = text.charCodeAt(at);
      if (unit === 0x22) break;
      if (unit === 0x5c) {
        escaped = true;
        at++;
      } else if (!(unit >= 0x20)) {
        this.#at = Math.min(at, text.length);
        throw this.#error(at < text.length ? 'control character in a string' : 'unterminated string');
      }
    }
    this.#at = at + 1;
    return escaped ? this.#unescape(start, at + 1) : text.slice(start + 1, at);
  }

  #unescape(start: number, end: number): string {
    let string: string | null = null;
    try {
      string = JSON.parse(this.text.slice(start, end));
    } catch {
      // Reported below, with the position in the whole text.
    }
    if (string === null || LONE_SURROGATE.test(string)) {
      this.#at = start;
      throw this.#error('invalid escape in the string');
    }
    return string;
  }

  #number(): JsonNumber {
    NUMBER.lastIndex = this.#at;
    const match = NUMBER.exec(this.text);
    if (!match) throw this.#error('expected a value');
    this.#at += match[0].length;
    return new JsonNumber(match[0]);
  }

  #word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.#at)) throw this.#error('expected a value');
    this.#at += word.length;
    return value;
  }

  #skipBlanks(): void {
    for (; ; this.#at++) {
      const unit = this.text.charCodeAt(this.#at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
    }
  }

  #accept(sign: string): boolean {
    if (this.text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #error(reason: string): JsonSyntaxError {
    return new JsonSyntaxError(reason, this.#at);
  }
}
