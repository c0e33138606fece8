/** Skipping values of valid JSON texts. */
import { CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './signs';
import { stringEnd } from './strings';

/** Address of the first byte from `at` on that is not white space, or `end`. */
export function skipBlanks(at: usize, end: usize): usize {
  while (at < end && load<u8>(at) <= 0x20) at++;
  return at;
}

/** Where the next member or item begins after a value, or the closing bracket. */
export function nextItem(at: usize, end: usize): usize {
  at = skipBlanks(at, end);
  return load<u8>(at) === COMMA ? skipBlanks(at + 1, end) : at;
}

/** Address after the value that starts at `at`. */
export function skipValue(at: usize, end: usize): usize {
  const byte: u32 = load<u8>(at);
  if (byte === QUOTE) return stringEnd(at + 1, end) + 1;
  if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) return skipContainer(at, end);
  while (at < end) {
    const next: u32 = load<u8>(at);
    if (next <= 0x20 || next === COMMA || next === CLOSE_OBJECT || next === CLOSE_ARRAY) break;
    at++;
  }
  return at;
}

function skipContainer(from: usize, end: usize): usize {
  let depth: u32 = 0;
  let at = from;
  while (at < end) {
    const byte: u32 = load<u8>(at++);
    if (byte === QUOTE) at = stringEnd(at, end) + 1;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
    else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && --depth === 0) break;
  }
  return at;
}

/** Copies a text without the white space between its tokens; returns its new length. `out` may be `from`. */
export function stripBlanks(from: usize, length: usize, out: usize): usize {
  const end = from + length;
  let at = from;
  let to = out;
  while (at < end) {
    const byte: u32 = load<u8>(at);
    if (byte === QUOTE) {
      const stop = stringEnd(at + 1, end) + 1;
      memory.copy(to, at, stop - at);
      to += stop - at;
      at = stop;
      continue;
    }
    store<u8>(to, byte);
    to += <usize>(byte > 0x20);
    at++;
  }
  return to - out;
}
