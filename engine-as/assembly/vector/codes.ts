/**
 * The binary codes of vectors, RaBitQ (Gao and Long, 2024, arXiv:2405.12497): one bit per component says whether it is positive.
 * The codes of {@link BLOCK_VECTORS} vectors are interleaved in a block, so that a scan looks all of them up at once:
 *
 *   | f32 factor[32] | f32 bias[32] | f32 error[32] | for each 4 components 16 bytes: vector i below, vector i + 16 above |
 *
 * The last block is padded with codes of zero vectors.
 */
import { alloc } from '../runtime/arena';
import { dotF32 } from './cosine';
import { BLOCK_VECTORS, NIBBLE_BITS, sumMagnitudes } from './kernels';

const COLUMN: u32 = BLOCK_VECTORS << 2;
const HALF: u32 = BLOCK_VECTORS >> 1;

/** f32[32]: |r|² / Σ |component of r|; a product with r is about this times Σ ± component. */
export function factorsOf(block: usize): usize {
  return block;
}

/** f32[32]: <c, r> of the centroid c; -Infinity: the vector has no direction. */
export function biasesOf(block: usize): usize {
  return block + COLUMN;
}

/** f32[32]: standard deviation of the estimate for a query with |q - c| = 1. */
export function errorsOf(block: usize): usize {
  return block + 2 * COLUMN;
}

/** The bits, see {@link sumNibbles}. */
export function nibblesOf(block: usize): usize {
  return block + 3 * COLUMN;
}

export function blockBytesOf(components: u32): u32 {
  return 3 * COLUMN + (components << 2);
}

export function blockCountOf(vectors: u32): u32 {
  return (vectors + BLOCK_VECTORS - 1) / BLOCK_VECTORS;
}

/** Codes of vectors that all have no direction (zero vectors). */
export function codesCreate(vectors: u32, components: u32): usize {
  const bytes = <usize>blockCountOf(vectors) * <usize>blockBytesOf(components);
  const codes = alloc(bytes);
  memory.fill(codes, 0, bytes);
  for (let block = codes; block < codes + bytes; block += blockBytesOf(components)) {
    for (let i: usize = 0; i < COLUMN; i += 4) store<f32>(biasesOf(block) + i, -Infinity);
  }
  return codes;
}

/** Writes the code of a vector that was normalised, rotated and centred. */
export function codeWrite(codes: usize, components: u32, vector: u32, centred: usize, bias: f32): void {
  const block = codes + <usize>(vector / BLOCK_VECTORS) * <usize>blockBytesOf(components);
  const lane = vector % BLOCK_VECTORS;
  const shift = <u8>(lane < HALF ? 0 : NIBBLE_BITS);
  let at = nibblesOf(block) + (lane % HALF);
  for (let group: u32 = 0; group < components; group += NIBBLE_BITS) {
    const positive = <u8>i32x4.bitmask(f32x4.gt(v128.load(centred + ((<usize>group) << 2)), f32x4.splat(0)));
    store<u8>(at, load<u8>(at) | (positive << shift));
    at += HALF;
  }
  const magnitudes = sumMagnitudes(centred, components);
  const square = dotF32(centred, centred, components);
  const place = (<usize>lane) << 2;
  store<f32>(factorsOf(block) + place, magnitudes > 0 ? square / magnitudes : 0);
  store<f32>(biasesOf(block) + place, bias);
  // As a vector of length 1, the code has the cosine Σ|r_i| / (√d |r|) with r. The rest of it is orthogonal to r, spread over d -
  // 1 dimensions.
  const cosine = square > 0 ? magnitudes / sqrt<f32>(square * <f32>components) : 1;
  const across = (square * max<f32>(0, 1 - cosine * cosine)) / (cosine * cosine * <f32>(components - 1));
  store<f32>(errorsOf(block) + place, sqrt<f32>(across));
}
