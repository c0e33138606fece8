/**
 * Documents as codes of pieces of text. A table has the pieces that are frequent in the documents of a segment; a document is a list of u16:
 *
 *   code >= FIRST_SLOT    the piece in this slot of the table
 *   1 … FIRST_SLOT - 1    code + 3 codes of pieces follow that stand earlier; then the distance to them, counted from this code
 *   0                     bytes as they are; then their number, and the bytes, with one more if it is odd
 *
 *   slot of the table = u8 length · bytes           a piece begins at a multiple of SLOT_BYTES and may take several slots
 *
 * So a document is read without those before it, but for some of their codes. FORMAT.md (sections 9 and 24) describes the same format.
 */

export const SLOT_BYTES: u32 = 4;
export const PIECE_BYTES_MOST: u32 = 31;
/** JSON without white space has no bytes below this one, so slots have the numbers of the bytes in them. */
export const FIRST_SLOT: u32 = 32;
export const SLOTS_MOST: u32 = 65536;
export const CODE_BYTES: u32 = 2;
export const CODE_RAW: u32 = 0;
/** Codes of pieces in the shortest copy, and in the longest one. */
export const COPIED_LEAST: u32 = 4;
export const COPIED_MOST: u32 = FIRST_SLOT - 2 + COPIED_LEAST;
/** The greatest distance of copies, in codes: what a file is read from for one document. */
export const DISTANCE_MOST: u32 = 8192;
/** Bytes that are readable after a table, and that may be written after the room for a document. */
export const PIECES_SLACK: usize = 32;

/** {@link piecesDecode}: the document is longer than its room, and: the codes are damaged. */
export const NO_ROOM: i32 = -1;
export const DAMAGED: i32 = -2;

/** Writes a piece and returns where it ends. */
function putPiece(to: usize, piece: usize): usize {
  v128.store(to, v128.load(piece, 1));
  v128.store(to, v128.load(piece, 17), 16);
  return to + (<usize>load<u8>(piece) & PIECE_BYTES_MOST);
}

/**
 * Decodes the codes from `source` to `end`, which may refer to codes from `first` on, to `out`. Returns the number of bytes, {@link NO_ROOM}
 * or {@link DAMAGED}. `out` has room for `capacity` bytes and {@link PIECES_SLACK} more, `table` has `slots` slots and {@link PIECES_SLACK} bytes.
 */
export function piecesDecode(table: usize, slots: u32, first: usize, source: usize, end: usize, out: usize, capacity: u32): i32 {
  const limit = out + capacity;
  const pieces = slots - FIRST_SLOT;
  let at = source;
  let to = out;
  while (at + CODE_BYTES <= end) {
    const code: u32 = load<u16>(at);
    at += CODE_BYTES;
    if (to > limit) return NO_ROOM;
    if (code - FIRST_SLOT < pieces) {
      to = putPiece(to, table + <usize>code * SLOT_BYTES);
      continue;
    }
    if (code >= FIRST_SLOT || end - at < CODE_BYTES) return DAMAGED;
    const operand: usize = load<u16>(at);
    at += CODE_BYTES;
    if (code === CODE_RAW) {
      if (operand > end - at) return DAMAGED;
      if (operand > limit - to) return NO_ROOM;
      memory.copy(to, at, operand);
      to += operand;
      at += (operand + 1) & ~1;
      continue;
    }
    const copied = code + COPIED_LEAST - 1;
    const back = operand * CODE_BYTES;
    const place = at - 2 * CODE_BYTES;
    if (back > place - first || <usize>copied > operand) return DAMAGED;
    const stop = place - back + <usize>copied * CODE_BYTES;
    for (let from = place - back; from < stop; from += CODE_BYTES) {
      const piece: u32 = load<u16>(from);
      if (piece - FIRST_SLOT >= pieces) return DAMAGED;
      if (to > limit) return NO_ROOM;
      to = putPiece(to, table + <usize>piece * SLOT_BYTES);
    }
  }
  return to > limit ? NO_ROOM : <i32>(to - out);
}
