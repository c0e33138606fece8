import type { ByteWriter } from '../../bindings/format/byte-writer.js';
import type { CursorPosition } from '../../bindings/search/cursor.js';

/**
 * A page on its way from a search thread to the host: body · bitmap of the remaining documents · u32 length of the body · u32
 * number of hits seen, 0 when no page follows.
 */
const TRAILER = 8;

/** Appends the cursor position to a body. */
export function framedPage(out: ByteWriter, bodyLength: number, next: CursorPosition | null): Uint8Array {
  if (next?.remaining) out.slice(next.remaining, 0, next.remaining.length);
  const trailer = new DataView(new ArrayBuffer(TRAILER));
  trailer.setUint32(0, bodyLength, true);
  trailer.setUint32(4, next?.seen ?? 0, true);
  out.slice(new Uint8Array(trailer.buffer), 0, TRAILER);
  return out.view();
}

/** Takes a frame apart; the bitmap is copied. */
export function readPage(frame: Buffer): { body: Buffer; next: CursorPosition | null } {
  const end = frame.length - TRAILER;
  const bodyLength = frame.readUInt32LE(end);
  const seen = frame.readUInt32LE(end + 4);
  const body = frame.subarray(0, bodyLength);
  return { body, next: seen === 0 ? null : { seen, remaining: Uint8Array.from(frame.subarray(bodyLength, end)) } };
}
