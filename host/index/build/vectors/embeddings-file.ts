import fs from 'node:fs';
import { writeAll } from '../../../storage/file-writer.js';

/**
 * A file of the vectors of texts, one row for each text, in the order of their numbers, little-endian:
 *
 *   | components of the longest vector u32 | rows: 1 u32, components f32 … |
 *
 * The row of a text without a vector is absent, or begins with 0.
 */
const WORD = Uint32Array.BYTES_PER_ELEMENT;
const PRESENT = 1;
/** Bytes per read when rows are read in order. */
const WINDOW_BYTES = 1 << 18;

const rowBytes = (components: number) => WORD + components * Float32Array.BYTES_PER_ELEMENT;

export class EmbeddingsWriter {
  readonly #fd: number;
  readonly #rowBytes: number;

  /** @param components of the longest vector */
  constructor(file: string, components: number) {
    this.#fd = fs.openSync(file, 'w');
    this.#rowBytes = rowBytes(components);
    writeAll(this.#fd, new Uint8Array(Uint32Array.of(components).buffer), 0);
  }

  /** @param texts numbers of texts, each with its vector; neighbours are written at once */
  add(texts: readonly { text: number; vector: Float32Array }[]): void {
    for (let from = 0; from < texts.length; ) {
      const first = (texts[from] as { text: number }).text;
      let to = from + 1;
      while (to < texts.length && texts[to]?.text === first + to - from) to++;
      const rows = new Uint8Array((to - from) * this.#rowBytes);
      for (let at = 0; from < to; from++, at += this.#rowBytes) {
        const { vector } = texts[from] as { vector: Float32Array };
        rows[at] = PRESENT;
        rows.set(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength), at + WORD);
      }
      writeAll(this.#fd, rows, WORD + first * this.#rowBytes);
    }
  }

  close(): void {
    fs.closeSync(this.#fd);
  }
}

/** The vectors in a file, read on demand. */
export class EmbeddingsReader {
  readonly #fd: number;
  readonly #rowBytes: number;
  #rows = new Uint32Array(0);
  /** Texts whose rows are in memory: [first, end). */
  #first = 0;
  #end = 0;

  constructor(file: string) {
    this.#fd = fs.openSync(file, 'r');
    const head = new Uint32Array(1);
    fs.readSync(this.#fd, new Uint8Array(head.buffer), 0, WORD, 0);
    this.#rowBytes = rowBytes(head[0] as number);
  }

  /** null when the text has none. The vector stays as it is, whatever is read later. */
  get(text: number, dimensions: number): Float32Array | null {
    if (text < this.#first || text >= this.#end) this.#read(text);
    if (text >= this.#end) return null;
    const at = (text - this.#first) * this.#rowBytes;
    if (this.#rows[at / WORD] !== PRESENT) return null;
    return new Float32Array(this.#rows.buffer, at + WORD, dimensions);
  }

  close(): void {
    fs.closeSync(this.#fd);
  }

  /** Reads as much at once as is likely to be used: texts are mostly asked for in their order. */
  #read(text: number): void {
    const inOrder = text === this.#end;
    const count = inOrder ? Math.max(1, Math.floor(WINDOW_BYTES / this.#rowBytes)) : 1;
    this.#rows = new Uint32Array((count * this.#rowBytes) / WORD);
    const bytes = new Uint8Array(this.#rows.buffer);
    let held = 0;
    for (let read = -1; read !== 0 && held < bytes.length; held += read) {
      read = fs.readSync(this.#fd, bytes, held, bytes.length - held, WORD + text * this.#rowBytes + held);
    }
    this.#first = text;
    this.#end = text + Math.floor(held / this.#rowBytes);
  }
}
