/**
 * Fetching memory before it is needed. There is no instruction for it in WebAssembly, but reads whose values nothing waits for
 * overlap with each other and with what follows.
 */

/** Of the cache: what is fetched together. */
export const LINE_BYTES: usize = 64;

/** Takes the values, so that the reads are not removed. */
export let fetched: u32 = 0;

/** Reads 4 bytes. */
export function prefetch(at: usize): void {
  fetched ^= load<u32>(at);
}
