import { bytesOfDocs } from '../../bindings/engine/segments.js';

/** Allocates a bitmap of deleted documents: bit i of byte j is the document with local number 8j + i. */
export function bitmapFor(docCount: number): Uint8Array {
  return new Uint8Array(bytesOfDocs(docCount));
}

export function addBit(bitmap: Uint8Array, local: number): void {
  bitmap[local >> 3] = (bitmap[local >> 3] as number) | (1 << (local & 7));
}

export function hasBit(bitmap: Uint8Array, local: number): boolean {
  return (((bitmap[local >> 3] as number) >> (local & 7)) & 1) === 1;
}

export function countBits(bitmap: Uint8Array): number {
  let count = 0;
  for (const byte of bitmap) for (let bits = byte; bits; bits &= bits - 1) count++;
  return count;
}

/** The union of two bitmaps; a missing one is empty. */
export function union(a: Uint8Array | undefined, b: Uint8Array): Uint8Array {
  if (!a) return b;
  return a.map((byte, index) => byte | (b[index] as number));
}

/** The local numbers in `bitmap` that are not in `without`. */
export function* bitsBeyond(bitmap: Uint8Array, without: Uint8Array | undefined): Generator<number> {
  for (let local = 0; local < bitmap.length * 8; local++) {
    if (hasBit(bitmap, local) && !(without && hasBit(without, local))) yield local;
  }
}
