/**
 * Skips terms of a sorted dictionary, seen as a trie, without reading their texts: by the number of bytes that each term shares with the one
 * before (u8[], `lcps`), and by the two bytes after those (u8[] each, see TermsHeader). A term that begins a child of a trie node shares as
 * many bytes as the node is deep. Other arrays follow these, so whole vectors may be read at their ends.
 */
import { SegmentView } from '../segment/view';

/** Terms per vector. */
const LANES: u32 = 16;
const FIRST_CONTINUED: u32 = 0x80;

/** A set of ASCII bytes takes 16 bytes: bit `byte >> 4` of entry `byte & 15` says whether `byte` is a member. */
export function byteSetClear(set: usize): void {
  v128.store(set, i64x2.splat(0));
}

/** Adds a code point, unless it is encoded in several bytes. */
export function byteSetAdd(set: usize, char: u32): void {
  if (char >= FIRST_CONTINUED) return;
  const at = set + (char & 15);
  store<u8>(at, <u32>load<u8>(at) | (1 << (char >>> 4)));
}

/** Lanes with the highest bit set for bytes that are in a set or not ASCII. */
function members(bytes: v128, set: v128): v128 {
  const bits = i8x16(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
  const row = i8x16.swizzle(set, v128.and(bytes, i8x16.splat(15)));
  return v128.or(i8x16.ne(v128.and(row, i8x16.swizzle(bits, i8x16.shr_u(bytes, 4))), i8x16.splat(0)), bytes);
}

/**
 * The first term of [from, to) that shares fewer than `bytes` bytes with the term before, or is a child of the node at these bytes whose next
 * byte is in a set, or not ASCII.
 */
export function childIn(view: SegmentView, from: u32, to: u32, bytes: u32, set: usize): u32 {
  const depth = i8x16.splat(<i8>bytes);
  const wanted = v128.load(set);
  for (let term = from; term < to; term += LANES) {
    const shared = v128.load(view.termLcp + term);
    const child = v128.and(i8x16.eq(shared, depth), members(v128.load(view.termBranches + term), wanted));
    const ends = i8x16.bitmask(v128.or(i8x16.lt_u(shared, depth), child));
    if (ends !== 0) return min<u32>(to, term + <u32>ctz<i32>(ends));
  }
  return to;
}

/**
 * The same, but ends at a child whose next byte is in `near`, and at a child or grandchild whose byte after that is in `after`. Bytes that
 * are not ASCII, and the end of a term, count as members. The terms before `from` with these `bytes` bytes have no next byte in `near`.
 */
export function grandchildIn(view: SegmentView, from: u32, to: u32, bytes: u32, near: usize, after: usize): u32 {
  const depth = i8x16.splat(<i8>bytes);
  const below = i8x16.splat(<i8>(bytes + 1));
  const nearSet = v128.load(near);
  const afterSet = v128.load(after);
  const lcps = view.termLcp;
  const branches = view.termBranches;
  const seconds = branches + view.termCount;
  for (let term = from; term < to; term += LANES) {
    const shared = v128.load(lcps + term);
    const branch = v128.load(branches + term);
    const second = v128.load(seconds + term);
    const goesOn = v128.or(members(second, afterSet), i8x16.eq(second, i8x16.splat(0)));
    const child = v128.and(i8x16.eq(shared, depth), v128.or(members(branch, nearSet), goesOn));
    const grandchild = v128.and(i8x16.eq(shared, below), members(branch, afterSet));
    const ends = i8x16.bitmask(v128.or(i8x16.lt_u(shared, depth), v128.or(child, grandchild)));
    if (ends !== 0) return min<u32>(to, term + <u32>ctz<i32>(ends));
  }
  return to;
}
