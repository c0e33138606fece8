/**
 * Blocks of scratch memory of one size. They are taken from what lasting arrays have outgrown, as far as there is any: these grow by doubling, so
 * they leave as much behind as they take.
 */
import { alloc } from './arena';

export const BLOCK_BYTES: usize = 1 << 18;

/** the first free block, 0: none; each begins with the address of the next one */
let free: usize = 0;

/** Drops the list of free blocks; must be called before scratch memory is released in which some may be. */
export function blocksReset(): void {
  free = 0;
}

export function blockAlloc(): usize {
  const block = free;
  if (block === 0) return alloc(BLOCK_BYTES);
  free = load<usize>(block);
  return block;
}

/** Takes memory that nothing uses any more, and that stays allocated until {@link blocksReset}. */
export function blocksFrom(outgrown: usize, bytes: usize): void {
  for (let block = outgrown; block + BLOCK_BYTES <= outgrown + bytes; block += BLOCK_BYTES) {
    store<usize>(block, free);
    free = block;
  }
}
