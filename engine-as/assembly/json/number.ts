/** JSON number literals: their 64-bit float, rounded to nearest even. Literals must be valid. */
import { arenaMark, arenaReset } from '../runtime/arena';
import { bigBits, bigCompare, bigCreate, bigMultiplyAdd, bigMultiplyPower10, bigShift, bigSubtract } from './bignum';
import { MINUS, POINT } from './signs';

/** Powers of ten that are exact floats. */
export const EXACT_POWERS: StaticArray<f64> = [
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];
const EXACT_POWER_LIMIT: i32 = 22;
const EXACT_INTEGER_LIMIT: u64 = (<u64>1) << 53;

/** Significant digits that fit 64 bits. */
const SHORT_DIGITS: u32 = 19;
/** At most 767 digits can decide how a number is rounded; of further digits it only matters whether they are all zero. */
const DIGIT_LIMIT: u32 = 800;
/** Larger exponents are capped: far beyond the range of floats. */
const EXPONENT_LIMIT: i32 = 1000000;
/** 10^310 is infinite, 10^-330 is zero, whatever the digits. */
const MAX_POWER: i32 = 310;
const MIN_POWER: i32 = -330;

const U64_TENTH: u64 = u64.MAX_VALUE / 10;
const U64_LAST_DIGIT: u32 = <u32>(u64.MAX_VALUE % 10);

// the literal being read
let mantissa: u64 = 0;
/** value = digits * 10^exponent */
let exponent: i32 = 0;
/** significant digits (without leading zeros) */
let digits: u32 = 0;

function isDigit(byte: u32): bool {
  return byte - 0x30 < 10;
}

/** Value of a literal; infinite when it is out of range. */
export function parseNumber(literal: usize, length: u32): f64 {
  const end = literal + length;
  const negative = load<u8>(literal) === MINUS;
  const start = literal + <usize>negative;
  readDecimal(start, end);
  const size = magnitude(start, end);
  return negative ? -size : size;
}

/** Reads the digits and the exponent. The mantissa holds the first {@link SHORT_DIGITS} digits. */
function readDecimal(start: usize, end: usize): void {
  mantissa = 0;
  exponent = 0;
  digits = 0;
  let at = start;
  let fraction = false;
  for (; at < end; at++) {
    const byte: u32 = load<u8>(at);
    if (byte === POINT) {
      fraction = true;
      continue;
    }
    if (!isDigit(byte)) break;
    if (digits > 0 || byte !== 0x30) digits++;
    if (digits <= SHORT_DIGITS) mantissa = mantissa * 10 + (byte - 0x30);
    if (fraction) exponent--;
  }
  if (at === end) return;
  at++;
  const sign: u32 = load<u8>(at);
  if (sign === 0x2b || sign === MINUS) at++;
  let power: i32 = 0;
  for (; at < end; at++) power = min<i32>(power * 10 + (load<u8>(at) - 0x30), EXPONENT_LIMIT);
  exponent += sign === MINUS ? -power : power;
}

function magnitude(start: usize, end: usize): f64 {
  if (digits === 0) return 0;
  if (digits <= SHORT_DIGITS) {
    if (exponent === 0) return <f64>mantissa;
    if (mantissa < EXACT_INTEGER_LIMIT) {
      if (exponent > 0 && exponent <= EXACT_POWER_LIMIT) return <f64>mantissa * EXACT_POWERS[exponent];
      if (exponent < 0 && exponent >= -EXACT_POWER_LIMIT) return <f64>mantissa / EXACT_POWERS[-exponent];
    }
  }
  const power = <i32>digits + exponent;
  if (power > MAX_POWER) return Infinity;
  if (power < MIN_POWER) return 0;
  const mark = arenaMark();
  const size = exactMagnitude(start, end);
  arenaReset(mark);
  return size;
}

/** Long division of the decimal by a power of ten, bit by bit. */
function exactMagnitude(start: usize, end: usize): f64 {
  const numerator = bigCreate(0);
  let taken: u32 = 0;
  let power = exponent;
  let lost = false;
  for (let at = start; at < end; at++) {
    const byte: u32 = load<u8>(at);
    if (byte === POINT) continue;
    if (!isDigit(byte)) break;
    if (taken === 0 && byte === 0x30) continue;
    if (taken < DIGIT_LIMIT) {
      bigMultiplyAdd(numerator, 10, byte - 0x30);
      taken++;
    } else {
      power++;
      lost = lost || byte !== 0x30;
    }
  }
  if (lost) {
    bigMultiplyAdd(numerator, 10, 1);
    power--;
  }
  const denominator = bigCreate(1);
  if (power > 0) bigMultiplyPower10(numerator, power);
  else bigMultiplyPower10(denominator, -power);
  // scale the quotient into [1, 2); value = quotient * 2^scale
  let scale = <i32>bigBits(numerator) - <i32>bigBits(denominator);
  if (scale > 0) bigShift(denominator, scale);
  else bigShift(numerator, -scale);
  if (bigCompare(numerator, denominator) < 0) {
    bigShift(numerator, 1);
    scale--;
  }
  if (scale > 1023) return Infinity;
  const normal = scale >= -1022;
  const precision = normal ? 53 : 1075 + scale;
  if (precision < 0) return 0;
  let quotient: u64 = 0;
  for (let bit = 0; bit < precision; bit++) {
    quotient <<= 1;
    if (bigCompare(numerator, denominator) >= 0) {
      bigSubtract(numerator, denominator);
      quotient |= 1;
    }
    bigShift(numerator, 1);
  }
  const half = bigCompare(numerator, denominator);
  if (half > 0 || (half === 0 && quotient & 1)) quotient++;
  // A carry out of the fraction correctly increments the exponent.
  const bits = normal ? ((<u64>(scale + 1023)) << 52) + (quotient - ((<u64>1) << 52)) : quotient;
  return reinterpret<f64>(bits);
}

/** Whether a literal is an integer that fits 64 bits, signed or unsigned. `-0` is a float. */
export function isWholeNumber(literal: usize, length: u32): bool {
  const negative = load<u8>(literal) === MINUS;
  const start = literal + <usize>negative;
  const count = length - <u32>negative;
  if (count > 20) return false;
  let value: u64 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const digit: u32 = <u32>load<u8>(start + i) - 0x30;
    if (digit > 9) return false;
    // The twentieth digit may overflow.
    if (i === 19 && (value > U64_TENTH || (value === U64_TENTH && digit > U64_LAST_DIGIT))) return false;
    value = value * 10 + digit;
  }
  if (!negative) return true;
  return value !== 0 && value <= (<u64>1) << 63;
}

/**
 * Value of a text that is a finite decimal number (sign, digits with an optional point, exponent; `+5`, `.5` and `5.` too),
 * otherwise NaN.
 */
export function parseDecimalText(text: usize, length: u32): f64 {
  const end = text + length;
  let at = text;
  if (at < end && (load<u8>(at) === 0x2b || load<u8>(at) === MINUS)) at++;
  const start = at;
  let count: u32 = 0;
  let points: u32 = 0;
  for (; at < end; at++) {
    const byte: u32 = load<u8>(at);
    if (isDigit(byte)) count++;
    else if (byte === POINT) points++;
    else break;
  }
  if (count === 0 || points > 1) return NaN;
  if (at < end) {
    if ((<u32>load<u8>(at) | 0x20) !== 0x65) return NaN;
    at++;
    if (at < end && (load<u8>(at) === 0x2b || load<u8>(at) === MINUS)) at++;
    if (at === end) return NaN;
    for (; at < end; at++) if (!isDigit(load<u8>(at))) return NaN;
  }
  const size = parseNumber(start, <u32>(end - start));
  if (size === Infinity) return NaN;
  return start > text && load<u8>(text) === MINUS ? -size : size;
}
