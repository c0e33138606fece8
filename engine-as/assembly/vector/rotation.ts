/**
 * A fixed random rotation that distributes the variance of vectors evenly over their components, so that one bit or byte each is
 * as informative as possible: rounds of random signs and Walsh-Hadamard transforms. If the length is not a power of two, a round
 * transforms the longest such prefix and then the suffix of the same length, which overlap.
 */

const ROUNDS: u32 = 3;
/** Lengths are multiples of this. */
const ROTATION_UNIT: u32 = 64;

/** Number of components after padding with zeros. */
export function paddedDimensions(dimensions: u32): u32 {
  return (dimensions + ROTATION_UNIT - 1) & ~(ROTATION_UNIT - 1);
}

/** Rotates `length` f32 components in place; `length`: see {@link paddedDimensions}; at a multiple of 16. Lengths and angles are kept. */
export function rotate(vector: usize, length: u32): void {
  const piece: u32 = (<u32>1) << (31 - <u32>clz<u32>(length));
  const tail = vector + ((<usize>(length - piece)) << 2);
  for (let round: u32 = 0; round < ROUNDS; round++) {
    flipSigns(vector, length, round);
    transform(vector, piece);
    if (piece !== length) transform(tail, piece);
  }
}

/** Bits of a counter that look random (the finaliser of SplitMix64). */
export function mix64(value: u64): u64 {
  let bits = (value + 1) * 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

function flipSigns(vector: usize, length: u32, round: u32): void {
  const blocks = length / ROTATION_UNIT;
  for (let block: u32 = 0; block < blocks; block++) {
    let signs = mix64(((<u64>round) << 32) | <u64>block);
    const end = vector + 256;
    for (; vector < end; vector += 4) {
      store<u32>(vector, load<u32>(vector) ^ ((<u32>signs & 1) << 31));
      signs >>= 1;
    }
  }
}

/** The orthonormal Walsh-Hadamard transform of `length` components, a power of two and at least 4. */
function transform(vector: usize, length: u32): void {
  const bytes = (<usize>length) << 2;
  const factor = f32x4.splat(<f32>1 / sqrt<f32>(<f32>length));
  for (let at = vector; at < vector + bytes; at += 16) {
    let lanes = f32x4.mul(v128.load(at), factor);
    // (a, b, c, d) -> (a + b, a - b, c + d, c - d) -> sums and differences of the halves
    let left = v128.shuffle<f32>(lanes, lanes, 0, 0, 2, 2);
    let right = f32x4.mul(v128.shuffle<f32>(lanes, lanes, 1, 1, 3, 3), f32x4(1, -1, 1, -1));
    lanes = f32x4.add(left, right);
    left = v128.shuffle<f32>(lanes, lanes, 0, 1, 0, 1);
    right = f32x4.mul(v128.shuffle<f32>(lanes, lanes, 2, 3, 2, 3), f32x4(1, 1, -1, -1));
    v128.store(at, f32x4.add(left, right));
  }
  for (let half: usize = 16; half < bytes; half <<= 1) {
    for (let block = vector; block < vector + bytes; block += half << 1) {
      for (let at = block; at < block + half; at += 16) {
        const left = v128.load(at);
        const right = v128.load(at + half);
        v128.store(at, f32x4.add(left, right));
        v128.store(at + half, f32x4.sub(left, right));
      }
    }
  }
}
