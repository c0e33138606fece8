/**
 * Steps over stored JSON without parsing it, so that numbers keep their text (`10.0`, integers beyond 2^53) and what is not changed is
 * copied as it stands. The JSON is valid: it was checked when it was stored.
 */

import { readText } from '../engine/utf8.js';

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
const BACKSLASH = 0x5c;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** The first place from `at` that is not white space. */
export function skipBlanks(json: Uint8Array, at: number): number {
  while ((json[at] as number) <= 0x20) at++;
  return at;
}

/** The end of the string whose opening quote is at `at`. */
export function skipString(json: Uint8Array, at: number): number {
  for (at++; ; at++) {
    const unit = json[at];
    if (unit === QUOTE) return at + 1;
    if (unit === BACKSLASH) at++;
  }
}

/** The end of the value that starts at `at`. */
export function skipValue(json: Uint8Array, at: number): number {
  const first = json[at];
  if (first === QUOTE) return skipString(json, at);
  if (first !== OPEN_OBJECT && first !== OPEN_ARRAY) return skipScalar(json, at);
  let depth = 0;
  for (; ; at++) {
    const unit = json[at];
    if (unit === QUOTE) {
      at = skipString(json, at) - 1;
    } else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
      depth++;
    } else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) {
      if (--depth === 0) return at + 1;
    }
  }
}

function skipScalar(json: Uint8Array, at: number): number {
  for (; at < json.length; at++) {
    const unit = json[at] as number;
    if (unit === COMMA || unit === CLOSE_OBJECT || unit === CLOSE_ARRAY || unit <= 0x20) break;
  }
  return at;
}

/** Whether the value that starts with this byte is a number. */
export function startsNumber(unit: number): boolean {
  return unit === 0x2d || (unit >= 0x30 && unit <= 0x39);
}

export function hasEscape(json: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (json[at] === BACKSLASH) return true;
  return false;
}

/** The text of a part of JSON; shared memory is copied first. */
function jsonText(json: Uint8Array, from: number, to: number): string {
  return readText(json, from, to);
}

/** The string between the quotes at `from - 1` and `to`. */
export function stringValue(json: Uint8Array, from: number, to: number): string {
  return hasEscape(json, from, to) ? JSON.parse(jsonText(json, from - 1, to + 1)) : jsonText(json, from, to);
}

/** The bounds of the value of a member of the object that `json` holds, or null. The last of several counts. */
export function findMember(json: Uint8Array, name: string): { from: number; to: number } | null {
  let found: { from: number; to: number } | null = null;
  let at = skipBlanks(json, skipBlanks(json, 0) + 1);
  while (json[at] === QUOTE) {
    const nameEnd = skipString(json, at);
    const from = skipBlanks(json, skipBlanks(json, nameEnd) + 1);
    const to = skipValue(json, from);
    if (stringValue(json, at + 1, nameEnd - 1) === name) found = { from, to };
    at = skipBlanks(json, to);
    if (json[at] === COMMA) at = skipBlanks(json, at + 1);
  }
  return found;
}

/** A JSON escape letter -> the byte it stands for. */
const ESCAPED = new Uint8Array(128);
for (const [letter, unit] of Object.entries({ b: 8, t: 9, n: 10, f: 12, r: 13, '"': QUOTE, '/': 0x2f, '\\': BACKSLASH })) {
  ESCAPED[letter.charCodeAt(0)] = unit;
}

/**
 * Writes the inside of a string, without escapes, to `out` (at least `to - from` bytes) and returns the bytes written. A surrogate
 * without its partner becomes U+FFFD.
 */
export function unescapeInto(json: Uint8Array, from: number, to: number, out: Uint8Array): number {
  let length = 0;
  for (let at = from; at < to; ) {
    const unit = json[at++] as number;
    if (unit !== BACKSLASH) {
      out[length++] = unit;
      continue;
    }
    const letter = json[at++] as number;
    if (letter !== 0x75) {
      out[length++] = ESCAPED[letter] as number;
      continue;
    }
    let code = hexadecimal(json, at);
    at += 4;
    if (code >= 0xd800 && code < 0xe000) {
      const paired = code < 0xdc00 && json[at] === BACKSLASH && json[at + 1] === 0x75;
      const low = paired ? hexadecimal(json, at + 2) : 0;
      if (low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        at += 6;
      } else {
        code = 0xfffd;
      }
    }
    length = putCodePoint(out, length, code);
  }
  return length;
}

function hexadecimal(json: Uint8Array, at: number): number {
  let code = 0;
  for (let i = at; i < at + 4; i++) {
    const unit = json[i] as number;
    code = (code << 4) | (unit <= 0x39 ? unit - 0x30 : (unit | 0x20) - 0x57);
  }
  return code;
}

function putCodePoint(out: Uint8Array, at: number, code: number): number {
  if (code < 0x80) {
    out[at] = code;
    return at + 1;
  }
  const more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  out[at] = ((0xf80 >> more) & 0xff) | (code >> (6 * more));
  for (let i = 1; i <= more; i++) out[at + i] = 0x80 | ((code >> (6 * (more - i))) & 0x3f);
  return at + more + 1;
}
