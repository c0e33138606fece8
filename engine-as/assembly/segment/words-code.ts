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

/** How the lanes of a vector are made from the bytes of a group. */
export class Lanes {
  /** Where the four entries of a group from `first` on begin, in bits after byte `start` of the group. */
  @inline
  static bits(width: u32, first: u32, start: u32): v128 {
    const entries = i32x4.add(i32x4(0, 1, 2, 3), i32x4.splat(first));
    return i32x4.sub(i32x4.mul(entries, i32x4.splat(width)), i32x4.splat(start << 3));
  }

  /** For `i8x16.swizzle`: the 4 bytes in which each entry begins. */
  @inline
  static bytes(bits: v128): v128 {
    const first = i32x4.mul(i32x4.shr_u(bits, 3), i32x4.splat(0x01010101));
    return i32x4.add(first, i32x4.splat(0x03020100));
  }

  /** For `i32x4.mul`: moves each entry to the upper end of its lane, of which `unused` bits are not those of the entry. */
  @inline
  static factors(bits: v128, unused: u32): v128 {
    // powers of two by what the entry is away from a byte; the other bytes of a lane are out of range, and so 0
    const powers = i8x16(-128, 64, 32, 16, 8, 4, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0);
    const away = v128.or(v128.and(bits, i32x4.splat(7)), i32x4.splat(0x80808000));
    return i32x4.shl(i8x16.swizzle(powers, away), unused - 7);
  }
}
