import fs from 'node:fs';
import { HEADER_BYTES, payloadHeader, writeAll } from './payload.js';

const FLUSH_BYTES = 1 << 20;
/** Beyond this another payload must be begun: offsets have 32 bits. */
const FULL_BYTES = 1 << 30;

/**
 * Writes a payload document by document. Its file is not made durable: it is for work that begins anew after a crash.
 */
export class PayloadWriter {
  readonly #fd: number;
  readonly #ranges: number[] = [];
  #parts: Uint8Array[] = [];
  #partBytes = 0;
  #textBytes = 0;

  constructor(readonly file: string) {
    this.#fd = fs.openSync(file, 'w');
    writeAll(this.#fd, payloadHeader(0, 0));
  }

  get full(): boolean {
    return this.#textBytes >= FULL_BYTES;
  }

  add(json: Uint8Array): void {
    this.#ranges.push(this.#textBytes, this.#textBytes + json.length);
    this.#parts.push(json);
    this.#partBytes += json.length;
    this.#textBytes += json.length;
    if (this.#partBytes >= FLUSH_BYTES) this.#flush();
  }

  finish(): void {
    this.#flush();
    const table = Uint32Array.from(this.#ranges);
    writeAll(this.#fd, new Uint8Array(table.buffer));
    fs.writeSync(this.#fd, payloadHeader(this.#ranges.length / 2, this.#textBytes), 0, HEADER_BYTES, 0);
    fs.closeSync(this.#fd);
  }

  #flush(): void {
    writeAll(this.#fd, Buffer.concat(this.#parts));
    this.#parts = [];
    this.#partBytes = 0;
  }
}
