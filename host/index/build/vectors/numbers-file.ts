import fs from 'node:fs';
import { writeAll } from '../../../storage/file-writer.js';

/** A file of u32 numbers, little-endian, too many to be kept in memory. */
const BYTES = Uint32Array.BYTES_PER_ELEMENT;
/** Numbers per write, and per read. */
const CHUNK = 1 << 14;

export class NumbersWriter {
  /** Numbers so far. */
  count = 0;
  readonly #fd: number;
  readonly #chunk = new Uint32Array(CHUNK);

  constructor(file: string) {
    this.#fd = fs.openSync(file, 'w');
  }

  push(value: number): void {
    this.#chunk[this.count++ % CHUNK] = value;
    if (this.count % CHUNK === 0) this.#write(CHUNK);
  }

  close(): void {
    this.#write(this.count % CHUNK);
    fs.closeSync(this.#fd);
  }

  #write(count: number): void {
    writeAll(this.#fd, new Uint8Array(this.#chunk.buffer, 0, count * BYTES));
  }
}

/** Reads numbers by their positions, in chunks: the numbers after the last one that was read are usually in memory. */
export class NumbersReader {
  readonly #fd: number;
  readonly #window = new Uint32Array(CHUNK);
  #first = 0;
  #held = 0;

  constructor(file: string) {
    this.#fd = fs.openSync(file, 'r');
  }

  /** undefined beyond the end. */
  at(position: number): number | undefined {
    if (position < this.#first || position >= this.#first + this.#held) this.#read(position);
    return position < this.#first + this.#held ? this.#window[position - this.#first] : undefined;
  }

  close(): void {
    fs.closeSync(this.#fd);
  }

  #read(position: number): void {
    const bytes = new Uint8Array(this.#window.buffer);
    this.#first = position;
    this.#held = Math.floor(fs.readSync(this.#fd, bytes, 0, bytes.length, position * BYTES) / BYTES);
  }
}
