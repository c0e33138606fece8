/**
 * Reads stored documents of open segments: their codes, or the blocks of small segments and older files. What is not in memory is read from the file
 * by the host.
 */

import { LZ_SLACK, lzDecompress } from '../codec/lz';
import { CODE_BYTES, DISTANCE_MOST, NO_ROOM, PIECES_SLACK, piecesDecode } from '../pieces/decode';
import { alloc, allocPersistent, arenaMark, arenaReset } from '../runtime/arena';
import { readBlock, refuseDamaged } from '../runtime/env';
import { NONE, SegmentHeader } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { cachedDocument, cachedLength, keepDocument } from './document-cache';

/** The JSON of a document, valid until the next one is read. */
@unmanaged
export class StoredDocument {
  json: usize;
  length: u32;
}

/** Bytes for a block and its compressed form, or for a document and the codes that it may refer to, enough for most of them. */
const ROOM_BYTES: usize = 64 << 10;
/** Of these, bytes for a document. */
const DOCUMENT_BYTES: usize = 32 << 10;
/** No document of a block has this number, so the whole block is decompressed. */
const WHOLE: u32 = 0xffffffff;

/** {@link ROOM_BYTES} of persistent memory, allocated on first use; it begins with the block decompressed last. */
let room: usize = 0;
/** That block, and the last document up to which it is decompressed. */
let lastSegment: u32 = NONE;
let lastBlock: u32 = NONE;
let lastUpTo: u32 = 0;
let document: StoredDocument = changetype<StoredDocument>(0);

/**
 * Reads a document of a segment by its local number.
 * @param segment its id, unique among the segments that were ever opened
 */
export function readDocument(view: SegmentView, segment: u32, local: u32): StoredDocument {
  if (room === 0) {
    room = allocPersistent(ROOM_BYTES + offsetof<StoredDocument>());
    document = changetype<StoredDocument>(room === 0 ? alloc(offsetof<StoredDocument>()) : room + ROOM_BYTES);
  }
  const known = cachedDocument(segment, local);
  if (known !== 0) return found(known, cachedLength());
  if (view.pieces !== 0) readCodes(view, segment, local);
  else readFromBlock(view, segment, local);
  keepDocument(segment, local, document.json, document.length);
  return document;
}

/** Reads a document from its codes. One that does not fit into the usual place is decoded in scratch memory. */
function readCodes(view: SegmentView, segment: u32, local: u32): void {
  const entry = view.documentStarts + ((<usize>local) << 2);
  const start = load<u32>(entry);
  const length = (<usize>load<u32>(entry, 4) - start) * CODE_BYTES;
  lastSegment = NONE;
  let first = view.documents;
  let source = first + <usize>start * CODE_BYTES;
  if (view.documents === 0) {
    const before = <usize>min<u32>(start, DISTANCE_MOST) * CODE_BYTES;
    const bytes = before + length;
    first = room !== 0 && DOCUMENT_BYTES + bytes <= ROOM_BYTES ? room + DOCUMENT_BYTES : alloc(bytes);
    source = first + before;
    readBlock(segment, <f64>(view.documentsOffset + (<u64>start * CODE_BYTES - before)), <u32>bytes, first);
  }
  let capacity = <u32>(DOCUMENT_BYTES - PIECES_SLACK);
  const mark = arenaMark();
  let out = room !== 0 ? room : alloc(DOCUMENT_BYTES);
  let decoded = piecesDecode(view.pieces, view.pieceSlots, first, source, source + length, out, capacity);
  while (decoded === NO_ROOM && <u64>capacity < changetype<SegmentHeader>(view.base).rawBytes) {
    arenaReset(mark);
    capacity <<= 1;
    out = alloc(<usize>capacity + PIECES_SLACK);
    decoded = piecesDecode(view.pieces, view.pieceSlots, first, source, source + length, out, capacity);
  }
  if (decoded < 0) refuseDamaged(segment);
  found(out, decoded);
}

/** Reads a document from its block. A block that does not fit into its usual place is decompressed in scratch memory. */
function readFromBlock(view: SegmentView, segment: u32, local: u32): void {
  const block = blockOf(view, local);
  const index = local - load<u32>(view.blockFirstDoc + ((<usize>block) << 2));
  const raw = decompressed(view, segment, block, index);
  const entry = raw + ((<usize>index) << 2);
  const from = load<u32>(entry);
  found(raw + from, load<u32>(entry, 4) - from);
}

function found(json: usize, length: u32): StoredDocument {
  document.json = json;
  document.length = length;
  return document;
}

/** The block that contains a document. */
function blockOf(view: SegmentView, local: u32): u32 {
  assert(local < view.docCount, 'a document beyond the last one');
  // Exponential search from where the block would be if all had the same number of documents.
  let low = <u32>((<u64>local * <u64>view.blockCount) / <u64>view.docCount);
  let high = low;
  let step: u32 = 1;
  while (firstDocument(view, low) > local) {
    high = low - 1;
    low -= min<u32>(low, step);
    step <<= 1;
  }
  step = 1;
  while (high + 1 < view.blockCount && firstDocument(view, high + 1) <= local) {
    low = high + 1;
    high = min<u32>(view.blockCount - 1, high + step);
    step <<= 1;
  }
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (firstDocument(view, middle) <= local) low = middle;
    else high = middle - 1;
  }
  return low;
}

function firstDocument(view: SegmentView, block: u32): u32 {
  return load<u32>(view.blockFirstDoc + ((<usize>block) << 2));
}

/** Address of a block, decompressed up to its document number `index`. */
function decompressed(view: SegmentView, segment: u32, block: u32, index: u32): usize {
  const isLast = lastSegment === segment && lastBlock === block;
  if (isLast && (lastUpTo === WHOLE || lastUpTo >= index)) return room;
  // Most blocks are read for one document: the rest is only decompressed when another one is needed.
  const upTo = isLast ? WHOLE : index;
  const start = view.blockStarts + ((<usize>block) << 3);
  const packedLength = <u32>(load<u64>(start, 8) - load<u64>(start));
  const rawLength = load<u32>(view.blockRaw + ((<usize>block) << 2));
  const isInMemory = view.documents !== 0;
  const bytes = <usize>rawLength + LZ_SLACK + (isInMemory ? 0 : <usize>packedLength + LZ_SLACK);
  const usual = room !== 0 && bytes <= ROOM_BYTES;
  const raw = usual ? room : alloc(bytes);
  if (usual) lastBlock = NONE;
  const packed = isInMemory ? view.documents + <usize>load<u64>(start) : raw + rawLength + LZ_SLACK;
  if (!isInMemory) readBlock(segment, <f64>(view.documentsOffset + load<u64>(start)), packedLength, packed);
  if (!blockDecode(view, packed, packedLength, raw, rawLength, upTo)) refuseDamaged(segment);
  if (usual) {
    lastSegment = segment;
    lastBlock = block;
    lastUpTo = upTo;
  }
  return raw;
}

/**
 * Decompresses a block up to the end of its document number `index`, or completely if it has no such document. False: the block is damaged.
 * `out` has {@link LZ_SLACK} bytes of room beyond `capacity`.
 */
export function blockDecode(view: SegmentView, source: usize, length: u32, out: usize, capacity: u32, index: u32): bool {
  const sample = view.sample;
  const sampleLength = view.sampleLength;
  if (index >= capacity >>> 2)
    return lzDecompress(source, length, sample, sampleLength, out, capacity, capacity) === <i32>capacity;
  const head = (index + 2) << 2;
  const begun = lzDecompress(source, length, sample, sampleLength, out, capacity, head);
  if (begun < <i32>head) return false;
  const end = load<u32>(out + head - 4);
  if (end > capacity) return false;
  return <u32>begun >= end || lzDecompress(source, length, sample, sampleLength, out, capacity, end) >= <i32>end;
}
