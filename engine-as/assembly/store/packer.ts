/**
 * Packs documents into compressed blocks.
 *
 *   block before compression: u32 × (documents + 1) starts within the block, the last one its end · the documents
 */

import { LZ_SLACK, LZ_TABLE_BYTES, lzBound, lzCompress, Sample, sampleCreate } from '../codec/lz';
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32, bufferPush64, bufferRoom } from '../runtime/buffer';
import { Pages, pagesAppend, pagesCreate } from '../runtime/pages';

/**
 * A block is closed when its documents have this many bytes: reading one document decompresses half as much. With a sample, smaller blocks take
 * less space than larger ones without.
 */
const BLOCK_BYTES: usize = 8192;
const SAMPLED_BLOCK_BYTES: usize = 3072;
/** The sample is taken from the first documents with this many bytes; segments with fewer have none. */
const SAMPLED_BYTES: usize = 1 << 20;
/** With a block, it must fit the distances of matches: two bytes. */
const SAMPLE_BYTES: usize = 60000;
/** Documents are compressed together when they have so many bytes, so that the sample stays in the processor's cache. */
const BATCH_BYTES: usize = 1 << 18;

/** Buffer: documents that are not in a block yet */
let pending: usize = 0;
/** Buffer of u32: end of each document in {@link pending} */
let ends: usize = 0;
let sample = changetype<Sample>(0);
let raw: usize = 0;
let packed: usize = 0;
let table: usize = 0;
let pages: usize = 0;
let firstDocs: usize = 0;
let starts: usize = 0;
let rawLengths: usize = 0;
let largestRaw: u32 = 0;
/** documents in blocks */
let packedCount: u32 = 0;
let rawBytes: u64 = 0;

export function packerBegin(): void {
  pending = bufferCreate(BLOCK_BYTES << 2);
  ends = bufferCreate(1024);
  sample = changetype<Sample>(0);
  raw = bufferCreate(BLOCK_BYTES << 2);
  packed = bufferCreate(BLOCK_BYTES << 2);
  table = alloc(LZ_TABLE_BYTES);
  pages = pagesCreate();
  firstDocs = bufferCreate(1024);
  starts = bufferCreate(1024);
  rawLengths = bufferCreate(1024);
  largestRaw = 0;
  packedCount = 0;
  rawBytes = 0;
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
  const hasSample = changetype<usize>(sample) !== 0;
  const many = hasSample ? BATCH_BYTES : SAMPLED_BYTES;
  if (changetype<Buffer>(pending).length < many) return;
  if (!hasSample) sample = takeSample();
  packDocuments(SAMPLED_BLOCK_BYTES, false);
}

/** Pending documents at equal distances, the last one cut where the sample is full. */
function takeSample(): Sample {
  const documents = changetype<Buffer>(pending);
  const list = changetype<Buffer>(ends);
  const step = documents.length / SAMPLE_BYTES + 1;
  const bytes = alloc(SAMPLE_BYTES + LZ_SLACK);
  let length: usize = 0;
  for (let at: usize = 0; at < list.length && length < SAMPLE_BYTES; at += step << 2) {
    const start = at === 0 ? 0 : load<u32>(list.data + at - 4);
    const taken = min<usize>(load<u32>(list.data + at) - start, SAMPLE_BYTES - length);
    memory.copy(bytes + length, documents.data + start, taken);
    length += taken;
  }
  memory.fill(bytes + length, 0, LZ_SLACK);
  return sampleCreate(bytes, <u32>length);
}

/** Packs the pending documents into blocks; unless they are the last ones, those that do not fill a block stay. */
function packDocuments(blockBytes: usize, areLast: bool): void {
  const documents = changetype<Buffer>(pending);
  const list = changetype<Buffer>(ends);
  const count = <u32>(list.length >> 2);
  let first: u32 = 0;
  let start: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const end = load<u32>(list.data + ((<usize>i) << 2));
    if (<usize>(end - start) < blockBytes && !(areLast && i + 1 === count)) continue;
    packBlock(first, i + 1, start, end);
    first = i + 1;
    start = end;
  }
  documents.length -= start;
  memory.copy(documents.data, documents.data + start, documents.length);
  list.length = 0;
  for (let i = first; i < count; i++) bufferPush32(ends, load<u32>(list.data + ((<usize>i) << 2)) - start);
}

/** Packs the pending documents [first, last), whose bytes are [start, end), into a block. */
function packBlock(first: u32, last: u32, start: u32, end: u32): void {
  const count = last - first;
  const documentEnds = changetype<Buffer>(ends).data + ((<usize>first) << 2);
  const head = (count + 1) << 2;
  const length = head + end - start;
  changetype<Buffer>(raw).length = 0;
  // The codec reads a few bytes past the end.
  const at = bufferRoom(raw, <usize>length + 16);
  store<u32>(at, head);
  for (let i: usize = 0; i < <usize>count; i++) store<u32>(at + (i << 2), head + load<u32>(documentEnds + (i << 2)) - start, 4);
  memory.copy(at + head, changetype<Buffer>(pending).data + start, end - start);

  changetype<Buffer>(packed).length = 0;
  const out = bufferRoom(packed, lzBound(length));
  bufferPush32(firstDocs, packedCount);
  bufferPush64(starts, changetype<Pages>(pages).length);
  bufferPush32(rawLengths, length);
  largestRaw = max<u32>(largestRaw, length);
  pagesAppend(pages, out, lzCompress(at, length, sample, out, table));
  packedCount += count;
}

/** Closes the last block and the lists. */
export function packerFinish(): void {
  packDocuments(changetype<usize>(sample) === 0 ? BLOCK_BYTES : SAMPLED_BLOCK_BYTES, true);
  bufferPush32(firstDocs, packedCount);
  bufferPush64(starts, changetype<Pages>(pages).length);
}

/** What the blocks refer to; 0: they refer to nothing. */
export function packerSample(): Sample {
  return sample;
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
