/**
 * Prefetching. There is no instruction for it in WebAssembly, but reads whose values are not used at once overlap with each other and
 * with what follows.
 */

/** Depends on the values read, so that compilers do not remove the reads. */
export let fetched: u32 = 0;

/** Prefetches the cache line of an address. */
export function prefetch(at: usize): void {
  fetched ^= load<u32>(at);
}
