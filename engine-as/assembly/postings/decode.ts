/** Reading the postings of a term. A drawing is in segment/layout.ts. */
import { BLOCK_DOCS, bitmapBytes, LONG_POSITIONS, PostingsBlock, TERM_BITMAP } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { Block, blockDecode } from './block';

// The cursor: one per instance of the module.
/** next PostingsBlock */
let blockAt: usize = 0;
let blocksEnd: usize = 0;
/** first PostingsBlock of the term */
let blocksStart: usize = 0;
let deltaAt: usize = 0;
let deltaWidth: u32 = 0;
let lengthAt: usize = 0;
/** postings of the current block that were not read yet */
let left: u32 = 0;
let doc: u32 = 0;
let positions: usize = 0;
let positionsLength: u32 = 0;

/** Bitmap of the documents of a term, stored before its postings; 0: none. */
export function bitmapOf(view: SegmentView, term: u32): usize {
  if (!(load<u8>(view.termFlags + term) & TERM_BITMAP)) return 0;
  return view.postings + ((<usize>load<u32>(view.termPostings + ((<usize>term) << 2))) << 2);
}

/** Address of the first PostingsBlock of a term. */
export function blocksOf(view: SegmentView, term: u32): usize {
  const start = view.postings + ((<usize>load<u32>(view.termPostings + ((<usize>term) << 2))) << 2);
  if (load<u8>(view.termFlags + term) & TERM_BITMAP) return start + bitmapBytes(view.docCount);
  return start;
}

export function blockCountOf(view: SegmentView, term: u32): u32 {
  return (load<u32>(view.termDocFreq + ((<usize>term) << 2)) + BLOCK_DOCS - 1) / BLOCK_DOCS;
}

/** Moves the cursor before the first posting of a term. */
export function postingsBegin(segment: usize, term: u32): void {
  const view = changetype<SegmentView>(segment);
  blocksStart = blocksOf(view, term);
  blockAt = blocksStart;
  blocksEnd = blocksStart + <usize>blockCountOf(view, term) * offsetof<PostingsBlock>();
  left = 0;
  doc = 0xffffffff;
  positions = 0;
  positionsLength = 0;
}

/** Moves to the next posting. Returns false after the last one. */
export function postingsNext(): bool {
  if (left === 0) {
    if (blockAt === blocksEnd) return false;
    const data = blocksStart + changetype<PostingsBlock>(blockAt).dataOffset;
    deltaWidth = load<u8>(data);
    left = <u32>load<u8>(data, 1) + 1;
    deltaAt = data + 2;
    lengthAt = deltaAt + <usize>(left * deltaWidth);
    positions = lengthAt + left;
    positionsLength = 0;
    blockAt += offsetof<PostingsBlock>();
  }
  left--;
  if (deltaWidth === 1) doc += load<u8>(deltaAt);
  else if (deltaWidth === 2) doc += load<u16>(deltaAt);
  else doc += load<u32>(deltaAt);
  deltaAt += deltaWidth;
  positions += positionsLength;
  positionsLength = load<u8>(lengthAt++);
  if (positionsLength === LONG_POSITIONS) {
    positionsLength = load<u32>(positions);
    positions += 4;
  }
  return true;
}

/**
 * Decodes the next block. Returns the number of postings, 0 after the last block. Must not be combined with the functions for single
 * postings on one term.
 */
export function postingsBlock(block: Block): u32 {
  if (blockAt === blocksEnd) return 0;
  const entry = changetype<PostingsBlock>(blockAt);
  blockDecode(block, blocksStart + entry.dataOffset, doc);
  doc = entry.lastDoc;
  blockAt += offsetof<PostingsBlock>();
  return block.count;
}

/** Whether any bit from `from` to `to` (inclusive) is set. */
function anyBetween(bitmap: usize, from: u32, to: u32): bool {
  let word = from >>> 6;
  const last = to >>> 6;
  let bits = load<u64>(bitmap + ((<usize>word) << 3)) >> (from & 63);
  if (word === last) return bits << (63 - (to - from)) !== 0;
  while (bits === 0) {
    word++;
    bits = load<u64>(bitmap + ((<usize>word) << 3));
    if (word === last) return bits << (63 - (to & 63)) !== 0;
  }
  return true;
}

/** Opens the next block that may contain a document of a bitmap over slots (slot = base + local number). */
function openBlockIn(bitmap: usize, base: u32): bool {
  while (blockAt !== blocksEnd) {
    const block = changetype<PostingsBlock>(blockAt);
    blockAt += offsetof<PostingsBlock>();
    const last = block.lastDoc;
    if (!anyBetween(bitmap, base + doc + 1, base + last)) {
      doc = last;
      continue;
    }
    const data = blocksStart + block.dataOffset;
    deltaWidth = load<u8>(data);
    left = <u32>load<u8>(data, 1) + 1;
    deltaAt = data + 2;
    lengthAt = deltaAt + <usize>(left * deltaWidth);
    positions = lengthAt + left;
    positionsLength = 0;
    return true;
  }
  return false;
}

/**
 * Moves to the next posting whose document is in a bitmap over slots. Returns false after the last one. Blocks without such a
 * document are skipped by the range of their documents. Must not be combined with {@link postingsNext} on one term.
 */
export function postingsNextIn(bitmap: usize, base: u32): bool {
  let member = doc;
  let at = positions;
  let length = positionsLength;
  let deltas = deltaAt;
  let lengths = lengthAt;
  let remaining = left;
  let width = deltaWidth;
  while (true) {
    if (remaining === 0) {
      doc = member;
      if (!openBlockIn(bitmap, base)) return false;
      member = doc;
      at = positions;
      length = 0;
      deltas = deltaAt;
      lengths = lengthAt;
      remaining = left;
      width = deltaWidth;
    }
    remaining--;
    if (width === 1) member += load<u8>(deltas);
    else if (width === 2) member += load<u16>(deltas);
    else member += load<u32>(deltas);
    deltas += width;
    at += length;
    length = load<u8>(lengths++);
    if (length === LONG_POSITIONS) {
      length = load<u32>(at);
      at += 4;
    }
    const slot = base + member;
    if ((load<u8>(bitmap + (slot >>> 3)) >>> (slot & 7)) & 1) break;
  }
  doc = member;
  positions = at;
  positionsLength = length;
  deltaAt = deltas;
  lengthAt = lengths;
  left = remaining;
  return true;
}

/** Local number of the document of the current posting. */
export function postingsDoc(): u32 {
  return doc;
}

/** Address of the position groups of the current posting. */
export function postingsPositions(): usize {
  return positions;
}

export function postingsPositionsLength(): u32 {
  return positionsLength;
}

function setBit(bitmap: usize, member: u32): void {
  const at = bitmap + (member >>> 3);
  store<u8>(at, <u32>load<u8>(at) | (1 << (member & 7)));
}

/** Adds the documents of a term (local numbers) to a bitmap that has room for all documents of the segment. */
export function postingsOrInto(segment: usize, term: u32, bitmap: usize): void {
  const view = changetype<SegmentView>(segment);
  const source = bitmapOf(view, term);
  if (source !== 0) {
    const bytes: usize = bitmapBytes(view.docCount);
    for (let at: usize = 0; at < bytes; at += 16) {
      v128.store(bitmap + at, v128.or(v128.load(bitmap + at), v128.load(source + at)));
    }
    return;
  }
  const start = blocksOf(view, term);
  const end = start + <usize>blockCountOf(view, term) * offsetof<PostingsBlock>();
  let member: u32 = 0xffffffff;
  for (let block = start; block < end; block += offsetof<PostingsBlock>()) {
    const data = start + changetype<PostingsBlock>(block).dataOffset;
    const width: u32 = load<u8>(data);
    let at = data + 2;
    const stop = at + <usize>((<u32>load<u8>(data, 1) + 1) * width);
    if (width === 1) {
      for (; at < stop; at++) {
        member += load<u8>(at);
        setBit(bitmap, member);
      }
    } else if (width === 2) {
      for (; at < stop; at += 2) {
        member += load<u16>(at);
        setBit(bitmap, member);
      }
    } else {
      for (; at < stop; at += 4) {
        member += load<u32>(at);
        setBit(bitmap, member);
      }
    }
  }
}
