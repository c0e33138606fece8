/** Copying few bytes: `memory.copy` leaves the module for every call, which takes longer than copying a short text. */

const LONGEST_SHORT: usize = 64;

/** Like `memory.copy`, for ranges that do not overlap. */
export function copyBytes(to: usize, from: usize, length: usize): void {
  if (length > LONGEST_SHORT) {
    memory.copy(to, from, length);
    return;
  }
  // Each step is copied from both ends, which meet or overlap in the middle.
  const toEnd = to + length;
  const fromEnd = from + length;
  if (length > 32) {
    v128.store(to, v128.load(from));
    v128.store(to, v128.load(from, 16), 16);
    v128.store(toEnd - 32, v128.load(fromEnd - 32));
    v128.store(toEnd - 16, v128.load(fromEnd - 16));
  } else if (length >= 16) {
    v128.store(to, v128.load(from));
    v128.store(toEnd - 16, v128.load(fromEnd - 16));
  } else if (length >= 8) {
    store<u64>(to, load<u64>(from));
    store<u64>(toEnd - 8, load<u64>(fromEnd - 8));
  } else if (length >= 4) {
    store<u32>(to, load<u32>(from));
    store<u32>(toEnd - 4, load<u32>(fromEnd - 4));
  } else {
    for (let at: usize = 0; at < length; at++) store<u8>(to + at, load<u8>(from + at));
  }
}
