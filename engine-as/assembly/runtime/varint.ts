/** Numbers in one to five bytes, 7 bits each from the lowest on; the highest bit of a byte means that another one follows. */

/** How many bytes a number takes. */
export function varintBytes(value: u32): u32 {
  const bits = 32 - <u32>clz<u32>(value | 1);
  return (bits + 6) / 7;
}

/** Writes a number; returns the address after it. */
export function putVarint(at: usize, value: u32): usize {
  let rest = value;
  let to = at;
  while (rest >= 0x80) {
    store<u8>(to++, rest | 0x80);
    rest >>>= 7;
  }
  store<u8>(to++, rest);
  return to;
}
