/**
 * The resident forms of a vector x. It is scaled to length 1 and rotated, then the centroid c of the segment is subtracted: r.
 *
 *   RowTail, after the i8 components of a row:   r ≈ scale · component
 *   code, see codes.ts:                          a bit for each component of r
 *
 * The cosine of a query q of length 1 with x is <q, c> + <q - c, r> + bias. The product is estimated from the row or the code.
 */
import { alloc } from '../runtime/arena';
import { CACHE_LINE } from '../runtime/cache-line';
import { codesCreate, codeWrite } from './codes';
import { dotF32, normF32 } from './cosine';
import { largestMagnitude } from './kernels';

@unmanaged
export class RowTail {
  scale: f32;
  /** <c, r> */
  bias: f32;
}

/** The quantised vectors of a segment, in memory; addresses are absolute. */
@unmanaged
export class Quantized {
  count: u32;
  /** components after padding */
  components: u32;
  rowBytes: u32;
  /** i8[components], RowTail */
  rows: usize;
  /** see codes.ts; 0: there are none */
  codes: usize;
  /** f32[components], rotated */
  centroid: usize;
  /** <c, c> */
  centroidSquare: f32;
  /** greatest scale of a row */
  largestScale: f32;
}

export function rowBytesOf(components: u32): u32 {
  return components + <u32>offsetof<RowTail>();
}

export function rowAt(quantized: Quantized, vector: u32): usize {
  return quantized.rows + <usize>vector * <usize>quantized.rowBytes;
}

/**
 * Prefetches some rows (`vectors`: u32[count]) by reading a byte of each cache line, so that the cache misses overlap. The caller
 * must use the returned sum, or the reads would be optimised away.
 */
export function prefetchRows(quantized: Quantized, vectors: usize, count: u32): u32 {
  let sum: u32 = 0;
  for (let i: u32 = 0; i < count; i++) sum += prefetchRow(quantized, load<u32>(vectors + ((<usize>i) << 2)));
  return sum;
}

/** The same for one row. */
export function prefetchRow(quantized: Quantized, vector: u32): u32 {
  const row = rowAt(quantized, vector);
  let sum: u32 = 0;
  for (let line: usize = 0; line < quantized.rowBytes; line += CACHE_LINE) sum += load<u8>(row + line);
  return sum;
}

export function rowTail(quantized: Quantized, row: usize): RowTail {
  return changetype<RowTail>(row + quantized.components);
}

/** A vector whose norm is at most this, or not a number, counts as a zero vector and is only compared by its values. */
const MIN_NORM: f32 = 0.00048828125; // 2^-11

/** Normalises a vector to length 1 and pads it. False: it is a zero vector, and `out` is zeros. */
export function normalize(values: usize, dimensions: u32, out: usize, components: u32): bool {
  memory.fill(out, 0, (<usize>components) << 2);
  const norm = normF32(values, dimensions);
  if (!(norm > MIN_NORM) || norm === Infinity) return false;
  for (let at: usize = 0; at < (<usize>dimensions) << 2; at += 4) store<f32>(out + at, load<f32>(values + at) / norm);
  return true;
}

/** Subtracts the centroid. */
export function centre(vector: usize, centroid: usize, components: u32): void {
  for (let at: usize = 0; at < (<usize>components) << 2; at += 16) {
    v128.store(vector + at, f32x4.sub(v128.load(vector + at), v128.load(centroid + at)));
  }
}

/** Writes the row and the code of a vector that was normalised, rotated and centred. */
export function quantize(quantized: Quantized, vector: u32, centred: usize): void {
  const components = quantized.components;
  const bias = dotF32(quantized.centroid, centred, components);
  const row = rowAt(quantized, vector);
  const scale = largestMagnitude(centred, components) / 127;
  const tail = rowTail(quantized, row);
  tail.scale = scale;
  tail.bias = bias;
  quantized.largestScale = max<f32>(quantized.largestScale, scale);
  const inverse: f32 = scale > 0 ? <f32>1 / scale : 0;
  for (let i: u32 = 0; i < components; i++) {
    store<i8>(row + i, <i8>nearest<f32>(load<f32>(centred + ((<usize>i) << 2)) * inverse));
  }
  codeWrite(quantized.codes, components, vector, centred, bias);
}

/** Writes a row for a zero vector, whose estimates are never valid cosines. */
export function quantizeZero(quantized: Quantized, vector: u32): void {
  const row = rowAt(quantized, vector);
  memory.fill(row, 0, quantized.rowBytes);
  rowTail(quantized, row).bias = -Infinity;
}

/** Memory for `count` vectors. */
export function quantizedCreate(count: u32, components: u32): Quantized {
  const quantized = changetype<Quantized>(alloc(offsetof<Quantized>()));
  quantized.count = count;
  quantized.components = components;
  quantized.rowBytes = rowBytesOf(components);
  quantized.rows = alloc(<usize>count * <usize>quantized.rowBytes);
  quantized.codes = codesCreate(count, components);
  quantized.centroid = alloc((<usize>components) << 2);
  quantized.largestScale = 0;
  return quantized;
}
