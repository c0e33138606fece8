import { readText } from './utf8.js';

/**
 * Finds members of stored JSON by byte ranges, so that unchanged parts are copied as they are. The JSON was validated when it was
 * stored.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const BLANK = 0x20;
/** All characters of numbers, and commas, are in this range, except the letter of exponents. */
const PLUS = 0x2b;
const NINE = 0x39;
const LOWER_E = 0x65;
const UPPER_E = 0x45;
const CLOSE_OBJECT = 0x7d;

export interface MemberBounds {
  name: string;
  /** Range of the value; the end is exclusive. */
  from: number;
  to: number;
}

/** The members of the object that begins at `at`, possibly after white space; none when the value is not an object. */
export function* memberBounds(json: Uint8Array, at = 0): Generator<MemberBounds> {
  const start = skipBlanks(json, at);
  if (json[start] !== OPEN_OBJECT) return;
  for (let place = skipBlanks(json, start + 1); json[place] === QUOTE; ) {
    const nameEnd = skipString(json, place);
    const from = skipBlanks(json, skipBlanks(json, nameEnd) + 1);
    const to = skipValue(json, from);
    yield { name: nameOf(json, place, nameEnd), from, to };
    place = skipBlanks(json, to);
    if (json[place] === COMMA) place = skipBlanks(json, place + 1);
  }
}

/** The value of a member of an object; the last one if it is repeated. */
export function memberNamed(json: Uint8Array, name: string): MemberBounds | null {
  let found: MemberBounds | null = null;
  for (const member of memberBounds(json)) if (member.name === name) found = member;
  return found;
}

/** `from` and `to`: the range including the quotes. */
function nameOf(json: Uint8Array, from: number, to: number): string {
  const escaped = json.subarray(from, to).includes(BACKSLASH);
  return escaped ? JSON.parse(readText(json, from, to)) : readText(json, from + 1, to - 1);
}

function skipBlanks(json: Uint8Array, at: number): number {
  let place = at;
  while ((json[place] as number) <= 0x20) place++;
  return place;
}

function skipString(json: Uint8Array, at: number): number {
  for (let place = at + 1; ; place++) {
    const unit = json[place];
    if (unit === QUOTE) return place + 1;
    if (unit === BACKSLASH) place++;
  }
}

/** The end of an array of numbers, which makes up most of documents with vectors; 0 when another kind of array begins at `at`. */
function endOfNumbers(json: Uint8Array, at: number): number {
  for (let place = at + 1; place < json.length; place++) {
    const unit = json[place] as number;
    if (unit >= PLUS && unit <= NINE) continue;
    if (unit === CLOSE_ARRAY) return place + 1;
    if (unit !== LOWER_E && unit !== UPPER_E && unit > BLANK) return 0;
  }
  return 0;
}

function skipValue(json: Uint8Array, at: number): number {
  let place = at;
  for (let depth = 0; place < json.length; place++) {
    const unit = json[place] as number;
    if (unit === QUOTE) {
      place = skipString(json, place) - 1;
    } else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
      const end = unit === OPEN_ARRAY ? endOfNumbers(json, place) : 0;
      if (end > 0) {
        place = end - 1;
      } else {
        depth++;
        continue;
      }
    } else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) {
      if (depth === 0) return place;
      depth--;
    } else if (depth === 0 && (unit === COMMA || unit <= 0x20)) {
      return place;
    } else if (depth === 0) {
      continue;
    }
    if (depth === 0) return place + 1;
  }
  return place;
}
