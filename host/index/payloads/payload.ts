import fs from 'node:fs';
import path from 'node:path';
import type { DocumentRun } from '../../../bindings/engine/document-run.js';

/**
 * A payload between its request and its task: the raw bytes of the documents, and where each begins and ends.
 *
 *   | magic u32 | version u32 | documents u32 | ids u32 | table f64 | 0 u64 | text … | (start u32, end u32) × documents | ids … |
 *   0           4             8               12        16          24      32       table
 *
 * Starts and ends are offsets in the text. The text of a JSON or NDJSON payload is the body as sent. `ids`: 1 when the ids of all documents
 * under a primary key follow, which were read while the body arrived, and no document has a member that has to be checked:
 *
 *   | length of the primary key u32 | primary key | end u32 × documents | ids one after the other |
 */
const PAYLOAD_MAGIC = 0x4c504750; // "PGPL"
const PAYLOAD_VERSION = 1;
export const HEADER_BYTES = 32;
/** Bytes per read when documents are read in order, and when they are not. */
const STREAM_BYTES = 1 << 20;
const JUMP_BYTES = 16 << 10;
/**
 * Bytes of consecutive documents that are passed to the engine at once: a call for each document would take longer than its work.
 */
const RUN_BYTES = 64 << 10;

export interface DocumentRanges {
  count: number;
  starts: Uint32Array;
  ends: Uint32Array;
}

export function payloadHeader(count: number, textBytes: number, withIds = false): Uint8Array {
  const header = new DataView(new ArrayBuffer(HEADER_BYTES));
  header.setUint32(0, PAYLOAD_MAGIC, true);
  header.setUint32(4, PAYLOAD_VERSION, true);
  header.setUint32(8, count, true);
  header.setUint32(12, withIds ? 1 : 0, true);
  header.setFloat64(16, HEADER_BYTES + textBytes, true);
  return new Uint8Array(header.buffer);
}

/** A payload: header, text and table. */
export function payloadBytes(text: Uint8Array, { count, starts, ends }: DocumentRanges): Buffer {
  const table = new Uint32Array(count * 2);
  for (let index = 0; index < count; index++) {
    table[2 * index] = starts[index] as number;
    table[2 * index + 1] = ends[index] as number;
  }
  return Buffer.concat([payloadHeader(count, text.length), text, new Uint8Array(table.buffer)]);
}

/** Ids one after the other, and where each ends. */
export interface Ids {
  ids: Uint8Array;
  ends: Uint32Array;
}

/** What a payload has of ids, in pieces. */
export function payloadIds(primaryKey: string, pieces: readonly Ids[]): Uint8Array[] {
  const name = Buffer.from(primaryKey);
  const ends = new Uint32Array(pieces.reduce((sum, { ends }) => sum + ends.length, 0));
  let [count, bytes] = [0, 0];
  for (const piece of pieces) {
    for (const end of piece.ends) ends[count++] = bytes + end;
    bytes += piece.ids.length;
  }
  return [...[Uint32Array.of(name.length), name, ends].map(bytesOf), ...pieces.map(({ ids }) => ids)];
}

export function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array | Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Random access to the bytes of a payload. */
export interface PayloadSource {
  /** Fills `into` from `position` on, as far as there are bytes. @returns the number of bytes read */
  read(into: Buffer, position: number): number;
}

/** Files that are open at once: a batch may have more tasks than a process may have open files. */
const OPEN_FILES = 128;
/** Payloads of a batch that have a read buffer at once: one document may be put together from several. */
const MAX_WINDOWS = 8;
const NOTHING = Buffer.alloc(0);

/** Read buffers shared by the payloads of a batch. */
class Windows {
  readonly #held = new Map<PayloadReader, Buffer>();

  /** A read buffer for a payload: its own, a new one, or that of the payload that filled its own longest ago. */
  take(reader: PayloadReader, length: number): Buffer {
    let buffer = this.#held.get(reader);
    this.#held.delete(reader);
    if (!buffer && this.#held.size >= MAX_WINDOWS) {
      const [oldest, theirs] = this.#held.entries().next().value as [PayloadReader, Buffer];
      this.#held.delete(oldest);
      oldest.forgetWindow();
      buffer = theirs;
    }
    if (!buffer || buffer.length < length) buffer = Buffer.allocUnsafeSlow(length);
    this.#held.set(reader, buffer);
    return buffer;
  }
}

/** Reads payloads from files. A document of one stays valid until {@link MAX_WINDOWS} other payloads have been read. */
export class PayloadFiles {
  readonly #open = new Map<string, number>();
  readonly #windows = new Windows();

  constructor(readonly folder: string) {}

  /** @param at offset of the payload in the file */
  reader(file: string, at = 0): PayloadReader {
    const read = (into: Buffer, position: number) => fs.readSync(this.#descriptor(file), into, 0, into.length, at + position);
    return new PayloadReader({ read }, this.#windows);
  }

  #descriptor(file: string): number {
    const known = this.#open.get(file);
    if (known !== undefined) return known;
    if (this.#open.size >= OPEN_FILES) this.close();
    const fd = fs.openSync(path.join(this.folder, file), 'r');
    this.#open.set(file, fd);
    return fd;
  }

  close(): void {
    for (const fd of this.#open.values()) fs.closeSync(fd);
    this.#open.clear();
  }
}

/** Reads a payload in memory. */
export function payloadInMemory(bytes: Buffer): PayloadReader {
  return new PayloadReader({ read: (into, position) => bytes.copy(into, 0, position) }, new Windows());
}

/** Reads the documents of a payload. */
export class PayloadReader {
  readonly count: number;
  readonly #source: PayloadSource;
  readonly #windows: Windows;
  readonly #table: Uint32Array;
  readonly #textBytes: number;
  readonly #hasIds: boolean;
  #window: Buffer = NOTHING;
  #windowStart = 0;

  /** @throws {Error} when the bytes are not a payload */
  constructor(source: PayloadSource, windows: Windows) {
    this.#source = source;
    this.#windows = windows;
    const header = Buffer.alloc(HEADER_BYTES);
    this.#read(header, 0);
    if (header.readUInt32LE(0) !== PAYLOAD_MAGIC || header.readUInt32LE(4) !== PAYLOAD_VERSION) {
      throw new Error(`what should be a payload of version ${PAYLOAD_VERSION} is none`);
    }
    this.count = header.readUInt32LE(8);
    this.#hasIds = header.readUInt32LE(12) === 1;
    const table = header.readDoubleLE(16);
    this.#textBytes = table - HEADER_BYTES;
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
    if (start < this.#windowStart || end > this.#windowStart + this.#window.length) this.#load(start, end);
    // Not a Buffer, whose `slice` would not copy.
    const { buffer, byteOffset } = this.#window;
    return new Uint8Array(buffer, byteOffset + start - this.#windowStart, end - start);
  }

  /**
   * The documents from `from` on that are in the read buffer, up to {@link RUN_BYTES}, and at least one. Valid until the next
   * call. @param before where to stop
   */
  run(from: number, before = this.count): DocumentRun {
    const first = this.document(from);
    const table = this.#table;
    const start = table[2 * from] as number;
    const limit = Math.min(start + RUN_BYTES, this.#windowStart + this.#window.length);
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
    const at = HEADER_BYTES + this.#textBytes + this.#table.byteLength;
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

  /** Another payload takes over the buffer. */
  forgetWindow(): void {
    this.#window = NOTHING;
  }

  #load(start: number, end: number): void {
    const ahead = start - (this.#windowStart + this.#window.length);
    const wanted = Math.max(end - start, Math.abs(ahead) <= JUMP_BYTES ? STREAM_BYTES : JUMP_BYTES);
    const length = Math.min(wanted, this.#textBytes - start);
    const whole = this.#windows.take(this, length).subarray(0, length);
    const read = this.#source.read(whole, HEADER_BYTES + start);
    if (read < end - start) throw new Error('a payload ends before its last document');
    this.#window = whole.subarray(0, read);
    this.#windowStart = start;
  }

  #read(into: Buffer, position: number): void {
    for (let done = 0; done < into.length; ) {
      const read = this.#source.read(into.subarray(done), position + done);
      if (read === 0) throw new Error('a payload ends too early');
      done += read;
    }
  }
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
