/**
 * Packs documents as they are added: those of larger segments as codes of pieces (coded-documents), those of small ones, from which little can be
 * learned, into compressed blocks:
 *
 *   block before compression: u32 × (documents + 1) starts within the block, the last one its end · the documents
 */

import { LZ_TABLE_BYTES, lzBound, lzCompress } from '../codec/lz';
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferCreateLasting, bufferPush32, bufferPush64, bufferRoom } from '../runtime/buffer';
import { Pages, pagesAppend, pagesCreate } from '../runtime/pages';
import { codedActive, codedAdd, codedBegin, codedLearn } from './coded-documents';

/** A block is closed when its documents have this many bytes: reading one document decompresses half as much. */
const BLOCK_BYTES: usize = 8192;
/** Pieces are learned from the first documents with this many bytes; segments with fewer have none. */
const LEARNED_BYTES: usize = 1 << 20;
/** Documents are coded when there are so many bytes of them. */
const CODED_BYTES: usize = 1 << 18;

/** Buffer: documents that are not packed yet */
let pending: usize = 0;
/** Buffer of u32: end of each document in {@link pending} */
let ends: usize = 0;
let pages: usize = 0;
let firstDocs: usize = 0;
let starts: usize = 0;
let rawLengths: usize = 0;
let largestRaw: u32 = 0;
let rawBytes: u64 = 0;

export function packerBegin(): void {
  pending = bufferCreateLasting(BLOCK_BYTES << 2);
  ends = bufferCreateLasting(1024);
  pages = pagesCreate();
  firstDocs = bufferCreate(1024);
  starts = bufferCreate(1024);
  rawLengths = bufferCreate(1024);
  largestRaw = 0;
  rawBytes = 0;
  codedBegin();
}

/** Memory for a document of `length` bytes, which {@link packerAdd} then adds. */
export function packerRoom(length: u32): usize {
  return bufferRoom(pending, <usize>length + 16);
}

/** Adds the `length` bytes written to {@link packerRoom}. They stay in place until the next call. */
export function packerAdd(length: u32): void {
  const documents = changetype<Buffer>(pending);
  documents.length += length;
  bufferPush32(ends, <u32>documents.length);
  rawBytes += length;
}

/** Packs the documents when they are many. */
export function packerFlushFull(): void {
  if (changetype<Buffer>(pending).length >= (codedActive() ? CODED_BYTES : LEARNED_BYTES)) codePending();
}

function codePending(): void {
  const text = changetype<Buffer>(pending);
  const list = changetype<Buffer>(ends);
  const count = <u32>(list.length >> 2);
  if (count === 0) return;
  if (!codedActive()) codedLearn(text.data, list.data, count);
  codedAdd(text.data, list.data, count, pages);
  text.length = 0;
  list.length = 0;
}

/** Packs the last documents. */
export function packerFinish(): void {
  if (codedActive()) codePending();
  else packBlocks();
}

function packBlocks(): void {
  const list = changetype<Buffer>(ends);
  const count = <u32>(list.length >> 2);
  const raw = bufferCreate(BLOCK_BYTES << 2);
  const packed = bufferCreate(BLOCK_BYTES << 2);
  const table = alloc(LZ_TABLE_BYTES);
  let first: u32 = 0;
  let start: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const end = load<u32>(list.data + ((<usize>i) << 2));
    if (<usize>(end - start) < BLOCK_BYTES && i + 1 < count) continue;
    const length = layBlock(raw, first, i + 1, start, end);
    bufferPush32(firstDocs, first);
    bufferPush64(starts, changetype<Pages>(pages).length);
    bufferPush32(rawLengths, length);
    largestRaw = max<u32>(largestRaw, length);
    const out = bufferRoom(packed, lzBound(length));
    pagesAppend(pages, out, lzCompress(changetype<Buffer>(raw).data, length, out, table));
    first = i + 1;
    start = end;
  }
  bufferPush32(firstDocs, count);
  bufferPush64(starts, changetype<Pages>(pages).length);
}

/** Lays the pending documents [first, last), whose bytes are [start, end), into `raw`; returns the length of the block. */
function layBlock(raw: usize, first: u32, last: u32, start: u32, end: u32): u32 {
  const documentEnds = changetype<Buffer>(ends).data + ((<usize>first) << 2);
  const count = <usize>(last - first);
  const head = (<u32>count + 1) << 2;
  const length = head + end - start;
  // The codec reads a few bytes past the end.
  const at = bufferRoom(raw, <usize>length + 16);
  store<u32>(at, head);
  for (let i: usize = 0; i < count; i++) store<u32>(at + (i << 2), head + load<u32>(documentEnds + (i << 2)) - start, 4);
  memory.copy(at + head, changetype<Buffer>(pending).data + start, end - start);
  return length;
}

export function packerBlockCount(): u32 {
  return <u32>(changetype<Buffer>(rawLengths).length >> 2);
}

/** Pages of the codes or compressed blocks. */
export function packerPages(): usize {
  return pages;
}

/** Buffers of BlocksHeader: first documents, starts, lengths before compression. */
export function packerFirstDocs(): usize {
  return firstDocs;
}

export function packerStarts(): usize {
  return starts;
}

export function packerRawLengths(): usize {
  return rawLengths;
}

export function packerLargestRaw(): u32 {
  return largestRaw;
}

/** Bytes of all documents before compression. */
export function packerRawBytes(): u64 {
  return rawBytes;
}
