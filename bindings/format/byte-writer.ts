import { writeText } from '../engine/utf8.js';

const encoder = new TextEncoder();

/** Up to this many units a text is written in a loop, which is cheaper than a view and an encoder. */
const SHORT_TEXT = 64;

/** {@link ByteWriter.reset} discards a buffer that has grown beyond this many bytes. */
const KEPT_BYTES = 1 << 20;

/** A growing buffer of UTF-8. */
export class ByteWriter {
  bytes: Uint8Array;
  /** Bytes written; may be decreased to drop the end. */
  length = 0;

  constructor(readonly capacity = 4096) {
    this.bytes = new Uint8Array(capacity);
  }

  /** Starts again, overwriting what was written. */
  reset(): this {
    if (this.bytes.length > KEPT_BYTES) this.bytes = new Uint8Array(this.capacity);
    this.length = 0;
    return this;
  }

  /** The bytes written; valid until the next write. */
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
    this.bytes.set(source.subarray(from, to), this.length);
    this.length += count;
  }

  text(text: string): void {
    this.#reserve(text.length * 3);
    if (text.length <= SHORT_TEXT) this.length += writeText(text, this.bytes, this.length);
    else this.length += encoder.encodeInto(text, this.bytes.subarray(this.length)).written;
  }

  #reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}
