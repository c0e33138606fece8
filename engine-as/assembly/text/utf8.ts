/** Reading and writing valid UTF-8 by code points. */

/** Bytes of the code point with this first byte. */
export function utf8Length(first: u32): u32 {
  return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/** The code point that begins at `at`. */
export function utf8Decode(at: usize): u32 {
  const first = <u32>load<u8>(at);
  if (first < 0x80) return first;
  const second = <u32>load<u8>(at, 1) & 0x3f;
  if (first < 0xe0) return ((first & 0x1f) << 6) | second;
  const third = <u32>load<u8>(at, 2) & 0x3f;
  if (first < 0xf0) return ((first & 0x0f) << 12) | (second << 6) | third;
  return ((first & 0x07) << 18) | (second << 12) | (third << 6) | (<u32>load<u8>(at, 3) & 0x3f);
}

/** Writes a code point and returns its length in bytes. */
export function utf8Encode(point: u32, out: usize): u32 {
  if (point < 0x80) {
    store<u8>(out, point);
    return 1;
  }
  if (point < 0x800) {
    store<u8>(out, 0xc0 | (point >> 6));
    store<u8>(out, 0x80 | (point & 0x3f), 1);
    return 2;
  }
  if (point < 0x10000) {
    store<u8>(out, 0xe0 | (point >> 12));
    store<u8>(out, 0x80 | ((point >> 6) & 0x3f), 1);
    store<u8>(out, 0x80 | (point & 0x3f), 2);
    return 3;
  }
  store<u8>(out, 0xf0 | (point >> 18));
  store<u8>(out, 0x80 | ((point >> 12) & 0x3f), 1);
  store<u8>(out, 0x80 | ((point >> 6) & 0x3f), 2);
  store<u8>(out, 0x80 | (point & 0x3f), 3);
  return 4;
}

/** Address of the code point before `at`. */
export function utf8Previous(at: usize): usize {
  let before = at - 1;
  while ((<u32>load<u8>(before) & 0xc0) === 0x80) before--;
  return before;
}

/** Whether all bytes are ASCII. */
export function isAscii(text: usize, length: u32): bool {
  const end = text + length;
  let at = text;
  for (; at + 16 <= end; at += 16) {
    if (i8x16.bitmask(v128.load(at)) !== 0) return false;
  }
  for (; at < end; at++) {
    if (load<u8>(at) >= 0x80) return false;
  }
  return true;
}
