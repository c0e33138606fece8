/** Hashing, comparing and copying short texts in words of 8 bytes: texts must be readable for 8 bytes after their ends. */

/** An odd number with irregular bits: a product with it depends on every bit of the factor, in its high bits. */
export const HASH_MULTIPLIER: u64 = 0x9fb21c651e98df25;

/** The last 1 to 7 bytes of a text as a number. */
function tailWord(at: usize, length: u32): u64 {
  return load<u64>(at) & (((<u64>1) << (length << 3)) - 1);
}

export function hashText(text: usize, length: u32): u32 {
  let hash: u64 = <u64>length * HASH_MULTIPLIER;
  let at = text;
  let left = length;
  while (left >= 8) {
    hash = (hash ^ load<u64>(at)) * HASH_MULTIPLIER;
    hash ^= hash >> 32;
    at += 8;
    left -= 8;
  }
  if (left) hash = (hash ^ tailWord(at, left)) * HASH_MULTIPLIER;
  hash ^= hash >> 29;
  hash *= HASH_MULTIPLIER;
  return <u32>(hash >> 32);
}

export function sameText(a: usize, b: usize, length: u32): bool {
  let at: u32 = 0;
  for (; at + 8 <= length; at += 8) {
    if (load<u64>(a + at) !== load<u64>(b + at)) return false;
  }
  const left = length - at;
  return left === 0 || tailWord(a + at, left) === tailWord(b + at, left);
}

/** Length of the common prefix of two texts, at most `most`. */
export function commonBytes(a: usize, b: usize, most: u32): u32 {
  for (let at: u32 = 0; at < most; at += 8) {
    const differs = load<u64>(a + at) ^ load<u64>(b + at);
    if (differs) return min<u32>(most, at + (<u32>ctz(differs) >>> 3));
  }
  return most;
}

/** Copies a text. Up to 7 bytes after it are written too. */
export function copyText(to: usize, from: usize, length: u32): void {
  for (let at: u32 = 0; at < length; at += 8) store<u64>(to + at, load<u64>(from + at));
}
