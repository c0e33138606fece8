import { writeText } from '../engine/utf8.js';

const encoder = new TextEncoder();

/** Longest slice that is copied byte by byte: below it a loop is cheaper than a view and a block copy. */
const SHORT = 24;
/** The same for texts. */
const SHORT_TEXT = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const HEX = encoder.encode('0123456789abcdef');
/** Letter of the short escape of each control character, or 0. */
const SHORT_ESCAPES = new Uint8Array(0x20);
for (const [unit, letter] of Object.entries({ 8: 'b', 9: 't', 10: 'n', 12: 'f', 13: 'r' })) {
  SHORT_ESCAPES[Number(unit)] = letter.charCodeAt(0);
}

/** A buffer that grew larger is not kept by {@link ByteWriter.reset}. */
const KEPT_BYTES = 1 << 20;

/** A growing buffer of UTF-8. */
export class ByteWriter {
  bytes: Uint8Array;
  /** Bytes written; may be set back to drop what came after. */
  length = 0;

  constructor(readonly capacity = 4096) {
    this.bytes = new Uint8Array(capacity);
  }

  /** Begins anew, over what was written before. */
  reset(): this {
    if (this.bytes.length > KEPT_BYTES) this.bytes = new Uint8Array(this.capacity);
    this.length = 0;
    return this;
  }

  /** What was written; valid until the next write. */
  view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.bytes[this.length++] = value;
  }

  slice(source: Uint8Array, from: number, to: number): void {
    const count = to - from;
    this.#reserve(count);
    if (count > SHORT) {
      this.bytes.set(source.subarray(from, to), this.length);
    } else {
      const { bytes, length } = this;
      for (let i = 0; i < count; i++) bytes[length + i] = source[from + i] as number;
    }
    this.length += count;
  }

  all(source: Uint8Array): void {
    this.slice(source, 0, source.length);
  }

  text(text: string): void {
    this.#reserve(text.length * 3);
    if (text.length <= SHORT_TEXT) this.length += writeText(text, this.bytes, this.length);
    else this.length += encoder.encodeInto(text, this.bytes.subarray(this.length)).written;
  }

  /** A part of a text as the inside of a JSON string. */
  escaped(source: Uint8Array, from: number, to: number): void {
    this.#reserve((to - from) * 6);
    const { bytes } = this;
    let at = this.length;
    for (let i = from; i < to; i++) {
      const unit = source[i] as number;
      if (unit >= 0x20 && unit !== QUOTE && unit !== BACKSLASH) {
        bytes[at++] = unit;
        continue;
      }
      bytes[at++] = BACKSLASH;
      const letter = unit < 0x20 ? (SHORT_ESCAPES[unit] as number) : unit;
      if (letter !== 0) {
        bytes[at++] = letter;
      } else {
        bytes.set([0x75, 0x30, 0x30, HEX[unit >> 4] as number, HEX[unit & 15] as number], at);
        at += 5;
      }
    }
    this.length = at;
  }

  #reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}

/** A text as the inside of a JSON string. */
export function jsonInside(text: string): Uint8Array {
  const quoted = encoder.encode(JSON.stringify(text));
  return quoted.subarray(1, quoted.length - 1);
}
