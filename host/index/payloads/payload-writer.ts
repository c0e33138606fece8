import fs from 'node:fs';
import { u32Column } from '../../runtime/number-columns.js';
import { HEADER_BYTES, payloadHeader, writeAll } from './payload.js';

const FLUSH_BYTES = 1 << 20;
/** Bytes after which another payload must be started: offsets have 32 bits. */
const FULL_BYTES = 1 << 30;

/** Writes a payload document by document. The file is not synced: the work that it belongs to starts again after a crash. */
export class PayloadWriter {
  readonly #fd: number;
  readonly #ranges = u32Column();
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
    this.#ranges.push(this.#textBytes);
    this.#ranges.push(this.#textBytes + json.length);
    this.#parts.push(json);
    this.#partBytes += json.length;
    this.#textBytes += json.length;
    if (this.#partBytes >= FLUSH_BYTES) this.#flush();
  }

  get count(): number {
    return this.#ranges.length / 2;
  }

  /** @returns the bytes of the payload */
  finish(): number {
    this.#flush();
    const table = this.#ranges.slice(0, this.#ranges.length);
    writeAll(this.#fd, new Uint8Array(table.buffer, table.byteOffset, table.byteLength));
    fs.writeSync(this.#fd, payloadHeader(this.count, this.#textBytes), 0, HEADER_BYTES, 0);
    fs.closeSync(this.#fd);
    return HEADER_BYTES + this.#textBytes + table.byteLength;
  }

  /** Deletes the payload. */
  discard(): void {
    fs.closeSync(this.#fd);
    fs.rmSync(this.file, { force: true });
  }

  #flush(): void {
    writeAll(this.#fd, Buffer.concat(this.#parts));
    this.#parts = [];
    this.#partBytes = 0;
  }
}
