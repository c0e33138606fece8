/** Numbers as answers show them. The functions need {@link SHOWN_ROOM} bytes at `out` for a finite float, and return the number of bytes written. */
import { arenaMark, arenaReset } from '../runtime/arena';
import { digitCount, digitsAt, point, shortestDigits } from './shortest-digits';

/** The least float has 324 zeros before its digits, of which there are at most 17, a sign and a point. */
export const SHOWN_ROOM: usize = 352;

/** Quantities have an exponent from 10^21 on and below 10^-6. These are the values of `point` in 0.d1d2… * 10^point that need none. */
const LEAST_PLAIN: i32 = -5;
const MOST_PLAIN: i32 = 21;

const MINUS: u32 = 0x2d;
const PLUS: u32 = 0x2b;
const POINT: u32 = 0x2e;
const ZERO: u32 = 0x30;
const EXPONENT: u32 = 0x65;

/** A number in decimal digits, however many these are: `10`, `1.5`, `0.0000001`. */
export function plainDecimal(value: f64, out: usize): u32 {
  if (value === 0) {
    store<u8>(out, ZERO);
    return 1;
  }
  const mark = arenaMark();
  const end = placed(writeSign(value, out));
  arenaReset(mark);
  return <u32>(end - out);
}

/**
 * A quantity, in contrast to a count: a whole number gets `.0`, so that clients in typed languages always read a float.
 */
export function quantityText(value: f64, out: usize): u32 {
  // minus zero, too, is 0
  return value === 0 ? <u32>(placeWhole(placeZeros(out, 1)) - out) : floatText(value, out, LEAST_PLAIN, MOST_PLAIN);
}

/** A float other than 0, with a point, or with an exponent if the place of the point is below `least` or above `most`. */
export function floatText(value: f64, out: usize, least: i32, most: i32): u32 {
  const mark = arenaMark();
  let at = writeSign(value, out);
  if (point < least || point > most) {
    at = placedWithExponent(at);
  } else {
    at = placed(at);
    if (<i32>digitCount <= point) at = placeWhole(at);
  }
  arenaReset(mark);
  return <u32>(at - out);
}

/** Finds the digits, and writes the sign. */
function writeSign(value: f64, out: usize): usize {
  shortestDigits(Math.abs(value));
  if (value > 0) return out;
  store<u8>(out, MINUS);
  return out + 1;
}

function placeWhole(at: usize): usize {
  store<u8>(at, POINT);
  return placeZeros(at + 1, 1);
}

function placeZeros(at: usize, count: i32): usize {
  if (count <= 0) return at;
  memory.fill(at, <u8>ZERO, count);
  return at + count;
}

function placeDigits(at: usize, from: u32, to: u32): usize {
  memory.copy(at, digitsAt + from, to - from);
  return at + (to - from);
}

function placed(out: usize): usize {
  if (point <= 0) {
    store<u8>(out, ZERO);
    store<u8>(out, POINT, 1);
    return placeDigits(placeZeros(out + 2, -point), 0, digitCount);
  }
  const whole = min<u32>(digitCount, point);
  const at = placeZeros(placeDigits(out, 0, whole), point - <i32>whole);
  if (whole === digitCount) return at;
  store<u8>(at, POINT);
  return placeDigits(at + 1, whole, digitCount);
}

function placedWithExponent(out: usize): usize {
  let at = placeDigits(out, 0, 1);
  if (digitCount > 1) {
    store<u8>(at, POINT);
    at = placeDigits(at + 1, 1, digitCount);
  }
  const power = point - 1;
  store<u8>(at, EXPONENT);
  store<u8>(at, power < 0 ? MINUS : PLUS, 1);
  at += 2;
  const size: u32 = abs<i32>(power);
  if (size >= 100) store<u8>(at++, ZERO + size / 100);
  if (size >= 10) store<u8>(at++, ZERO + ((size / 10) % 10));
  store<u8>(at, ZERO + (size % 10));
  return at + 1;
}
