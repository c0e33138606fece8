import type { Structure } from '../engine/exports.js';

const encoder = new TextEncoder();

/** Bytes among the pieces of a record: their offset from its beginning, and how many they are. */
export interface Piece {
  at: number;
  length: number;
}

/** Puts together what the engine reads in one piece: structures, one after the other, then bytes that they point to by offsets. */
export class RecordWriter {
  readonly #structures: Uint8Array;
  readonly #view: DataView;
  /** Bytes of the structures that were put. */
  #put = 0;
  readonly #pieces: Uint8Array[] = [];
  #length: number;

  /** @param bytes of all structures */
  constructor(bytes: number) {
    this.#structures = new Uint8Array(bytes);
    this.#view = new DataView(this.#structures.buffer);
    this.#length = bytes;
  }

  put<Fields>(structure: Structure<Fields>, fields: Readonly<Fields>): void {
    structure.write(this.#view, this.#put, fields);
    this.#put += structure.bytes;
  }

  piece(bytes: Uint8Array): Piece {
    const at = this.#length;
    this.#pieces.push(bytes);
    this.#length += bytes.length;
    return { at, length: bytes.length };
  }

  /** A text as UTF-8. */
  text(text: string): Piece {
    return this.piece(encoder.encode(text));
  }

  finish(): Uint8Array {
    const bytes = new Uint8Array(this.#length);
    bytes.set(this.#structures);
    let at = this.#structures.length;
    for (const piece of this.#pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes;
  }
}
