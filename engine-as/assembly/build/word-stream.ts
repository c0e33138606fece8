/**
 * The words of the documents under construction, in their order: entries of 16 bits, in blocks. Terms have their numbers in the order of first
 * occurrences, so that frequent ones have small numbers.
 *
 *   below WIDE_TERM       a term
 *   WIDE_TERM + high, low the term WIDE_TERM + (high << 16 | low)
 *   SKIP + n              n positions without a word, 0 < n <= MAX_SKIP
 *   ATTRIBUTE, a          the words of attribute a follow, from position 0 on; maybe in the next document
 */
import { BLOCK_BYTES, blockAlloc, blocksFrom } from '../runtime/blocks';
import { Buffer, bufferCreateLasting, bufferPush32 } from '../runtime/buffer';

export const WIDE_TERM: u32 = 0xc000;
export const SKIP: u32 = 0xfe00;
export const ATTRIBUTE: u32 = 0xff00;
/** More positions without a word take several entries, so that few entry values are reserved for them. */
export const MAX_SKIP: u32 = 255;
/** Bytes of an entry, or of half of one that takes two. */
export const HALF_BYTES: usize = 2;

/** Entries from one document to the next. */
@unmanaged
class Block {
  from: usize;
  end: usize;
}

/** Buffer of Block: all but the last one complete */
let blocks: usize = 0;
/** Buffer of u32: the first entry of each document up to the one that was recorded last */
let starts: usize = 0;
let at: usize = 0;
let blockEnd: usize = 0;
let count: u32 = 0;
let attributes: u32 = 0;
/** of the word that was recorded last: its document and attribute, and the position after it */
let lastDocument: u32 = 0;
let lastAttribute: u32 = 0;
let next: u32 = 0;

export function wordStreamBegin(): void {
  blocks = bufferCreateLasting(256);
  starts = bufferCreateLasting(1 << 14);
  at = 0;
  blockEnd = 0;
  count = 0;
  attributes = 0;
  lastDocument = 0xffffffff;
}

/** Sets the first entry of the documents before `documents` that have none yet: those without words begin and end at the current count. */
function startDocuments(documents: u32): void {
  const begun = <u32>(changetype<Buffer>(starts).length >> 2);
  for (let document = begun; document < documents; document++) bufferPush32(starts, count);
}

/** Makes sure that the next entry, of two halves at most, fits into the block. */
function room(): void {
  if (at + 2 * HALF_BYTES <= blockEnd) return;
  endBlock();
  at = blockAlloc();
  blockEnd = at + BLOCK_BYTES;
  bufferPush32(blocks, <u32>at);
  bufferPush32(blocks, 0);
}

function endBlock(): void {
  const number = wordBlocks();
  if (number > 0) blockOf(number - 1).end = at;
}

/** Records an occurrence of a term; positions of an attribute ascend. */
export function wordStreamAdd(term: u32, document: u32, attribute: u32, position: u32): void {
  if (document !== lastDocument || attribute !== lastAttribute) {
    if (document !== lastDocument) startDocuments(document + 1);
    room();
    store<u16>(at, ATTRIBUTE);
    store<u16>(at, attribute, HALF_BYTES);
    at += 2 * HALF_BYTES;
    count++;
    attributes = max<u32>(attributes, attribute + 1);
    lastDocument = document;
    lastAttribute = attribute;
    next = 0;
  }
  for (let left = position - next; left > 0; ) {
    const skipped = min<u32>(left, MAX_SKIP);
    room();
    store<u16>(at, SKIP + skipped);
    at += HALF_BYTES;
    count++;
    left -= skipped;
  }
  room();
  if (term < WIDE_TERM) {
    store<u16>(at, term);
  } else {
    const rest = term - WIDE_TERM;
    store<u16>(at, WIDE_TERM + (rest >>> 16));
    at += HALF_BYTES;
    store<u16>(at, rest);
  }
  at += HALF_BYTES;
  count++;
  next = position + 1;
}

/** Ends the words of `documents` documents. */
export function wordStreamEnd(documents: u32): void {
  startDocuments(documents + 1);
  endBlock();
}

export function wordBlocks(): u32 {
  return <u32>(changetype<Buffer>(blocks).length / offsetof<Block>());
}

function blockOf(index: u32): Block {
  return changetype<Block>(changetype<Buffer>(blocks).data + <usize>index * offsetof<Block>());
}

/** Address of the first entry of a block, and the end of the last one. */
export function wordBlock(index: u32): usize {
  return blockOf(index).from;
}

export function wordBlockEnd(index: u32): usize {
  return blockOf(index).end;
}

/** A block is not read any more. */
export function releaseWordBlock(index: u32): void {
  blocksFrom(wordBlock(index), BLOCK_BYTES);
}

/** The term of an entry below SKIP that begins at an address. */
export function termOfEntry(entry: u32, at: usize): u32 {
  return entry < WIDE_TERM ? entry : WIDE_TERM + (((entry - WIDE_TERM) << 16) | <u32>load<u16>(at, HALF_BYTES));
}

/** u32[documents + 1]: the first entry of each document, and the number of all. */
export function documentEntries(): usize {
  return changetype<Buffer>(starts).data;
}

/** Attributes with words are below this number. */
export function wordAttributes(): u32 {
  return attributes;
}
