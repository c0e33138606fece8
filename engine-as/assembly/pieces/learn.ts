/**
 * Learns the pieces of text that are frequent in documents, in one pass: the text is divided into the longest pieces that are known so far,
 * at first single bytes; two neighbours that were seen together SEEN_TOGETHER times become a piece of their own. Those that save most for the
 * slots that they take fill the table.
 */
import { alloc, allocZeroed } from '../runtime/arena';
import { copyBytes } from '../runtime/copy';
import { FIRST_SLOT, PIECE_BYTES_MOST, PIECES_SLACK, SLOT_BYTES } from './decode';
import { edgeChild, edgeHasValue, nodeOfByte, setValue, Trie, trieEdge, trieExtend, valueAt } from './trie';

const SEEN_TOGETHER: u32 = 2;
const BYTES: u32 = 256;
const PIECES_MOST: u32 = 65536;
/** Bits of the table of pairs: about as many as a text of 1 MiB has. */
const PAIR_BITS: u32 = 17;
const COUNT_BITS: u32 = 3;
/** What pieces save is compared in steps of about an eighth. */
const GAIN_STEP_BITS: u32 = 3;
const GAIN_STEPS: u32 = 32 << GAIN_STEP_BITS;

@unmanaged
export class Piece {
  text: usize;
  length: u32;
  /** in the trie while it is learned; the value of the node is how often the text was divided at it */
  node: u32;
  count: u32;
  /** the slot in the table; 0: it is not in the table */
  slot: u32;
}

@unmanaged
export class Learned {
  /** Piece[count]: the bytes first */
  pieces: usize;
  count: u32;
}

let trie = changetype<Trie>(0);
let pieces: usize = 0;
let count: u32 = 0;
/** u32[2^PAIR_BITS]: bits of the hash of a pair, and how often it was seen */
let pairs: usize = 0;

export function pieceAt(list: usize, index: u32): Piece {
  return changetype<Piece>(list + <usize>index * offsetof<Piece>());
}

/** Learns from `documents` documents, one after the other from `text` on, with their ends in `ends` (u32[]). */
export function learnPieces(empty: Trie, text: usize, ends: usize, documents: u32): Learned {
  trie = empty;
  pairs = allocZeroed((<usize>4) << PAIR_BITS);
  pieces = alloc(<usize>PIECES_MOST * offsetof<Piece>());
  count = 0;
  const bytes = alloc(BYTES);
  for (let byte: u32 = 0; byte < BYTES; byte++) {
    store<u8>(bytes + byte, byte);
    addPiece(bytes + byte, 1, nodeOfByte(byte));
  }
  let start = text;
  for (let i: u32 = 0; i < documents; i++) {
    const end = text + <usize>load<u32>(ends + ((<usize>i) << 2));
    learnDocument(start, end);
    start = end;
  }
  for (let i: u32 = 0; i < count; i++) {
    const piece = pieceAt(pieces, i);
    piece.count = valueAt(trie, piece.node);
  }
  const learned = changetype<Learned>(alloc(offsetof<Learned>()));
  learned.pieces = pieces;
  learned.count = count;
  return learned;
}

function addPiece(text: usize, length: u32, node: u32): void {
  const piece = pieceAt(pieces, count++);
  piece.text = text;
  piece.length = length;
  piece.node = node;
  piece.slot = 0;
}

function learnDocument(start: usize, end: usize): void {
  let before: u32 = 0;
  let from = start;
  let at = start;
  while (at < end) {
    const longest = longestPiece(at, end);
    const stop = pieceEnd;
    setValue(trie, longest, valueAt(trie, longest) + 1);
    if (before !== 0 && stop - from <= PIECE_BYTES_MOST && count < PIECES_MOST && seenOften(before, longest)) {
      const node = trieExtend(trie, before, at, <u32>(stop - at));
      if (node !== 0) addPiece(from, <u32>(stop - from), node);
    }
    before = longest;
    from = at;
    at = stop;
  }
}

/** Where the piece ends that {@link longestPiece} has found. */
let pieceEnd: usize = 0;

/** The node of the longest known piece at a place. */
function longestPiece(text: usize, end: usize): u32 {
  let at = text;
  let node = nodeOfByte(load<u8>(at++));
  let longest = node;
  pieceEnd = at;
  while (at < end) {
    const edge = trieEdge(trie, node, load<u8>(at++));
    if (edge === 0) break;
    node = edgeChild(edge);
    if (!edgeHasValue(edge)) continue;
    longest = node;
    pieceEnd = at;
  }
  return longest;
}

/** Counts a pair. A pair whose place in the table another one takes is no longer counted. */
function seenOften(left: u32, right: u32): bool {
  const hash = (((<u64>left) << 32) | <u64>right) * 0x9fb21c651e98df25;
  const place = pairs + ((<usize>(hash >> (64 - PAIR_BITS))) << 2);
  const known = <u32>(hash >> 8) & ~((1 << COUNT_BITS) - 1);
  const entry = load<u32>(place);
  const seen = (entry & ((1 << COUNT_BITS) - 1)) + 1;
  if ((entry ^ known) >>> COUNT_BITS) {
    store<u32>(place, known | 1);
    return false;
  }
  store<u32>(place, seen === SEEN_TOGETHER ? known : known | seen);
  return seen === SEEN_TOGETHER;
}

function slotsOf(piece: Piece): u32 {
  return (piece.length + SLOT_BYTES) / SLOT_BYTES;
}

/** A logarithm of the bytes that a piece saves for each of its slots. */
function gainOf(piece: Piece): u32 {
  const gain = ((piece.count * piece.length * SLOT_BYTES) / slotsOf(piece)) | 1;
  const exponent = 31 - clz<u32>(gain);
  return (exponent << GAIN_STEP_BITS) | (<u32>(((<u64>gain) << GAIN_STEP_BITS) >> exponent) & ((1 << GAIN_STEP_BITS) - 1));
}

/** Assigns slots to bytes and to the best pieces, at most `most` of them; returns the number of slots. */
export function choosePieces(learned: Learned, most: u32): u32 {
  const wanted = allocZeroed((<usize>GAIN_STEPS) << 2);
  for (let i = BYTES; i < learned.count; i++) {
    const piece = pieceAt(learned.pieces, i);
    const step = wanted + (gainOf(piece) << 2);
    if (piece.count > 0) store<u32>(step, load<u32>(step) + slotsOf(piece));
  }
  let least = GAIN_STEPS - 1;
  let taken = BYTES;
  while (least > 0 && taken + load<u32>(wanted + (least << 2)) <= most) taken += load<u32>(wanted + (least-- << 2));
  for (let byte = FIRST_SLOT; byte < BYTES; byte++) pieceAt(learned.pieces, byte).slot = byte;
  // Of the pieces that save as much as the last one that fits, the first ones are taken.
  let left = most - taken;
  let slot = BYTES;
  for (let i = BYTES; i < learned.count; i++) {
    const piece = pieceAt(learned.pieces, i);
    const gain = gainOf(piece);
    const slots = slotsOf(piece);
    if (piece.count === 0 || gain < least || (gain === least && slots > left)) continue;
    if (gain === least) left -= slots;
    piece.slot = slot;
    slot += slots;
  }
  return slot;
}

/** Writes the table of the chosen pieces, `slots` slots and {@link PIECES_SLACK} zeros. */
export function writePieces(learned: Learned, table: usize, slots: u32): void {
  memory.fill(table, 0, <usize>slots * SLOT_BYTES + PIECES_SLACK);
  for (let i: u32 = 0; i < learned.count; i++) {
    const piece = pieceAt(learned.pieces, i);
    if (piece.slot === 0) continue;
    const at = table + <usize>piece.slot * SLOT_BYTES;
    store<u8>(at, piece.length);
    copyBytes(at + 1, piece.text, piece.length);
  }
}
