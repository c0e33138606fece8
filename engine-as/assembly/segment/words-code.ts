/**
 * Encoding of the words of documents: entries of `width` bits each, without gaps. Eight entries take `width` bytes, so groups of eight
 * begin at bytes. They are read as two vectors of four lanes:
 *
 *   group at a byte      entry 0 · entry 1 · entry 2 · entry 3 · entry 4 · …       `width` bytes
 *   lane of entry i      the 4 bytes in which it begins, multiplied so that it ends at the highest bit, then shifted to the lowest
 */

/** Entries per vector. */
export const LANES: u32 = 4;
export const LANE_BITS: u32 = 32;
/** An entry and up to 7 bits before it in its first byte must fit in a lane. */
export const MAX_WIDTH: u32 = LANE_BITS - 7;
/** The up to 7 bits that fill the last byte of a document must be fewer than those of an entry. */
export const MIN_WIDTH: u32 = 8;
