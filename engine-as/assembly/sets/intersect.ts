/** Sets as ascending arrays of distinct u32: 4-byte aligned addresses and counts of members. */

/** From how many times the shorter side the longer one is searched instead of scanned. */
const GALLOP_RATIO: u32 = 16;

/**
 * Writes the members that both arrays hold to `out` (room for the shorter one; it may be the shorter array
 * itself, not the longer) and says how many they are.
 */
export function arrayIntersect(left: usize, leftCount: u32, right: usize, rightCount: u32, out: usize): u32 {
  if (leftCount > rightCount) return arrayIntersect(right, rightCount, left, leftCount, out);
  if (rightCount / GALLOP_RATIO >= leftCount) return gallop(left, leftCount, right, rightCount, out);
  return blockwise(left, leftCount, right, rightCount, out);
}

/** Looks every member of the short array up in the long one: doubling steps, then bisection. */
function gallop(short: usize, shortCount: u32, long: usize, longCount: u32, out: usize): u32 {
  let found: u32 = 0;
  let low: u32 = 0;
  for (let i: u32 = 0; i < shortCount; i++) {
    const member = load<u32>(short + ((<usize>i) << 2));
    low = lowerBound(long, low, longCount, member);
    if (low === longCount) break;
    if (load<u32>(long + ((<usize>low) << 2)) === member) {
      store<u32>(out + ((<usize>found) << 2), member);
      found++;
    }
  }
  return found;
}

/** The first index from `low` on whose member is not below `member`; `count` when there is none. */
export function lowerBound(array: usize, low: u32, count: u32, member: u32): u32 {
  let step: u32 = 1;
  let high = low;
  while (high < count && load<u32>(array + ((<usize>high) << 2)) < member) {
    low = high + 1;
    high += step;
    step <<= 1;
  }
  high = min(high, count);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (load<u32>(array + ((<usize>middle) << 2)) < member) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Compares one member of the short array with 4 of the long one at a time, after skipping blocks of 4 that end below it
 * (Lemire, Boytsov, Kurz: SIMD compression and the intersection of sorted integers, 2016, the "V1" scheme).
 */
function blockwise(short: usize, shortCount: u32, long: usize, longCount: u32, out: usize): u32 {
  const wholeEnd = long + ((<usize>(longCount & ~3)) << 2);
  const longEnd = long + ((<usize>longCount) << 2);
  let at = long;
  let found: u32 = 0;
  let i: u32 = 0;
  for (; i < shortCount; i++) {
    const member = load<u32>(short + ((<usize>i) << 2));
    while (at < wholeEnd && load<u32>(at, 12) < member) at += 16;
    if (at >= wholeEnd) break;
    const hit = v128.any_true(i32x4.eq(v128.load(at), i32x4.splat(<i32>member)));
    // stored always and counted on a hit: a branch here is unpredictable
    store<u32>(out + ((<usize>found) << 2), member);
    found += hit ? 1 : 0;
  }
  for (; i < shortCount && at < longEnd; i++) {
    const member = load<u32>(short + ((<usize>i) << 2));
    while (at < longEnd && load<u32>(at) < member) at += 4;
    if (at < longEnd && load<u32>(at) === member) {
      store<u32>(out + ((<usize>found) << 2), member);
      found++;
    }
  }
  return found;
}

/** Writes the members of either array to `out` (room for both; apart from them) and says how many they are. */
export function arrayUnion(left: usize, leftCount: u32, right: usize, rightCount: u32, out: usize): u32 {
  const leftEnd = left + ((<usize>leftCount) << 2);
  const rightEnd = right + ((<usize>rightCount) << 2);
  let at = out;
  while (left < leftEnd && right < rightEnd) {
    const a = load<u32>(left);
    const b = load<u32>(right);
    store<u32>(at, min(a, b));
    at += 4;
    left += a <= b ? 4 : 0;
    right += b <= a ? 4 : 0;
  }
  memory.copy(at, left, leftEnd - left);
  at += leftEnd - left;
  memory.copy(at, right, rightEnd - right);
  at += rightEnd - right;
  return <u32>((at - out) >> 2);
}

/** Writes the members of the left array that the right one lacks to `out` (may be the left array); says how many they are. */
export function arrayDifference(left: usize, leftCount: u32, right: usize, rightCount: u32, out: usize): u32 {
  const leftEnd = left + ((<usize>leftCount) << 2);
  const rightEnd = right + ((<usize>rightCount) << 2);
  let at = out;
  for (; left < leftEnd; left += 4) {
    const member = load<u32>(left);
    while (right < rightEnd && load<u32>(right) < member) right += 4;
    if (right < rightEnd && load<u32>(right) === member) continue;
    store<u32>(at, member);
    at += 4;
  }
  return <u32>((at - out) >> 2);
}
