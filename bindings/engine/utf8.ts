/**
 * UTF-8 in memory that may be shared, which TextEncoder and TextDecoder refuse. Short texts are handled without creating views,
 * which are what minor garbage collections spend most time on.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
/** Longer texts are rare, and get buffers of their own. */
const SHARED_BUFFER_UNITS = 1 << 16;
/** Up to this many bytes a loop is faster than copying through a view. */
const SHORT = 64;
const ASCII_END = 0x80;
const NOT_ASCII = /[^\0-\x7f]/;
/** From this many units on, encoding into a buffer and copying is faster than a loop. */
const LONG = 48;
/** Most UTF-8 bytes per UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;

/** Buffer for texts before they are decoded, or after they are encoded. */
const room = new Uint8Array(SHARED_BUFFER_UNITS);

/** The text of bytes [from, to); invalid UTF-8 becomes U+FFFD. */
export function readText(bytes: Uint8Array, from: number, to: number): string {
  const length = to - from;
  if (length > SHARED_BUFFER_UNITS) return decoder.decode(bytes.slice(from, to));
  if (length > SHORT) room.set(bytes.subarray(from, to));
  else for (let i = 0; i < length; i++) room[i] = bytes[from + i] as number;
  return decoder.decode(room.subarray(0, length));
}

/** An upper bound of the UTF-8 length of a text. */
export function mostBytes(text: string): number {
  return text.length > SHARED_BUFFER_UNITS ? byteLength(text) : text.length * MAX_BYTES_PER_UNIT;
}

/** Writes a text, which must fit. @returns its length in bytes; lone surrogates become U+FFFD */
export function writeText(text: string, bytes: Uint8Array, at: number): number {
  if (text.length > LONG) return writeAny(text, bytes, at);
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= ASCII_END) return writeAny(text, bytes, at);
    bytes[at + i] = unit;
  }
  return text.length;
}

function writeAny(text: string, bytes: Uint8Array, at: number): number {
  const encoded = encode(text);
  bytes.set(encoded, at);
  return encoded.length;
}

/** The UTF-8 bytes of a text; valid until the next text is encoded or read. */
function encode(text: string): Uint8Array {
  if (text.length * MAX_BYTES_PER_UNIT > SHARED_BUFFER_UNITS) return encoder.encode(text);
  return room.subarray(0, encoder.encodeInto(text, room).written);
}

/** UTF-8 length of a text. */
export function byteLength(text: string): number {
  return NOT_ASCII.test(text) ? encoder.encode(text).length : text.length;
}

/** Texts in the order of their UTF-8 bytes, without duplicates. */
export function sortedSet(texts: Iterable<string>): string[] {
  return [...new Set(texts)].sort(compareTexts);
}

/** Compares texts by their UTF-8 bytes. The order of UTF-16 units differs where surrogates meet U+E000 to U+FFFF. */
export function compareTexts(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const a = left.charCodeAt(i);
    const b = right.charCodeAt(i);
    if (a !== b) return a >= 0xd800 && b >= 0xd800 ? (left.codePointAt(i) as number) - (right.codePointAt(i) as number) : a - b;
  }
  return left.length - right.length;
}
