/** Small allocations from large blocks of scratch memory: aligned to 4 bytes, without the rounding of the arena. */
import { alloc } from './arena';
import { BLOCK_BYTES, blockAlloc } from './blocks';
import { copyBytes } from './copy';

/** Bytes after the last allocation of a block that belong to it, because allocations may be read in whole words of 8 bytes. */
const SPARE_BYTES: usize = 8;

let top: usize = 0;
let end: usize = 0;

/** Starts again: earlier allocations belong to scratch memory that is released. */
export function poolBegin(): void {
  top = 0;
  end = 0;
}

export function poolAlloc(bytes: usize): usize {
  let at = top;
  if (at + bytes > end) {
    // A large allocation gets its own memory and does not end the block in use.
    if (bytes > BLOCK_BYTES >> 2) return alloc(bytes + SPARE_BYTES);
    at = blockAlloc();
    end = at + BLOCK_BYTES - SPARE_BYTES;
  }
  top = (at + bytes + 3) & ~(<usize>3);
  return at;
}

/** A copy of bytes. */
export function poolCopy(bytes: usize, length: usize): usize {
  const at = poolAlloc(length);
  copyBytes(at, bytes, length);
  return at;
}
