/** Reading the postings of a term. A drawing is in segment/layout.ts. */
import { BLOCK_DOCS, bitmapBytes, LONG_POSITIONS, PostingsBlock, TERM_BITMAP } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { Block, blockDecode, blockDecodeIn } from './block';

// The cursor: one per instance of the module.
/** next PostingsBlock */
let blockAt: usize = 0;
let blocksEnd: usize = 0;
/** first PostingsBlock of the term */
let blocksStart: usize = 0;
let deltaAt: usize = 0;
let deltaWidth: u32 = 0;
let lengthAt: usize = 0;
/** number of postings of the current block that have not been read yet */
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

/**
 * Decodes the next block that contains a document of a bitmap over slots (slot = base + local number), and lists the places of those
 * documents. Returns their number, 0 after the last block. Blocks are skipped by the range of their documents. Must not be combined
 * with the functions for single postings on one term.
 */
export function postingsBlockIn(block: Block, bitmap: usize, base: u32): u32 {
  while (blockAt !== blocksEnd) {
    const entry = changetype<PostingsBlock>(blockAt);
    blockAt += offsetof<PostingsBlock>();
    const before = doc;
    doc = entry.lastDoc;
    if (!anyBetween(bitmap, base + before + 1, base + doc)) continue;
    const found = blockDecodeIn(block, blocksStart + entry.dataOffset, before, bitmap, base);
    if (found > 0) return found;
  }
  return 0;
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
