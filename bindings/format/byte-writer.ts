import { mostBytes, writeText } from '../engine/utf8.js';

/** {@link ByteWriter.reset} discards a buffer that has grown beyond this many bytes. */
const MAX_REUSED_BYTES = 1 << 20;

/** A growing buffer of UTF-8. */
export class ByteWriter {
  bytes: Uint8Array;
  /** Bytes written; may be decreased to drop the end. */
  length = 0;
  #first: Uint8Array;

  constructor(capacity = 4096) {
    this.#first = new Uint8Array(capacity);
    this.bytes = this.#first;
  }

  /**
   * Starts in an area from now on, which may be shared with other threads. What does not fit is written to a buffer of the writer's own,
   * together with what came before it.
   */
  writeTo(area: Uint8Array): void {
    this.#first = area;
    this.bytes = area;
    this.length = 0;
  }

  /** Starts again, overwriting what was written. */
  reset(): this {
    if (this.bytes.length > MAX_REUSED_BYTES) this.bytes = this.#first;
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
    this.#reserve(mostBytes(text));
    this.length += writeText(text, this.bytes, this.length);
  }

  #reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}
