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

/** What the header of a payload says. */
export interface PayloadHeader {
  count: number;
  hasIds: boolean;
  /** Offset of the table. */
  table: number;
}

/** @throws {Error} when the bytes do not begin a payload */
export function readPayloadHeader(header: Buffer): PayloadHeader {
  if (header.readUInt32LE(0) !== PAYLOAD_MAGIC || header.readUInt32LE(4) !== PAYLOAD_VERSION) {
    throw new Error(`what should be a payload of version ${PAYLOAD_VERSION} is none`);
  }
  return { count: header.readUInt32LE(8), hasIds: header.readUInt32LE(12) === 1, table: header.readDoubleLE(16) };
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
