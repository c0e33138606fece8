/** The grammar of JSON values (RFC 8259), scanned without building them. See scanner.ts. */
import { parseNumber } from './number';
import { BACKSLASH, QUOTE } from './signs';

/** Deepest nesting of arrays and objects. */
const DEPTH_LIMIT: u32 = 512;

// errors
export const ERROR_END: u32 = 1;
export const ERROR_VALUE: u32 = 2;
export const ERROR_NAME: u32 = 3;
export const ERROR_COLON: u32 = 4;
export const ERROR_OBJECT: u32 = 5;
export const ERROR_ARRAY: u32 = 6;
export const ERROR_ESCAPE: u32 = 7;
export const ERROR_CONTROL: u32 = 8;
export const ERROR_UTF8: u32 = 9;
export const ERROR_SURROGATE: u32 = 10;
export const ERROR_NUMBER: u32 = 11;
export const ERROR_RANGE: u32 = 12;
export const ERROR_DEPTH: u32 = 13;
export const ERROR_TRAILING: u32 = 14;
export const ERROR_NOT_OBJECT: u32 = 15;

/** The text, and the error that was found, if any: ERROR_* and its address. Other modules must not change these. */
export let textStart: usize = 0;
export let textEnd: usize = 0;
export let errorCode: u32 = 0;
export let errorAt: usize = 0;

/** Records an error and returns 0, which no successful scan returns. */
export function fail(code: u32, at: usize): usize {
  errorCode = at >= textEnd && code !== ERROR_DEPTH && code !== ERROR_RANGE ? ERROR_END : code;
  errorAt = min<usize>(at, textEnd);
  return 0;
}

/** Begins a text. */
export function begin(text: usize, length: u32): void {
  textStart = text;
  textEnd = text + length;
  errorCode = 0;
  errorAt = text;
}

/** First address from `at` on without white space. */
export function blanks(at: usize): usize {
  while (at < textEnd) {
    const byte: u32 = load<u8>(at);
    if (byte > 0x20 || !(byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)) break;
    at++;
  }
  return at;
}

function isDigit(byte: u32): bool {
  return byte - 0x30 < 10;
}

/** The byte at an address, 0 at the end of the text. */
export function peek(at: usize): u32 {
  return at < textEnd ? <u32>load<u8>(at) : 0;
}

/** Scans a string after its opening quote; returns the address after the closing one. */
function scanString(from: usize): usize {
  let at = from;
  while (at < textEnd) {
    // 16 bytes at a time: a signed comparison with 0x20 finds control characters and everything outside ASCII.
    while (at + 16 <= textEnd) {
      const bytes = v128.load(at);
      const quote = i8x16.eq(bytes, i8x16.splat(<i8>QUOTE));
      const backslash = i8x16.eq(bytes, i8x16.splat(<i8>BACKSLASH));
      const special = v128.or(v128.or(quote, backslash), i8x16.lt_s(bytes, i8x16.splat(0x20)));
      const mask = i8x16.bitmask(special);
      if (mask) {
        at += ctz(mask);
        break;
      }
      at += 16;
    }
    if (at >= textEnd) break;
    const byte: u32 = load<u8>(at);
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) {
      at = scanEscape(at);
      if (!at) return 0;
    } else if (byte < 0x20) {
      return fail(ERROR_CONTROL, at);
    } else if (byte < 0x80) {
      at++;
    } else {
      do {
        at = scanWide(at);
        if (!at) return 0;
      } while (at < textEnd && load<u8>(at) >= 0x80);
    }
  }
  return fail(ERROR_END, textEnd);
}

/** Scans a UTF-8 sequence outside ASCII (Unicode 15, table 3-7). */
function scanWide(at: usize): usize {
  const lead: u32 = load<u8>(at);
  const second = peek(at + 1);
  if (lead < 0xe0) {
    if (lead < 0xc2 || second >>> 6 !== 2) return fail(ERROR_UTF8, at);
    return at + 2;
  }
  if (peek(at + 2) >>> 6 !== 2) return fail(ERROR_UTF8, at);
  if (lead < 0xf0) {
    const low: u32 = lead === 0xe0 ? 0xa0 : 0x80;
    const high: u32 = lead === 0xed ? 0x9f : 0xbf;
    return second < low || second > high ? fail(ERROR_UTF8, at) : at + 3;
  }
  if (lead > 0xf4 || peek(at + 3) >>> 6 !== 2) return fail(ERROR_UTF8, at);
  const low: u32 = lead === 0xf0 ? 0x90 : 0x80;
  const high: u32 = lead === 0xf4 ? 0x8f : 0xbf;
  return second < low || second > high ? fail(ERROR_UTF8, at) : at + 4;
}

/** Scans an escape from its backslash. */
function scanEscape(at: usize): usize {
  switch (peek(at + 1)) {
    case 0x22: // "
    case 0x5c: // \
    case 0x2f: // /
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return at + 2;
    case 0x75: {
      const unit = scanHex(at + 2);
      if (unit < 0) return fail(ERROR_ESCAPE, at);
      if (unit >>> 11 !== 0x1b) return at + 6;
      if (unit >= 0xdc00 || peek(at + 6) !== BACKSLASH || peek(at + 7) !== 0x75) return fail(ERROR_SURROGATE, at);
      const low = scanHex(at + 8);
      if (low < 0) return fail(ERROR_ESCAPE, at + 6);
      return low >>> 10 === 0x37 ? at + 12 : fail(ERROR_SURROGATE, at);
    }
    default:
      return fail(at + 1 >= textEnd ? ERROR_END : ERROR_ESCAPE, at);
  }
}

/** Four hexadecimal digits, or -1. */
function scanHex(at: usize): i32 {
  if (at + 4 > textEnd) return -1;
  let value: i32 = 0;
  for (let i: usize = 0; i < 4; i++) {
    const digit = hexDigit(load<u8>(at + i));
    if (digit < 0) return -1;
    value = (value << 4) | digit;
  }
  return value;
}

export function hexDigit(byte: u32): i32 {
  if (byte - 0x30 < 10) return byte - 0x30;
  const letter = byte | 0x20;
  return letter - 0x61 < 6 ? letter - 0x57 : -1;
}

/** Number of digits whose value is certainly finite: 10^300 is less than the largest float. */
const SAFE_DIGITS: usize = 300;

function scanNumber(from: usize): usize {
  let at = from;
  if (peek(at) === 0x2d) at++;
  const digits = at;
  if (peek(at) === 0x30) at++;
  else {
    if (!isDigit(peek(at))) return fail(ERROR_NUMBER, at);
    do at++;
    while (isDigit(peek(at)));
  }
  let mayOverflow = at - digits > SAFE_DIGITS;
  if (peek(at) === 0x2e) {
    at++;
    if (!isDigit(peek(at))) return fail(ERROR_NUMBER, at);
    do at++;
    while (isDigit(peek(at)));
  }
  if ((peek(at) | 0x20) === 0x65) {
    at++;
    if (peek(at) === 0x2b || peek(at) === 0x2d) at++;
    if (!isDigit(peek(at))) return fail(ERROR_NUMBER, at);
    do at++;
    while (isDigit(peek(at)));
    mayOverflow = true;
  }
  if (mayOverflow && abs<f64>(parseNumber(from, <u32>(at - from))) === Infinity) return fail(ERROR_RANGE, from);
  return at;
}

function scanLiteral(at: usize, word: u32, length: usize): usize {
  if (at + length > textEnd) return fail(ERROR_VALUE, at);
  return load<u32>(at + length - 4) === word ? at + length : fail(ERROR_VALUE, at);
}

/** "null", "true" and the last four bytes of "false", as little-endian numbers. */
const WORD_NULL: u32 = 0x6c6c756e;
const WORD_TRUE: u32 = 0x65757274;
const WORD_ALSE: u32 = 0x65736c61;

/** Scans a value from its first byte; returns the address after it. */
export function scanValue(at: usize, depth: u32): usize {
  switch (peek(at)) {
    case QUOTE:
      return scanString(at + 1);
    case 0x7b:
      return scanObject(at, depth + 1);
    case 0x5b:
      return scanArray(at, depth + 1);
    case 0x6e:
      return scanLiteral(at, WORD_NULL, 4);
    case 0x74:
      return scanLiteral(at, WORD_TRUE, 4);
    case 0x66:
      return scanLiteral(at, WORD_ALSE, 5);
    case 0x2d:
      return scanNumber(at);
    default:
      return isDigit(peek(at)) ? scanNumber(at) : fail(ERROR_VALUE, at);
  }
}

function scanObject(from: usize, depth: u32): usize {
  if (depth > DEPTH_LIMIT) return fail(ERROR_DEPTH, from);
  let at = blanks(from + 1);
  if (peek(at) === 0x7d) return at + 1;
  while (true) {
    if (peek(at) !== QUOTE) return fail(ERROR_NAME, at);
    at = scanString(at + 1);
    if (!at) return 0;
    at = blanks(at);
    if (peek(at) !== 0x3a) return fail(ERROR_COLON, at);
    at = scanValue(blanks(at + 1), depth);
    if (!at) return 0;
    at = blanks(at);
    const byte = peek(at);
    if (byte === 0x7d) return at + 1;
    if (byte !== 0x2c) return fail(ERROR_OBJECT, at);
    at = blanks(at + 1);
  }
}

function scanArray(from: usize, depth: u32): usize {
  if (depth > DEPTH_LIMIT) return fail(ERROR_DEPTH, from);
  let at = blanks(from + 1);
  if (peek(at) === 0x5d) return at + 1;
  while (true) {
    at = scanValue(at, depth);
    if (!at) return 0;
    at = blanks(at);
    const byte = peek(at);
    if (byte === 0x5d) return at + 1;
    if (byte !== 0x2c) return fail(ERROR_ARRAY, at);
    at = blanks(at + 1);
  }
}
