/**
 * The text under which a number is indexed: integers of 64 bits as they stand; floats in their shortest form that reads back as
 * the same float, with `.0` when integral, and with a signed exponent below 1e-5 and from 1e16 on.
 */
import { arenaMark, arenaReset } from '../runtime/arena';
import { Bignum, bigAdd, bigCompare, bigCreate, bigMultiplyAdd, bigMultiplyPower10, bigShift, bigSubtract } from './bignum';
import { isWholeNumber, parseNumber } from './number';

/** Room that a text needs beyond the bytes of its literal. */
export const NUMBER_TEXT_ROOM: u32 = 32;

/** Decimals of at most 15 digits are told apart by floats, so such a literal is its own shortest form. */
const DISTINCT_DIGITS: u32 = 15;
/** Plain notation from 10^-5 to below 10^16: the place of the point in 0.d1d2… * 10^point. */
const PLAIN_LEAST: i32 = -4;
const PLAIN_MOST: i32 = 16;

const MINUS: u32 = 0x2d;
const POINT: u32 = 0x2e;
const ZERO: u32 = 0x30;

/** Writes the text of a literal to `out` (its length and {@link NUMBER_TEXT_ROOM} bytes) and answers the text's length. */
export function numberText(literal: usize, length: u32, out: usize): u32 {
  if (isWholeNumber(literal, length)) {
    memory.copy(out, literal, length);
    return length;
  }
  const short = shortDecimal(literal, length, out);
  return short ? short : floatText(parseNumber(literal, length), out);
}

/** Plain decimals of few digits: only zeros at the end of the fraction go. 0 when the literal is of another kind. */
function shortDecimal(literal: usize, length: u32, out: usize): u32 {
  let digits: u32 = 0;
  let whole: u32 = 0;
  let point: usize = 0;
  for (let at = literal; at < literal + length; at++) {
    const byte: u32 = load<u8>(at);
    if (byte === POINT) point = at;
    else if (byte - ZERO < 10) {
      if (digits > 0 || byte !== ZERO) digits++;
      if (point === 0 && digits > 0) whole++;
    } else if (byte !== MINUS) return 0;
  }
  // below 0.1 small values may need an exponent
  if (point === 0 || digits > DISTINCT_DIGITS || (whole === 0 && load<u8>(point + 1) === ZERO)) return 0;
  let end = literal + length;
  while (load<u8>(end - 1) === ZERO && end - 2 > point) end--;
  memory.copy(out, literal, end - literal);
  return <u32>(end - literal);
}

/** Writes a finite float (see above) and answers the length. */
export function floatText(value: f64, out: usize): u32 {
  let at = out;
  if (reinterpret<u64>(value) >> 63) store<u8>(at++, MINUS);
  const mark = arenaMark();
  if (value === 0) {
    store<u8>(at, ZERO);
    store<u8>(at, POINT, 1);
    store<u8>(at, ZERO, 2);
    at += 3;
  } else {
    at = place(Math.abs(value), at);
  }
  arenaReset(mark);
  return <u32>(at - out);
}

// digits of the float being written: value = 0.d1d2… * 10^point
let digitsAt: usize = 0;
let digitCount: u32 = 0;
let point: i32 = 0;

/** Writes the digits with their point and answers the end. */
function place(value: f64, out: usize): usize {
  shortestDigits(value);
  if (point < PLAIN_LEAST || point > PLAIN_MOST) return placeExponent(out);
  let at = out;
  if (point <= 0) {
    store<u8>(at++, ZERO);
    store<u8>(at++, POINT);
    for (let i = point; i < 0; i++) store<u8>(at++, ZERO);
    memory.copy(at, digitsAt, digitCount);
    return at + digitCount;
  }
  const count = <i32>digitCount;
  memory.copy(at, digitsAt, min<i32>(count, point));
  at += min<i32>(count, point);
  for (let i = count; i < point; i++) store<u8>(at++, ZERO);
  store<u8>(at++, POINT);
  if (count <= point) {
    store<u8>(at++, ZERO);
    return at;
  }
  memory.copy(at, digitsAt + point, count - point);
  return at + (count - point);
}

function placeExponent(out: usize): usize {
  let at = out;
  store<u8>(at++, load<u8>(digitsAt));
  if (digitCount > 1) {
    store<u8>(at++, POINT);
    memory.copy(at, digitsAt + 1, digitCount - 1);
    at += digitCount - 1;
  }
  store<u8>(at++, 0x65);
  const power = point - 1;
  store<u8>(at++, power < 0 ? MINUS : 0x2b);
  const size: u32 = abs<i32>(power);
  if (size >= 100) store<u8>(at++, ZERO + size / 100);
  if (size >= 10) store<u8>(at++, ZERO + ((size / 10) % 10));
  store<u8>(at++, ZERO + (size % 10));
  return at;
}

/**
 * The fewest digits that lie between the midpoints to the neighbouring floats, the closest of these (Steele and White 1990,
 * Burger and Dybvig 1996: "Printing floating-point numbers quickly and accurately", free-format algorithm).
 */
function shortestDigits(value: f64): void {
  const bits = reinterpret<u64>(value);
  const biased = <i32>(bits >> 52);
  const fraction = bits & (((<u64>1) << 52) - 1);
  const mantissa = biased ? fraction | ((<u64>1) << 52) : fraction;
  const exponent = (biased ? biased : 1) - 1075;
  // below a power of two the neighbour is half as far away
  const narrow = fraction === 0 && biased > 1;
  const even = (mantissa & 1) === 0;
  const extra: u32 = narrow ? 2 : 1;

  const rest = bigCreate(mantissa);
  const unit = bigCreate(1);
  const above = bigCreate(1);
  const below = bigCreate(1);
  const sum = bigCreate(0);
  bigShift(rest, extra);
  bigShift(unit, extra);
  if (narrow) bigShift(above, 1);
  if (exponent >= 0) {
    bigShift(rest, exponent);
    bigShift(above, exponent);
    bigShift(below, exponent);
  } else {
    bigShift(unit, -exponent);
  }
  point = <i32>Math.ceil(Math.log10(value) - 1e-10);
  if (point >= 0) {
    bigMultiplyPower10(unit, point);
  } else {
    bigMultiplyPower10(rest, -point);
    bigMultiplyPower10(above, -point);
    bigMultiplyPower10(below, -point);
  }
  bigAdd(sum, rest, above);
  if (bigCompare(sum, unit) >= (even ? 0 : 1)) {
    point++;
  } else {
    timesTen(rest, above, below);
  }
  digitsAt = changetype<usize>(bigCreate(0));
  digitCount = 0;
  while (true) {
    let digit: u32 = 0;
    while (bigCompare(rest, unit) >= 0) {
      bigSubtract(rest, unit);
      digit++;
    }
    const low = bigCompare(rest, below) < (even ? 1 : 0);
    bigAdd(sum, rest, above);
    const high = bigCompare(sum, unit) >= (even ? 0 : 1);
    if (low || high) {
      if (high && (!low || roundsUp(rest, unit, digit))) digit++;
      store<u8>(digitsAt + digitCount++, ZERO + digit);
      return;
    }
    store<u8>(digitsAt + digitCount++, ZERO + digit);
    timesTen(rest, above, below);
  }
}

function timesTen(rest: Bignum, above: Bignum, below: Bignum): void {
  bigMultiplyAdd(rest, 10, 0);
  bigMultiplyAdd(above, 10, 0);
  bigMultiplyAdd(below, 10, 0);
}

/** Is the rest more than half a unit, or half of it after an odd digit? */
function roundsUp(rest: Bignum, unit: Bignum, digit: u32): bool {
  bigShift(rest, 1);
  const order = bigCompare(rest, unit);
  return order > 0 || (order === 0 && (digit & 1) === 1);
}
