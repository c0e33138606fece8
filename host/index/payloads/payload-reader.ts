import type { DocumentRun } from '../../../bindings/engine/document-run.js';
import { HEADER_BYTES, type Ids, readPayloadHeader } from './payload-format.js';
import { ReadBuffers } from './read-buffers.js';

/** Bytes per read when documents are read in order, and when they are not. */
const STREAM_BYTES = 1 << 20;
const JUMP_BYTES = 16 << 10;
/**
 * Bytes of consecutive documents that are passed to the engine at once: a call for each document would take longer than its work.
 */
const RUN_BYTES = 64 << 10;

/** Random access to the bytes of a payload. */
export interface PayloadSource {
  /** Fills `into` from `position` on, as far as there are bytes. @returns the number of bytes read */
  read(into: Buffer, position: number): number;
}

const NOTHING = Buffer.alloc(0);

/** Reads the documents of a payload. */
export class PayloadReader {
  readonly count: number;
  readonly #source: PayloadSource;
  readonly #buffers: ReadBuffers;
  readonly #table: Uint32Array;
  /** Bytes of its text. */
  readonly textBytes: number;
  readonly #hasIds: boolean;
  #buffer: Buffer = NOTHING;
  #bufferStart = 0;

  /** @throws {Error} when the bytes are not a payload */
  constructor(source: PayloadSource, buffers: ReadBuffers) {
    this.#source = source;
    this.#buffers = buffers;
    const header = Buffer.alloc(HEADER_BYTES);
    this.#read(header, 0);
    const { count, hasIds, table } = readPayloadHeader(header);
    this.count = count;
    this.#hasIds = hasIds;
    this.textBytes = table - HEADER_BYTES;
    const bytes = Buffer.alloc(this.count * 8);
    this.#read(bytes, table);
    this.#table = new Uint32Array(bytes.buffer, bytes.byteOffset, this.count * 2);
  }

  /** Length of a document in bytes. */
  length(index: number): number {
    return (this.#table[2 * index + 1] as number) - (this.#table[2 * index] as number);
  }

  /** The bytes of a document; valid until the next call. */
  document(index: number): Uint8Array {
    const start = this.#table[2 * index] as number;
    const end = this.#table[2 * index + 1] as number;
    if (start < this.#bufferStart || end > this.#bufferStart + this.#buffer.length) this.#load(start, end);
    // Not a Buffer, whose `slice` would not copy.
    const { buffer, byteOffset } = this.#buffer;
    return new Uint8Array(buffer, byteOffset + start - this.#bufferStart, end - start);
  }

  /**
   * The documents from `from` on that are in the read buffer, up to {@link RUN_BYTES}, and at least one. Valid until the next
   * call. @param before where to stop
   */
  run(from: number, before = this.count): DocumentRun {
    const first = this.document(from);
    const table = this.#table;
    const start = table[2 * from] as number;
    const limit = Math.min(start + RUN_BYTES, this.#bufferStart + this.#buffer.length);
    let to = from + 1;
    while (to < before && (table[2 * to + 1] as number) <= limit) to++;
    const places = table.slice(2 * from, 2 * to);
    for (let at = 0; at < places.length; at++) places[at] = (places[at] as number) - start;
    return { bytes: new Uint8Array(first.buffer, first.byteOffset, places.at(-1)), places };
  }

  /** The ids of all documents under a primary key; null when the payload does not have them. */
  ids(primaryKey: string): Ids | null {
    if (!this.#hasIds) return null;
    const name = Buffer.from(primaryKey);
    const at = HEADER_BYTES + this.textBytes + this.#table.byteLength;
    const head = Buffer.alloc(4 + name.length);
    this.#read(head, at);
    if (head.readUInt32LE(0) !== name.length || head.compare(name, 0, name.length, 4) !== 0) return null;
    const ends = Buffer.from(new ArrayBuffer(this.count * 4));
    this.#read(ends, at + head.length);
    const list = new Uint32Array(ends.buffer);
    const ids = Buffer.alloc(list.at(-1) ?? 0);
    this.#read(ids, at + head.length + ends.length);
    return { ids, ends: list };
  }

  /** Another payload takes the buffer over. */
  dropBuffer(): void {
    this.#buffer = NOTHING;
  }

  #load(start: number, end: number): void {
    const ahead = start - (this.#bufferStart + this.#buffer.length);
    const wanted = Math.max(end - start, Math.abs(ahead) <= JUMP_BYTES ? STREAM_BYTES : JUMP_BYTES);
    const length = Math.min(wanted, this.textBytes - start);
    const whole = this.#buffers.take(this, length).subarray(0, length);
    const read = this.#source.read(whole, HEADER_BYTES + start);
    if (read < end - start) throw new Error('a payload ends before its last document');
    this.#buffer = whole.subarray(0, read);
    this.#bufferStart = start;
  }

  #read(into: Buffer, position: number): void {
    for (let done = 0; done < into.length; ) {
      const read = this.#source.read(into.subarray(done), position + done);
      if (read === 0) throw new Error('a payload ends too early');
      done += read;
    }
  }
}

/** Reads a payload in memory. */
export function payloadInMemory(bytes: Buffer): PayloadReader {
  return new PayloadReader({ read: (into, position) => bytes.copy(into, 0, position) }, new ReadBuffers());
}

const LINE_FEED = 0x0a;
const BLANK = 0x20;

/**
 * The documents of a payload, each on one line: line ends between JSON tokens are replaced by blanks (inside strings they are
 * always escaped).
 */
export function* payloadDocuments(payload: PayloadReader): Generator<Buffer> {
  for (let i = 0; i < payload.count; i++) {
    const json = Buffer.from(payload.document(i));
    for (let at = json.indexOf(LINE_FEED); at >= 0; at = json.indexOf(LINE_FEED, at)) json[at] = BLANK;
    yield json;
  }
}
