/** The fewest decimal digits that distinguish a float from its neighbours. */
import { alloc } from '../runtime/arena';
import { Bignum, bigAdd, bigCompare, bigCreate, bigMultiplyAdd, bigMultiplyPower10, bigShift, bigSubtract } from './bignum';
import { EXACT_POWERS } from './number';

const ZERO: u32 = 0x30;
/** Every whole number below 2^53 is a float. */
const EXACT_INTEGERS: f64 = 9007199254740992;
/** Decimals of at most 15 digits are distinct as floats, so one that equals the float has its shortest digits. */
const DISTINCT_DECIMALS: f64 = 1e15;
const DISTINCT_DIGITS: i32 = 15;
/** Room for the digits of a float that has few of them. */
const DIGIT_ROOM: usize = 32;

// the digits found last, in scratch memory: value = 0.d1d2… * 10^point
export let digitsAt: usize = 0;
export let digitCount: u32 = 0;
export let point: i32 = 0;

/** Finds the digits of a finite float above 0. */
export function shortestDigits(value: f64): void {
  if (!fewDigits(value)) leastDigits(value);
}

/** The fast path, without arbitrary precision: whole numbers, and decimals of few digits. False for other floats. */
function fewDigits(value: f64): bool {
  if (value < EXACT_INTEGERS && Math.floor(value) === value) {
    digitsOf(<u64>value, 0);
    return true;
  }
  for (let power: i32 = 1; power <= DISTINCT_DIGITS; power++) {
    const unit = unchecked(EXACT_POWERS[power]);
    const scaled = nearest(value * unit);
    if (scaled >= DISTINCT_DECIMALS) return false;
    if (scaled / unit !== value) continue;
    digitsOf(<u64>scaled, power);
    return true;
  }
  return false;
}

/** Writes the digits of value * 10^-power, without trailing zeros. */
function digitsOf(value: u64, power: i32): void {
  digitsAt = alloc(DIGIT_ROOM);
  let size: u32 = 1;
  for (let rest = value; rest >= 10; rest /= 10) size++;
  let rest = value;
  for (let at = digitsAt + size; at > digitsAt; rest /= 10) store<u8>(--at, ZERO + <u32>(rest % 10));
  point = <i32>size - power;
  while (load<u8>(digitsAt + size - 1) === ZERO) size--;
  digitCount = size;
}

/**
 * The shortest decimal between the midpoints to the neighbouring floats, the closest one of these (Steele and White 1990,
 * Burger and Dybvig 1996: "Printing floating-point numbers quickly and accurately", free-format algorithm).
 */
function leastDigits(value: f64): void {
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

/** Whether the rest is more than half a unit, or half of it after an odd digit. Overwrites the rest. */
function roundsUp(rest: Bignum, unit: Bignum, digit: u32): bool {
  bigShift(rest, 1);
  const order = bigCompare(rest, unit);
  return order > 0 || (order === 0 && (digit & 1) === 1);
}
