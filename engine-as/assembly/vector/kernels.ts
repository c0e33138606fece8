/** Products of quantised vectors. Components are multiples of 64. */
import { ROTATION_UNIT } from './rotation';

/** Σ left · right of i16 and i8 components: up to 16,384 products of a 13-bit and an 8-bit number, four sums of which fit 32 bits each. */
export function dotI16I8(left: usize, right: usize, components: u32): f32 {
  let a: v128 = i32x4.splat(0);
  let b: v128 = i32x4.splat(0);
  for (const end = right + components; right < end; right += 32, left += 64) {
    a = i32x4.add(a, i32x4.dot_i16x8_s(v128.load(left), v128.load_ext<i8>(right)));
    b = i32x4.add(b, i32x4.dot_i16x8_s(v128.load(left, 16), v128.load_ext<i8>(right, 8)));
    a = i32x4.add(a, i32x4.dot_i16x8_s(v128.load(left, 32), v128.load_ext<i8>(right, 16)));
    b = i32x4.add(b, i32x4.dot_i16x8_s(v128.load(left, 48), v128.load_ext<i8>(right, 24)));
  }
  const sums = f32x4.convert_i32x4_s(i32x4.add(a, b));
  return f32x4.extract_lane(sums, 0) + f32x4.extract_lane(sums, 1) + (f32x4.extract_lane(sums, 2) + f32x4.extract_lane(sums, 3));
}

/** i8 components as i16. */
export function widenI8(source: usize, components: u32, out: usize): void {
  for (const end = source + components; source < end; source += 8, out += 16) {
    v128.store(out, v128.load_ext<i8>(source));
  }
}

/** Bits of the numbers that {@link planeDot} reads. */
export const PLANES: u32 = 4;

/**
 * Σ number · bit, of bits and numbers of {@link PLANES} bits. `planes`: for each word of 64 bits the lowest bits of its 64 numbers, then
 * their second bits, and so on, each as u64.
 */
export function planeDot(bits: usize, planes: usize, components: u32): u32 {
  let one: u64 = 0;
  let two: u64 = 0;
  let four: u64 = 0;
  let eight: u64 = 0;
  for (const end = bits + (components >>> 3); bits < end; bits += 8, planes += 32) {
    const word = load<u64>(bits);
    one += popcnt<u64>(word & load<u64>(planes));
    two += popcnt<u64>(word & load<u64>(planes, 8));
    four += popcnt<u64>(word & load<u64>(planes, 16));
    eight += popcnt<u64>(word & load<u64>(planes, 24));
  }
  return <u32>(one + (two << 1) + (four << 2) + (eight << 3));
}

/** Takes the numbers (u8, below 16) apart for {@link planeDot}. */
export function splitPlanes(numbers: usize, components: u32, planes: usize): void {
  for (const end = numbers + components; numbers < end; numbers += ROTATION_UNIT) {
    for (let plane: u32 = 0; plane < PLANES; plane++) {
      let word: u64 = 0;
      for (let i: u32 = 0; i < ROTATION_UNIT; i++) word |= (<u64>((load<u8>(numbers + i) >> <u8>plane) & 1)) << i;
      store<u64>(planes, word);
      planes += 8;
    }
  }
}

/** Σ |component| and the greatest of them, of f32 components. */
export function sumMagnitudes(vector: usize, components: u32): f32 {
  let sum: v128 = f32x4.splat(0);
  for (const end = vector + ((<usize>components) << 2); vector < end; vector += 16)
    sum = f32x4.add(sum, f32x4.abs(v128.load(vector)));
  return f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1) + (f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3));
}

export function largestMagnitude(vector: usize, components: u32): f32 {
  let most: v128 = f32x4.splat(0);
  for (const end = vector + ((<usize>components) << 2); vector < end; vector += 16) {
    most = f32x4.max(most, f32x4.abs(v128.load(vector)));
  }
  const a = max<f32>(f32x4.extract_lane(most, 0), f32x4.extract_lane(most, 1));
  return max<f32>(a, max<f32>(f32x4.extract_lane(most, 2), f32x4.extract_lane(most, 3)));
}
