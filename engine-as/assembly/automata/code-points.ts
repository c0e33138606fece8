/** Reads the code points of terms. */
import { SegmentView } from '../segment/view';

let bytesOfLast: u32 = 0;

/** Bytes of the code point that was read last; 0 past the end of a term. */
export function decodedBytes(): u32 {
  return bytesOfLast;
}

/** The code point at an address. */
export function decode(at: usize): u32 {
  const a: u32 = load<u8>(at);
  if (a < 0x80) {
    bytesOfLast = 1;
    return a;
  }
  const b: u32 = load<u8>(at, 1) & 0x3f;
  if (a < 0xe0) {
    bytesOfLast = 2;
    return ((a & 0x1f) << 6) | b;
  }
  const c: u32 = load<u8>(at, 2) & 0x3f;
  if (a < 0xf0) {
    bytesOfLast = 3;
    return ((a & 0x0f) << 12) | (b << 6) | c;
  }
  bytesOfLast = 4;
  return ((a & 0x07) << 18) | (b << 12) | (c << 6) | (load<u8>(at, 3) & 0x3f);
}

/**
 * The code point of a term after `bytes` bytes; none at its end, when {@link decodedBytes} is 0. The two bytes after the `shared` ones are
 * read from the arrays of branches, where those of adjacent terms are next to each other, which saves a cache miss.
 */
export function charAfter(segment: SegmentView, term: u32, bytes: u32, shared: u32): u32 {
  if (segment.termBranches !== 0 && bytes - shared < 2) {
    const char: u32 = load<u8>(segment.termBranches + (bytes === shared ? 0 : <usize>segment.termCount) + term);
    if (char - 1 < 0x7f) {
      bytesOfLast = 1;
      return char;
    }
  }
  const start = segment.termStarts + ((<usize>term) << 2);
  const at = load<u32>(start) + bytes;
  if (at < load<u32>(start, 4)) return decode(segment.termBytes + at);
  bytesOfLast = 0;
  return 0;
}
