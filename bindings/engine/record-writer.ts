import type { Structure } from './exports.js';
import { mostBytes, writeText } from './utf8.js';

/** Bytes within a record: offset from its beginning, and length. */
export interface Piece {
  at: number;
  length: number;
}

/** Initial bytes, enough for most records. */
const FIRST_ROOM = 128;
/** Numbers have at most eight bytes. */
const ALIGNMENT = 8;

/** Builds a record for the engine: structures, followed by bytes to which they refer by offset. */
export class RecordWriter {
  #bytes: Uint8Array;
  #view: DataView;
  /** Bytes of the structures so far, and the end of the data after them. */
  #put = 0;
  #end: number;

  /** @param bytes total size of the structures */
  constructor(bytes: number) {
    this.#bytes = new Uint8Array(bytes + FIRST_ROOM);
    this.#view = new DataView(this.#bytes.buffer);
    this.#end = bytes;
  }

  put<Fields>(structure: Structure<Fields>, fields: Readonly<Fields>): void {
    structure.write(this.#view, this.#put, fields);
    this.#put += structure.bytes;
  }

  piece(bytes: Uint8Array): Piece {
    this.#align();
    this.#makeRoom(bytes.length);
    this.#bytes.set(bytes, this.#end);
    return this.#take(bytes.length);
  }

  /** Adds a list of structures. @returns its offset */
  list<Fields>(structure: Structure<Fields>, values: readonly Readonly<Fields>[]): number {
    this.#align();
    this.#makeRoom(values.length * structure.bytes);
    for (const [place, value] of values.entries()) structure.write(this.#view, this.#end + place * structure.bytes, value);
    return this.#take(values.length * structure.bytes).at;
  }

  /** Adds a text as UTF-8. */
  text(text: string): Piece {
    this.#makeRoom(mostBytes(text));
    return this.#take(writeText(text, this.#bytes, this.#end));
  }

  /** The record, up to where another one may follow. */
  finish(): Uint8Array {
    this.#align();
    this.#makeRoom(0);
    return this.#bytes.subarray(0, this.#end);
  }

  #take(length: number): Piece {
    const at = this.#end;
    this.#end += length;
    return { at, length };
  }

  #align(): void {
    this.#end = Math.ceil(this.#end / ALIGNMENT) * ALIGNMENT;
  }

  #makeRoom(bytes: number): void {
    const needed = this.#end + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}
