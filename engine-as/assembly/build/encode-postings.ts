/** Writes the postings of a term (a drawing is in segment/layout.ts) from its occurrences (occurrences.ts). */
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32, bufferPushBytes, bufferRoom } from '../runtime/buffer';
import { putVarint } from '../runtime/varint';
import { BLOCK_DOCS, bitmapBytes, LONG_POSITIONS, PostingsBlock } from '../segment/layout';
import { sortCodes } from '../segment/sort';
import { sectionAlign, sectionAppend, sectionAppendBuffer, sectionLength } from '../segment/writer';
import { longRunsPosting } from './long-runs';
import { Term } from './term';

/** A bitmap is written for terms in at least 1/n of the documents. It then takes about half as many bytes as the postings. */
const BITMAP_SHARE: u32 = 16;
/** Terms in fewer documents get no bitmap, because reading their blocks is faster. */
const BITMAP_LEAST: u32 = 64;

/** From this attribute on, the attribute is written after the head instead of in it. */
const WIDE_ATTRIBUTE: u32 = 31;
const MAX_SHORT_COUNT: u32 = 7;

const BITMAP_ALIGNMENT: u32 = 16;
const BLOCK_ALIGNMENT: u32 = 4;

let bitmap: usize = 0;
let bitmapLength: u32 = 0;
/**
 * Buffers: PostingsBlocks, data of blocks, positions of the current block, u32 codes of the current
 * posting.
 */
let blocks: usize = 0;
let data: usize = 0;
let positions: usize = 0;
let codes: usize = 0;
/** u32[BLOCK_DOCS] of the current block */
let deltas: usize = 0;
let lengths: usize = 0;
let blockCount: u32 = 0;
/** last document of the current term */
let lastDoc: u32 = 0;

/** Prepares for the terms of a segment of `docCount` documents, whose postings are appended to the current section. */
export function encodeBegin(docCount: u32): void {
  bitmapLength = bitmapBytes(docCount);
  bitmap = alloc(bitmapLength);
  blocks = bufferCreate(4096);
  data = bufferCreate(65536);
  positions = bufferCreate(4096);
  codes = bufferCreate(4096);
  deltas = alloc((<usize>BLOCK_DOCS) << 2);
  lengths = alloc((<usize>BLOCK_DOCS) << 2);
}

/** Whether the postings of a term begin with a bitmap. */
export function encodesBitmap(docFreq: u32, docCount: u32): bool {
  return docFreq >= BITMAP_LEAST && docFreq >= docCount / BITMAP_SHARE;
}

/** Appends the postings of a term, whose occurrences are at `source`. Returns their offset in the section. */
export function encodeTerm(term: Term, source: usize, withBitmap: bool): u64 {
  clear(blocks);
  clear(data);
  clear(positions);
  blockCount = 0;
  lastDoc = 0xffffffff;
  const tableBytes = ((term.docFreq + BLOCK_DOCS - 1) / BLOCK_DOCS) * <u32>offsetof<PostingsBlock>();
  if (withBitmap) memory.fill(bitmap, 0, bitmapLength);
  sectionAlign(withBitmap ? BITMAP_ALIGNMENT : BLOCK_ALIGNMENT);
  const start = sectionLength();
  encodeDocuments(source, source + term.occurrenceBytes, tableBytes, withBitmap);
  if (withBitmap) sectionAppend(bitmap, bitmapLength);
  sectionAppendBuffer(blocks);
  sectionAppendBuffer(data);
  return start;
}

function clear(buffer: usize): void {
  changetype<Buffer>(buffer).length = 0;
}

// reading of the occurrences
let at: usize = 0;

function varint(): u32 {
  let byte: u32 = load<u8>(at++);
  if (byte < 0x80) return byte;
  let value = byte & 0x7f;
  let shift: u32 = 7;
  do {
    byte = load<u8>(at++);
    value |= (byte & 0x7f) << shift;
    shift += 7;
  } while (byte & 0x80);
  return value;
}

/** Reads all occurrences of a term. A posting ends where the next document begins. */
function encodeDocuments(start: usize, end: usize, tableBytes: u32, withBitmap: bool): void {
  at = start;
  let document: u32 = 0xffffffff;
  while (at < end) {
    // The first occurrence in a document.
    document += varint() >>> 2;
    clear(codes);
    let code = varint() << 16;
    code |= varint();
    bufferPush32(codes, code);
    while (at < end) {
      const before = at;
      const head = varint();
      if ((head & 3) === 3) {
        at = before;
        break;
      }
      code = head & 1 ? ((head >>> 2) << 16) | varint() : code + (head >>> 1);
      bufferPush32(codes, code);
    }
    // The positions of attributes alternate in arrays of objects.
    sortCodes(changetype<Buffer>(codes).data, changetype<Buffer>(codes).length);
    longRunsPosting(document, changetype<Buffer>(codes).data, <u32>(changetype<Buffer>(codes).length >> 2));
    if (withBitmap) {
      const place = bitmap + (document >>> 3);
      store<u8>(place, <u32>load<u8>(place) | (1 << (document & 7)));
    }
    store<u32>(deltas + ((<usize>blockCount) << 2), document - lastDoc);
    store<u32>(lengths + ((<usize>blockCount) << 2), encodePositions());
    lastDoc = document;
    if (++blockCount === BLOCK_DOCS) closeBlock(tableBytes);
  }
  if (blockCount > 0) closeBlock(tableBytes);
}

/** Appends the groups of the current posting to the positions of the block. Returns their bytes. */
function encodePositions(): u32 {
  const count = <u32>(changetype<Buffer>(codes).length >> 2);
  // Room for the worst case: a head, an attribute and a count for each code.
  const start = bufferRoom(positions, <usize>count * 16);
  let from = changetype<Buffer>(codes).data;
  const end = from + ((<usize>count) << 2);
  let to = start;
  while (from < end) {
    const attribute = load<u32>(from) >>> 16;
    let stop = from + 4;
    while (stop < end && load<u32>(stop) >>> 16 === attribute) stop += 4;
    to = putGroup(to, attribute, from, stop);
    from = stop;
  }
  changetype<Buffer>(positions).length += to - start;
  return <u32>(to - start);
}

function putGroup(out: usize, attribute: u32, from: usize, stop: usize): usize {
  const count = <u32>((stop - from) >> 2);
  const short = count <= MAX_SHORT_COUNT;
  store<u8>(out, (min<u32>(attribute, WIDE_ATTRIBUTE) << 3) | (short ? count : 0));
  let to = out + 1;
  if (attribute >= WIDE_ATTRIBUTE) to = putVarint(to, attribute);
  if (!short) to = putVarint(to, count);
  let previous = attribute << 16;
  for (let place = from; place < stop; place += 4) {
    const code = load<u32>(place);
    to = putVarint(to, code - previous);
    previous = code;
  }
  return to;
}

function closeBlock(tableBytes: u32): void {
  const block = changetype<PostingsBlock>(bufferRoom(blocks, offsetof<PostingsBlock>()));
  changetype<Buffer>(blocks).length += offsetof<PostingsBlock>();
  block.lastDoc = lastDoc;
  block.dataOffset = tableBytes + <u32>changetype<Buffer>(data).length;
  let largest: u32 = 0;
  let long: u32 = 0;
  for (let i: u32 = 0; i < blockCount; i++) {
    largest = max<u32>(largest, load<u32>(deltas + ((<usize>i) << 2)));
    if (load<u32>(lengths + ((<usize>i) << 2)) >= LONG_POSITIONS) long++;
  }
  const width: u32 = largest < 0x100 ? 1 : largest < 0x10000 ? 2 : 4;
  let to = bufferRoom(data, 2 + <usize>(blockCount * (width + 1)));
  changetype<Buffer>(data).length += 2 + <usize>(blockCount * (width + 1));
  store<u8>(to, width);
  store<u8>(to, blockCount - 1, 1);
  to += 2;
  for (let i: u32 = 0; i < blockCount; i++) {
    const delta = load<u32>(deltas + ((<usize>i) << 2));
    if (width === 1) store<u8>(to, delta);
    else if (width === 2) store<u16>(to, delta);
    else store<u32>(to, delta);
    to += width;
  }
  for (let i: u32 = 0; i < blockCount; i++) store<u8>(to + i, min<u32>(load<u32>(lengths + ((<usize>i) << 2)), LONG_POSITIONS));
  const bytes = changetype<Buffer>(positions);
  if (long === 0) bufferPushBytes(data, bytes.data, bytes.length);
  else appendLongPositions();
  bytes.length = 0;
  blockCount = 0;
}

/** Appends the positions of the block; long ones are preceded by their length. */
function appendLongPositions(): void {
  let from = changetype<Buffer>(positions).data;
  for (let i: u32 = 0; i < blockCount; i++) {
    const length = load<u32>(lengths + ((<usize>i) << 2));
    if (length >= LONG_POSITIONS) bufferPush32(data, length);
    bufferPushBytes(data, from, length);
    from += length;
  }
}
