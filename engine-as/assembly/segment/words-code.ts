/**
 * How the words of documents are encoded: entries of equal width, in bits, one after the other. Eight of them take as many bytes as
 * one has bits, so that groups of eight begin at bytes, and are read as two vectors of four lanes:
 *
 *   group at a byte      entry 0 · entry 1 · entry 2 · entry 3 · entry 4 · …       `width` bytes
 *   lane of entry i      the 4 bytes in which it begins, multiplied so that it ends at the highest bit, then moved to the lowest
 */

/** Entries that one vector holds. */
export const LANES: u32 = 4;
export const LANE_BITS: u32 = 32;
/** An entry of a lane and the bits before it in its first byte are read as 4 bytes. */
export const MAX_WIDTH: u32 = LANE_BITS - 7;
/** The bits that fill the last byte of a document are fewer than those of an entry. */
export const MIN_WIDTH: u32 = 8;
