/**
 * Sets of documents as bitmaps: bit i of byte j is member 8j + i. Bitmaps are at multiples of 16 and consist of whole SIMD
 * vectors, so every `bytes` below is a multiple of 16. Bits beyond the documents must stay 0.
 */

const LANE: usize = 16;

/** In debug builds: checks that a bitmap is allocated as a whole. */
function checkLanes(bitmap: usize, bytes: usize): void {
  assert((bitmap & (LANE - 1)) === 0 && (bytes & (LANE - 1)) === 0, 'a bitmap is not made of lanes');
}

/** Operations on two sets: intersection, difference and union. */
export const SETS_INTERSECT: u32 = 0;
export const SETS_SUBTRACT: u32 = 1;
export const SETS_UNITE: u32 = 2;

/** Applies the operation `way`, one of SETS_*: target = target (way) other. */
export function bitmapCombine(target: usize, other: usize, bytes: usize, way: u32): void {
  if (way === SETS_INTERSECT) bitmapAnd(target, other, bytes);
  else if (way === SETS_SUBTRACT) bitmapAndNot(target, other, bytes);
  else bitmapOr(target, other, bytes);
}

/** target ∩= other */
export function bitmapAnd(target: usize, other: usize, bytes: usize): void {
  checkLanes(target, bytes);
  checkLanes(other, bytes);
  for (let at: usize = 0; at < bytes; at += LANE) {
    v128.store(target + at, v128.and(v128.load(target + at), v128.load(other + at)));
  }
}

/** target ∩= other; returns the number of members that are left. */
export function bitmapKeep(target: usize, other: usize, bytes: usize): u32 {
  checkLanes(target, bytes);
  checkLanes(other, bytes);
  let count: u64 = 0;
  for (let at: usize = 0; at < bytes; at += LANE) {
    const shared = v128.and(v128.load(target + at), v128.load(other + at));
    v128.store(target + at, shared);
    count += popcnt<u64>(i64x2.extract_lane(shared, 0)) + popcnt<u64>(i64x2.extract_lane(shared, 1));
  }
  return <u32>count;
}

/** target ∪= other */
export function bitmapOr(target: usize, other: usize, bytes: usize): void {
  checkLanes(target, bytes);
  checkLanes(other, bytes);
  for (let at: usize = 0; at < bytes; at += LANE) {
    v128.store(target + at, v128.or(v128.load(target + at), v128.load(other + at)));
  }
}

/** out = left ∪ right. `out` need not be cleared. */
export function bitmapUnite(out: usize, left: usize, right: usize, bytes: usize): void {
  checkLanes(out, bytes);
  checkLanes(left, bytes);
  checkLanes(right, bytes);
  for (let at: usize = 0; at < bytes; at += LANE) v128.store(out + at, v128.or(v128.load(left + at), v128.load(right + at)));
}

/** target ∖= other */
export function bitmapAndNot(target: usize, other: usize, bytes: usize): void {
  checkLanes(target, bytes);
  checkLanes(other, bytes);
  for (let at: usize = 0; at < bytes; at += LANE) {
    v128.store(target + at, v128.andnot(v128.load(target + at), v128.load(other + at)));
  }
}

/** target = within ∖ target: the complement in a universe. */
export function bitmapNot(target: usize, within: usize, bytes: usize): void {
  checkLanes(target, bytes);
  checkLanes(within, bytes);
  for (let at: usize = 0; at < bytes; at += LANE) {
    v128.store(target + at, v128.andnot(v128.load(within + at), v128.load(target + at)));
  }
}

/** out = left ∩ right; returns whether it has a member. `out` need not be cleared. */
export function bitmapIntersect(out: usize, left: usize, right: usize, bytes: usize): bool {
  checkLanes(out, bytes);
  checkLanes(left, bytes);
  checkLanes(right, bytes);
  let any: v128 = i64x2.splat(0);
  for (let at: usize = 0; at < bytes; at += LANE) {
    const shared = v128.and(v128.load(left + at), v128.load(right + at));
    v128.store(out + at, shared);
    any = v128.or(any, shared);
  }
  return v128.any_true(any);
}

/** out = left ∖ right; returns whether it has a member. `out` need not be cleared and may be `left`. */
export function bitmapDifference(out: usize, left: usize, right: usize, bytes: usize): bool {
  checkLanes(out, bytes);
  checkLanes(left, bytes);
  checkLanes(right, bytes);
  let any: v128 = i64x2.splat(0);
  for (let at: usize = 0; at < bytes; at += LANE) {
    const rest = v128.andnot(v128.load(left + at), v128.load(right + at));
    v128.store(out + at, rest);
    any = v128.or(any, rest);
  }
  return v128.any_true(any);
}

/** Moves the members of `wanted` that are in `from` to `to`; only these stay in `wanted`. Returns their number. */
export function bitmapMove(from: usize, wanted: usize, to: usize, bytes: usize): u32 {
  checkLanes(from, bytes);
  checkLanes(wanted, bytes);
  checkLanes(to, bytes);
  let moved: u64 = 0;
  for (let at: usize = 0; at < bytes; at += LANE) {
    const source = v128.load(from + at);
    const shared = v128.and(source, v128.load(wanted + at));
    v128.store(wanted + at, shared);
    if (!v128.any_true(shared)) continue;
    v128.store(from + at, v128.andnot(source, shared));
    v128.store(to + at, v128.or(v128.load(to + at), shared));
    moved += popcnt<u64>(i64x2.extract_lane(shared, 0)) + popcnt<u64>(i64x2.extract_lane(shared, 1));
  }
  return <u32>moved;
}

/**
 * taken = from ∩ wanted, rest = from ∖ wanted; returns the number of members of `taken`. `rest` may be `from` or `wanted`; `taken` and `rest`
 * need not be cleared.
 */
export function bitmapSplit(from: usize, wanted: usize, taken: usize, rest: usize, bytes: usize): u32 {
  checkLanes(from, bytes);
  checkLanes(wanted, bytes);
  checkLanes(taken, bytes);
  checkLanes(rest, bytes);
  let count: u64 = 0;
  for (let at: usize = 0; at < bytes; at += LANE) {
    const source = v128.load(from + at);
    const shared = v128.and(source, v128.load(wanted + at));
    v128.store(taken + at, shared);
    v128.store(rest + at, v128.xor(source, shared));
    count += popcnt<u64>(i64x2.extract_lane(shared, 0)) + popcnt<u64>(i64x2.extract_lane(shared, 1));
  }
  return <u32>count;
}

export function bitmapCopy(target: usize, source: usize, bytes: usize): void {
  checkLanes(target, bytes);
  checkLanes(source, bytes);
  memory.copy(target, source, bytes);
}

/** Adds the members 0 … count - 1. */
export function bitmapFill(target: usize, count: u32): void {
  bitmapSetRange(target, 0, count);
}

/** Adds the members from … end - 1. */
export function bitmapSetRange(target: usize, from: u32, end: u32): void {
  if (from >= end) return;
  const first = target + (from >> 3);
  const last = target + (end >> 3);
  const head: u32 = 0xff << (from & 7);
  const tail: u32 = (1 << (end & 7)) - 1;
  if (first === last) {
    store<u8>(first, load<u8>(first) | (head & tail));
    return;
  }
  store<u8>(first, load<u8>(first) | head);
  memory.fill(first + 1, 0xff, last - first - 1);
  if (tail) store<u8>(last, load<u8>(last) | tail);
}

export function bitmapAdd(target: usize, member: u32): void {
  const at = target + (member >> 3);
  store<u8>(at, load<u8>(at) | ((<u8>1) << (<u8>member & 7)));
}

export function bitmapRemove(target: usize, member: u32): void {
  const at = target + (member >> 3);
  store<u8>(at, load<u8>(at) & ~((<u8>1) << (<u8>member & 7)));
}

export function bitmapHas(bitmap: usize, member: u32): bool {
  return ((load<u8>(bitmap + (member >> 3)) >> (member & 7)) & 1) !== 0;
}

/** Number of members. */
export function bitmapCount(bitmap: usize, bytes: usize): u32 {
  checkLanes(bitmap, bytes);
  let total: u64 = 0;
  let at: usize = 0;
  for (; at + 2 * LANE <= bytes; at += 2 * LANE) {
    total += popcnt<u64>(load<u64>(bitmap + at)) + popcnt<u64>(load<u64>(bitmap + at, 8));
    total += popcnt<u64>(load<u64>(bitmap + at, 16)) + popcnt<u64>(load<u64>(bitmap + at, 24));
  }
  if (at < bytes) total += popcnt<u64>(load<u64>(bitmap + at)) + popcnt<u64>(load<u64>(bitmap + at, 8));
  return <u32>total;
}

/** Number of members common to two bitmaps. */
export function bitmapAndCount(left: usize, right: usize, bytes: usize): u32 {
  checkLanes(left, bytes);
  checkLanes(right, bytes);
  let total: u64 = 0;
  for (let at: usize = 0; at < bytes; at += LANE) {
    total += popcnt<u64>(load<u64>(left + at) & load<u64>(right + at));
    total += popcnt<u64>(load<u64>(left + at, 8) & load<u64>(right + at, 8));
  }
  return <u32>total;
}

export function bitmapIsEmpty(bitmap: usize, bytes: usize): bool {
  checkLanes(bitmap, bytes);
  for (let at: usize = 0; at < bytes; at += LANE) {
    if (v128.any_true(v128.load(bitmap + at))) return false;
  }
  return true;
}

/** Adds the members in an array of `count` u32. */
export function bitmapAddAll(target: usize, members: usize, count: u32): void {
  const end = members + ((<usize>count) << 2);
  for (let at = members; at < end; at += 4) bitmapAdd(target, load<u32>(at));
}
