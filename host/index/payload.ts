import fs from 'node:fs';
import path from 'node:path';

/**
 * A payload between its request and its task: the raw bytes of the documents and where each stands.
 *
 *   | magic u32 | version u32 | documents u32 | 0 u32 | table f64 | 0 u64 | text … | (start u32, end u32) × documents |
 *   0           4             8               12      16          24      32       table
 *
 * Starts and ends are offsets in the text. A payload that was sent as JSON or NDJSON is its own text.
 */
const PAYLOAD_MAGIC = 0x4c504750; // "PGPL"
const PAYLOAD_VERSION = 1;
export const HEADER_BYTES = 32;
/** Bytes read at once while documents are taken in order, and where they are not. */
const STREAM_BYTES = 4 << 20;
const JUMP_BYTES = 16 << 10;

export interface DocumentRanges {
  count: number;
  starts: Uint32Array;
  ends: Uint32Array;
}

export function payloadHeader(count: number, textBytes: number): Uint8Array {
  const header = new DataView(new ArrayBuffer(HEADER_BYTES));
  header.setUint32(0, PAYLOAD_MAGIC, true);
  header.setUint32(4, PAYLOAD_VERSION, true);
  header.setUint32(8, count, true);
  header.setFloat64(16, HEADER_BYTES + textBytes, true);
  return new Uint8Array(header.buffer);
}

/** Writes a payload durably; `file` appears whole or not at all. Returns its bytes. */
export function writePayload(file: string, text: Uint8Array, { count, starts, ends }: DocumentRanges): number {
  const table = new Uint32Array(count * 2);
  for (let index = 0; index < count; index++) {
    table[2 * index] = starts[index] as number;
    table[2 * index + 1] = ends[index] as number;
  }
  const draft = `${file}.part`;
  const fd = fs.openSync(draft, 'w');
  try {
    writeAll(fd, payloadHeader(count, text.length));
    writeAll(fd, text);
    writeAll(fd, new Uint8Array(table.buffer));
    fs.fsyncSync(fd);
  } catch (error) {
    fs.rmSync(draft, { force: true });
    throw error;
  } finally {
    fs.closeSync(fd);
  }
  fs.renameSync(draft, file);
  syncFolder(path.dirname(file));
  return HEADER_BYTES + text.length + table.byteLength;
}

export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += fs.writeSync(fd, bytes, done, bytes.length - done);
}

/** Makes new names in a folder durable. */
export function syncFolder(folder: string): void {
  const fd = fs.openSync(folder, 'r');
  fs.fsyncSync(fd);
  fs.closeSync(fd);
}

/** Reads documents of a stored payload. */
export class PayloadReader {
  readonly count: number;
  readonly #fd: number;
  readonly #table: Uint32Array;
  #window: Buffer = Buffer.alloc(0);
  #windowStart = 0;

  /** @throws {Error} when the file is not a payload */
  constructor(file: string) {
    this.#fd = fs.openSync(file, 'r');
    const header = Buffer.alloc(HEADER_BYTES);
    this.#read(header, 0);
    if (header.readUInt32LE(0) !== PAYLOAD_MAGIC || header.readUInt32LE(4) !== PAYLOAD_VERSION) {
      throw new Error(`${file} is not a payload of version ${PAYLOAD_VERSION}`);
    }
    this.count = header.readUInt32LE(8);
    const bytes = Buffer.alloc(this.count * 8);
    this.#read(bytes, header.readDoubleLE(16));
    this.#table = new Uint32Array(bytes.buffer, bytes.byteOffset, this.count * 2);
  }

  /** The bytes of a document, valid until the next call. */
  document(index: number): Uint8Array {
    const start = this.#table[2 * index] as number;
    const end = this.#table[2 * index + 1] as number;
    if (start < this.#windowStart || end > this.#windowStart + this.#window.length) this.#load(start, end);
    return this.#window.subarray(start - this.#windowStart, end - this.#windowStart);
  }

  close(): void {
    fs.closeSync(this.#fd);
  }

  #load(start: number, end: number): void {
    const ahead = start - (this.#windowStart + this.#window.length);
    const length = Math.max(end - start, Math.abs(ahead) <= JUMP_BYTES ? STREAM_BYTES : JUMP_BYTES);
    if (this.#window.buffer.byteLength < length) this.#window = Buffer.allocUnsafeSlow(length);
    const whole = Buffer.from(this.#window.buffer, 0, length);
    const read = fs.readSync(this.#fd, whole, 0, length, HEADER_BYTES + start);
    if (read < end - start) throw new Error('a payload ends before its last document');
    this.#window = whole.subarray(0, read);
    this.#windowStart = start;
  }

  #read(into: Buffer, position: number): void {
    for (let done = 0; done < into.length; ) {
      const read = fs.readSync(this.#fd, into, done, into.length - done, position + done);
      if (read === 0) throw new Error('a payload ends too early');
      done += read;
    }
  }
}

const LINE_FEED = 0x0a;
const BLANK = 0x20;

/** The documents of a payload, none with a line end in it. Line ends stand between tokens, never in texts, and become blanks. */
export function* payloadDocuments(file: string): Generator<Buffer> {
  const payload = new PayloadReader(file);
  try {
    for (let i = 0; i < payload.count; i++) {
      const json = Buffer.from(payload.document(i));
      for (let at = json.indexOf(LINE_FEED); at >= 0; at = json.indexOf(LINE_FEED, at)) json[at] = BLANK;
      yield json;
    }
  } finally {
    payload.close();
  }
}
