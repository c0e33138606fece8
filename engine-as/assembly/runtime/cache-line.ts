/** Bytes that a processor reads from memory at once. */
export const CACHE_LINE: usize = 64;
