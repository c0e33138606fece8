import { u32Column } from '../../runtime/number-columns.js';
import { FileWriter } from '../../storage/file-writer.js';
import { HEADER_BYTES, payloadHeader } from './payload-format.js';

/** Bytes after which another payload must be started: offsets have 32 bits. */
const FULL_BYTES = 1 << 30;

/** Writes a payload document by document. The file is not synced: the work that it belongs to starts again after a crash. */
export class PayloadWriter {
  readonly #writer: FileWriter;
  readonly #ranges = u32Column();
  #textBytes = 0;

  constructor(readonly file: string) {
    this.#writer = new FileWriter(file);
    this.#writer.add(payloadHeader(0, 0));
  }

  get full(): boolean {
    return this.#textBytes >= FULL_BYTES;
  }

  add(json: Uint8Array): void {
    this.#ranges.push(this.#textBytes);
    this.#ranges.push(this.#textBytes + json.length);
    this.#textBytes += json.length;
    this.#writer.add(json);
  }

  get count(): number {
    return this.#ranges.length / 2;
  }

  /** @returns the bytes of the payload */
  finish(): number {
    const table = this.#ranges.slice(0, this.#ranges.length);
    this.#writer.add(new Uint8Array(table.buffer, table.byteOffset, table.byteLength));
    this.#writer.finish(payloadHeader(this.count, this.#textBytes));
    return HEADER_BYTES + this.#textBytes + table.byteLength;
  }

  /** Deletes the payload. */
  discard(): void {
    this.#writer.discard();
  }
}
