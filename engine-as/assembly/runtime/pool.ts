/** Many small pieces out of large blocks of scratch: aligned to 4 bytes, without the rounding of the arena. */
import { alloc } from './arena';

const BLOCK_BYTES: usize = 1 << 18;
/** Pieces may be read in whole words of 8 bytes: this many bytes after the last one belong to the block. */
const SPARE_BYTES: usize = 8;

let top: usize = 0;
let end: usize = 0;

/** Starts anew: pieces handed out before belong to scratch that is released. */
export function poolBegin(): void {
  top = 0;
  end = 0;
}

export function poolAlloc(bytes: usize): usize {
  let at = top;
  if (at + bytes > end) {
    const block = max<usize>(BLOCK_BYTES, bytes + SPARE_BYTES);
    at = alloc(block);
    // a large piece of its own does not end the block in use
    if (bytes > BLOCK_BYTES >> 2) return at;
    end = at + block - SPARE_BYTES;
  }
  top = (at + bytes + 3) & ~(<usize>3);
  return at;
}

/** A copy of bytes. */
export function poolCopy(bytes: usize, length: usize): usize {
  const at = poolAlloc(length);
  memory.copy(at, bytes, length);
  return at;
}
