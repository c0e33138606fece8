import fs from 'node:fs';
import { writeAll } from '../../payloads/payload.js';

/** A file of embeddings by hash: u8[16] hash, u32 number of components, then as many f32, all little-endian. */
const HASH_BYTES = 16;
const HEAD_BYTES = HASH_BYTES + Uint32Array.BYTES_PER_ELEMENT;

/** Bytes per write. */
const CHUNK = 1 << 18;

export class EmbeddingsWriter {
  readonly #fd: number;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(file: string) {
    this.#fd = fs.openSync(file, 'w');
  }

  add(hash: string, vector: Float32Array): void {
    const head = Buffer.alloc(HEAD_BYTES);
    head.write(hash, 'hex');
    head.writeUInt32LE(vector.length, HASH_BYTES);
    this.#parts.push(head, Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength));
    this.#length += HEAD_BYTES + vector.byteLength;
    if (this.#length >= CHUNK) this.#flush();
  }

  close(): void {
    this.#flush();
    fs.closeSync(this.#fd);
  }

  #flush(): void {
    writeAll(this.#fd, Buffer.concat(this.#parts));
    this.#parts = [];
    this.#length = 0;
  }
}

/** The embeddings in a file, read on demand. */
export class EmbeddingsReader {
  readonly #fd: number;
  readonly #places = new Map<string, { at: number; length: number }>();

  constructor(file: string) {
    this.#fd = fs.openSync(file, 'r');
    const head = Buffer.alloc(HEAD_BYTES);
    for (let at = 0; fs.readSync(this.#fd, head, 0, HEAD_BYTES, at) === HEAD_BYTES; ) {
      const length = head.readUInt32LE(HASH_BYTES);
      this.#places.set(head.toString('hex', 0, HASH_BYTES), { at: at + HEAD_BYTES, length });
      at += HEAD_BYTES + length * Float32Array.BYTES_PER_ELEMENT;
    }
  }

  /** null when there is none. */
  get(hash: string): Float32Array | null {
    const place = this.#places.get(hash);
    if (!place) return null;
    const vector = new Float32Array(place.length);
    fs.readSync(this.#fd, new Uint8Array(vector.buffer), 0, vector.byteLength, place.at);
    return vector;
  }

  close(): void {
    fs.closeSync(this.#fd);
  }
}
