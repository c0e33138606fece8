/** Products of quantised vectors. The number of components is a multiple of 64. */

/**
 * Σ left · right of i16 and i8 components. With up to 16,384 products of a 13-bit and an 8-bit number, each of the four partial
 * sums fits 32 bits.
 */
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

/** Number of vectors whose codes are interleaved. */
export const BLOCK_VECTORS: u32 = 32;
/** Bits of a code that are looked up at once, and the entries of a table of their sums. */
export const NIBBLE_BITS: u32 = 4;
const TABLE_ENTRIES: u32 = 16;
/** Largest entry of a table: the sum of four entries fits a byte. */
const MAX_TABLE_ENTRY: f32 = 63;
/** Number of nibbles whose sum fits 16 bits: a multiple of 4. */
const NIBBLES_AT_ONCE: u32 = 1024;

/**
 * Sums of entries of tables for {@link BLOCK_VECTORS} codes at once, f32 each, as in André and others, "Cache locality is not
 * enough", 2015: a table of 16 bytes is one register, and a shuffle looks 16 nibbles up in it. `nibbles`: for each table 16
 * bytes, of which byte i has the nibble of vector i below and that of vector i + 16 above; `tables`: u8[count * 16], entries up
 * to 63; `count`: a multiple of 4.
 */
export function sumNibbles(nibbles: usize, tables: usize, count: u32, out: usize): void {
  memory.fill(out, 0, (<usize>BLOCK_VECTORS) << 2);
  for (let left = count; left > 0; ) {
    const now = min<u32>(left, NIBBLES_AT_ONCE);
    addNibbles(nibbles, tables, now, out);
    nibbles += (<usize>now) << 4;
    tables += (<usize>now) << 4;
    left -= now;
  }
}

/**
 * The sums of even-numbered vectors are accumulated together with 256 times those of their neighbours, which are subtracted at
 * the end.
 */
function addNibbles(nibbles: usize, tables: usize, count: u32, out: usize): void {
  const low = i8x16.splat(15);
  let lowBoth: v128 = i16x8.splat(0);
  let lowOdd: v128 = i16x8.splat(0);
  let highBoth: v128 = i16x8.splat(0);
  let highOdd: v128 = i16x8.splat(0);
  for (const end = tables + ((<usize>count) << 4); tables < end; tables += 64, nibbles += 64) {
    let bytes = v128.load(nibbles);
    let table = v128.load(tables);
    let below = i8x16.swizzle(table, v128.and(bytes, low));
    let above = i8x16.swizzle(table, v128.and(i16x8.shr_u(bytes, 4), low));
    bytes = v128.load(nibbles, 16);
    table = v128.load(tables, 16);
    below = i8x16.add(below, i8x16.swizzle(table, v128.and(bytes, low)));
    above = i8x16.add(above, i8x16.swizzle(table, v128.and(i16x8.shr_u(bytes, 4), low)));
    bytes = v128.load(nibbles, 32);
    table = v128.load(tables, 32);
    below = i8x16.add(below, i8x16.swizzle(table, v128.and(bytes, low)));
    above = i8x16.add(above, i8x16.swizzle(table, v128.and(i16x8.shr_u(bytes, 4), low)));
    bytes = v128.load(nibbles, 48);
    table = v128.load(tables, 48);
    below = i8x16.add(below, i8x16.swizzle(table, v128.and(bytes, low)));
    above = i8x16.add(above, i8x16.swizzle(table, v128.and(i16x8.shr_u(bytes, 4), low)));
    lowBoth = i16x8.add(lowBoth, below);
    lowOdd = i16x8.add(lowOdd, i16x8.shr_u(below, 8));
    highBoth = i16x8.add(highBoth, above);
    highOdd = i16x8.add(highOdd, i16x8.shr_u(above, 8));
  }
  addSums(lowBoth, lowOdd, out);
  addSums(highBoth, highOdd, out + 64);
}

/** Adds 16 sums to f32[16]. */
function addSums(both: v128, odd: v128, out: usize): void {
  const even = i16x8.sub(both, i16x8.shl(odd, 8));
  const first = v128.shuffle<i16>(even, odd, 0, 8, 1, 9, 2, 10, 3, 11);
  const second = v128.shuffle<i16>(even, odd, 4, 12, 5, 13, 6, 14, 7, 15);
  addFloats(i32x4.extend_low_i16x8_u(first), out);
  addFloats(i32x4.extend_high_i16x8_u(first), out + 16);
  addFloats(i32x4.extend_low_i16x8_u(second), out + 32);
  addFloats(i32x4.extend_high_i16x8_u(second), out + 48);
}

function addFloats(numbers: v128, out: usize): void {
  v128.store(out, f32x4.add(v128.load(out), f32x4.convert_i32x4_u(numbers)));
}

/**
 * Tables for {@link sumNibbles} from f32 components. Entry e of table t stands for Σ ± component over the components 4t … 4t + 3,
 * with + where bit i of e is set. A sum is approximately (its entry) · step - reach, where reach is the sum of all magnitudes.
 * Returns the step.
 */
export function nibbleTables(components: usize, count: u32, tables: usize): f32 {
  let most: f32 = 0;
  for (let at: usize = 0; at < (<usize>count) << 4; at += 16) most = max<f32>(most, sumMagnitudes(components + at, NIBBLE_BITS));
  const inverse: f32 = most > 0 ? MAX_TABLE_ENTRY / (2 * most) : 0;
  for (let at: usize = 0; at < (<usize>count) << 4; at += 16) {
    const reach = sumMagnitudes(components + at, NIBBLE_BITS);
    for (let entry: u32 = 0; entry < TABLE_ENTRIES; entry++) {
      let sum = reach;
      for (let i: u32 = 0; i < NIBBLE_BITS; i++) {
        const component = load<f32>(components + at + ((<usize>i) << 2));
        sum += (entry >> i) & 1 ? component : -component;
      }
      store<u8>(tables++, <u8>nearest<f32>(sum * inverse));
    }
  }
  return (2 * most) / MAX_TABLE_ENTRY;
}

/** Σ |component| and the largest of them, of f32 components. */
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
