/**
 * Unsigned integers of arbitrary length, for the rare numbers whose conversion needs more than 64 bits. Little-endian limbs of 32
 * bits without leading zeros; {@link CAPACITY} suffices for 10^1130, the largest power that converting 800 digits needs.
 */
import { alloc } from '../runtime/arena';

const CAPACITY: u32 = 132;

@unmanaged
export class Bignum {
  length: u32;
}

function limb(big: Bignum, index: u32): usize {
  return changetype<usize>(big) + offsetof<Bignum>() + ((<usize>index) << 2);
}

/** A number in scratch. */
export function bigCreate(value: u64): Bignum {
  const big = changetype<Bignum>(alloc(offsetof<Bignum>() + ((<usize>CAPACITY) << 2)));
  store<u32>(limb(big, 0), <u32>value);
  store<u32>(limb(big, 1), <u32>(value >> 32));
  big.length = value >> 32 ? 2 : value ? 1 : 0;
  return big;
}

/** big = big * factor + summand */
export function bigMultiplyAdd(big: Bignum, factor: u32, summand: u32): void {
  let carry: u64 = summand;
  for (let i: u32 = 0; i < big.length; i++) {
    carry += <u64>load<u32>(limb(big, i)) * factor;
    store<u32>(limb(big, i), <u32>carry);
    carry >>= 32;
  }
  if (carry) store<u32>(limb(big, big.length++), <u32>carry);
}

/** big = big * 10^power */
export function bigMultiplyPower10(big: Bignum, power: u32): void {
  for (; power >= 9; power -= 9) bigMultiplyAdd(big, 1000000000, 0);
  for (; power > 0; power--) bigMultiplyAdd(big, 10, 0);
}

/** big = big * 2^bits */
export function bigShift(big: Bignum, bits: u32): void {
  const limbs = bits >>> 5;
  const rest = bits & 31;
  if (big.length === 0) return;
  store<u32>(limb(big, big.length), 0);
  for (let i = <i32>big.length; i >= 0; i--) {
    const low: u32 = i > 0 && rest ? load<u32>(limb(big, i - 1)) >>> (32 - rest) : 0;
    store<u32>(limb(big, i + limbs), (load<u32>(limb(big, i)) << rest) | low);
  }
  for (let i: u32 = 0; i < limbs; i++) store<u32>(limb(big, i), 0);
  big.length += limbs + 1;
  trim(big);
}

function trim(big: Bignum): void {
  while (big.length > 0 && load<u32>(limb(big, big.length - 1)) === 0) big.length--;
}

/** Position of the highest set bit, plus 1. */
export function bigBits(big: Bignum): u32 {
  return big.length === 0 ? 0 : (big.length << 5) - clz(load<u32>(limb(big, big.length - 1)));
}

/** Negative, zero or positive as a is less than, equal to or greater than b. */
export function bigCompare(a: Bignum, b: Bignum): i32 {
  if (a.length !== b.length) return a.length < b.length ? -1 : 1;
  for (let i = <i32>a.length - 1; i >= 0; i--) {
    const x = load<u32>(limb(a, i));
    const y = load<u32>(limb(b, i));
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}

/** a = a - b; b must not be greater than a */
export function bigSubtract(a: Bignum, b: Bignum): void {
  let borrow: i64 = 0;
  for (let i: u32 = 0; i < a.length; i++) {
    borrow += <i64>load<u32>(limb(a, i)) - (i < b.length ? <i64>load<u32>(limb(b, i)) : 0);
    store<u32>(limb(a, i), <u32>borrow);
    borrow >>= 32;
  }
  trim(a);
}

/** sum = a + b */
export function bigAdd(sum: Bignum, a: Bignum, b: Bignum): void {
  const length = max<u32>(a.length, b.length);
  let carry: u64 = 0;
  for (let i: u32 = 0; i < length; i++) {
    carry += i < a.length ? <u64>load<u32>(limb(a, i)) : 0;
    carry += i < b.length ? <u64>load<u32>(limb(b, i)) : 0;
    store<u32>(limb(sum, i), <u32>carry);
    carry >>= 32;
  }
  sum.length = length;
  if (carry) store<u32>(limb(sum, sum.length++), <u32>carry);
}
