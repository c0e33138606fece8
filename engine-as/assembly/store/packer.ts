/**
 * Packs documents into compressed blocks.
 *
 *   block before compression: u32 × (documents + 1) starts within the block, the last one its end · the documents
 */
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32, bufferPush64, bufferRoom } from '../runtime/buffer';
import { Pages, pagesAppend, pagesCreate } from '../runtime/pages';
import { LZ_TABLE_BYTES, lzBound, lzCompress, lzDecompress } from './lz';

/** A block is closed when its documents reach this many bytes: reading one document decompresses about as much. */
const BLOCK_BYTES: usize = 8192;

/** documents of the open block */
let pending: usize = 0;
/** u32 ends of the documents in {@link pending} */
let ends: usize = 0;
let raw: usize = 0;
let packed: usize = 0;
let table: usize = 0;
let pages: usize = 0;
let firstDocs: usize = 0;
let starts: usize = 0;
let rawLengths: usize = 0;
let largestRaw: u32 = 0;
let documentCount: u32 = 0;
let rawBytes: u64 = 0;

export function packerBegin(): void {
  pending = bufferCreate(BLOCK_BYTES << 2);
  ends = bufferCreate(1024);
  raw = bufferCreate(BLOCK_BYTES << 2);
  packed = bufferCreate(BLOCK_BYTES << 2);
  table = alloc(LZ_TABLE_BYTES);
  pages = pagesCreate();
  firstDocs = bufferCreate(1024);
  starts = bufferCreate(1024);
  rawLengths = bufferCreate(1024);
  largestRaw = 0;
  documentCount = 0;
  rawBytes = 0;
}

/** Memory for a document of `length` bytes, which {@link packerAdd} then adds. */
export function packerRoom(length: u32): usize {
  return bufferRoom(pending, <usize>length + 16);
}

/** Adds the `length` bytes written to {@link packerRoom}. They stay in place until the next call. */
export function packerAdd(length: u32): void {
  const buffer = changetype<Buffer>(pending);
  buffer.length += length;
  bufferPush32(ends, <u32>buffer.length);
  documentCount++;
  rawBytes += length;
}

/** Closes the block when it is full. */
export function packerFlushFull(): void {
  if (changetype<Buffer>(pending).length >= BLOCK_BYTES) packerFlush();
}

function packerFlush(): void {
  const list = changetype<Buffer>(ends);
  const count = <u32>(list.length >> 2);
  if (count === 0) return;
  const documents = changetype<Buffer>(pending);
  const head = (count + 1) << 2;
  const length = head + <u32>documents.length;
  const block = changetype<Buffer>(raw);
  block.length = 0;
  // The codec reads a few bytes past the end.
  const at = bufferRoom(raw, <usize>length + 16);
  store<u32>(at, head);
  for (let i: u32 = 0; i < count; i++) store<u32>(at + ((<usize>i) << 2), head + load<u32>(list.data + ((<usize>i) << 2)), 4);
  memory.copy(at + head, documents.data, documents.length);

  changetype<Buffer>(packed).length = 0;
  const out = bufferRoom(packed, lzBound(length));
  bufferPush32(firstDocs, documentCount - count);
  bufferPush64(starts, changetype<Pages>(pages).length);
  bufferPush32(rawLengths, length);
  largestRaw = max<u32>(largestRaw, length);
  pagesAppend(pages, out, lzCompress(at, length, out, table));
  documents.length = 0;
  list.length = 0;
}

/** Closes the last block and the lists. */
export function packerFinish(): void {
  packerFlush();
  bufferPush32(firstDocs, documentCount);
  bufferPush64(starts, changetype<Pages>(pages).length);
}

export function packerBlockCount(): u32 {
  return <u32>(changetype<Buffer>(rawLengths).length >> 2);
}

/** Pages of the compressed blocks. */
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

/**
 * Decompresses a block up to the end of its document number `index`, or completely if it has no such document. Returns the number of bytes
 * written, or -1 when the block is damaged. `out` has {@link LZ_SLACK} bytes of room beyond `capacity`.
 */
export function documentsDecode(source: usize, length: u32, out: usize, capacity: u32, index: u32): i32 {
  if (index >= capacity >>> 2) return whole(lzDecompress(source, length, out, capacity, capacity), capacity);
  const head = (index + 2) << 2;
  const begun = lzDecompress(source, length, out, capacity, head);
  if (begun < <i32>head) return -1;
  const end = load<u32>(out + head - 4);
  if (end > capacity) return -1;
  if (<u32>begun >= end) return begun;
  const written = lzDecompress(source, length, out, capacity, end);
  return written < <i32>end ? -1 : written;
}

function whole(written: i32, capacity: u32): i32 {
  return written === <i32>capacity ? written : -1;
}
