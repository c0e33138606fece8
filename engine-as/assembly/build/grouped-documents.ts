/**
 * Documents of many numbers (such as terms). They are found in the order of the documents, for any number, and grouped by number at the end:
 * see {@link groupDocuments}.
 */
import { alloc } from '../runtime/arena';
import { BLOCK_BYTES, blockAlloc } from '../runtime/blocks';
import { Buffer, bufferCreate, bufferPush32 } from '../runtime/buffer';
import { putVarint } from '../runtime/varint';
import { NONE } from '../segment/layout';

/** Growth increment of a list, in bytes: a part of a block. */
const CHUNK_BYTES: usize = BLOCK_BYTES >> 2;
/** Bytes of an encoded document, at most. */
export const MAX_DOCUMENT_BYTES: usize = 5;

@unmanaged
export class FoundDocument {
  number: u32;
  document: u32;
}

@unmanaged
export class FoundDocuments {
  /** Buffer of u32 addresses of chunks of CHUNK_BYTES, all full but the last */
  chunks: usize;
  at: usize;
  end: usize;
  count: u32;
}

/** The rest of the block from which chunks are taken. */
let room: usize = 0;
let roomEnd: usize = 0;

/** Must be called before the lists of a segment. */
export function foundListsBegin(): void {
  room = 0;
  roomEnd = 0;
}

function chunkAlloc(): usize {
  if (room === roomEnd) {
    room = blockAlloc();
    roomEnd = room + BLOCK_BYTES;
  }
  room += CHUNK_BYTES;
  return room - CHUNK_BYTES;
}

export function foundBegin(found: FoundDocuments): void {
  found.chunks = bufferCreate(64);
  found.at = 0;
  found.end = 0;
  found.count = 0;
}

/** Adds a document of a number; documents ascend, and may come several times. */
export function foundAdd(found: FoundDocuments, number: u32, document: u32): void {
  if (found.at === found.end) {
    found.at = chunkAlloc();
    found.end = found.at + CHUNK_BYTES;
    bufferPush32(found.chunks, <u32>found.at);
  }
  const entry = changetype<FoundDocument>(found.at);
  entry.number = number;
  entry.document = document;
  found.at += offsetof<FoundDocument>();
  found.count++;
}

/** Bits of a number by which one pass of {@link groupDocuments} sorts: the counts of the bins stay in the cache of a processor. */
const DIGIT_BITS: u32 = 11;
const BINS: usize = 1 << DIGIT_BITS;

/** Memory for grouping lists one after the other. */
@unmanaged
export class Grouping {
  /** FoundDocument[], each as many as the longest list has */
  entries: usize;
  spare: usize;
  /** u32[BINS] */
  counts: usize;
}

/** @param most documents of the longest list */
export function groupingCreate(most: u32): Grouping {
  const grouping = changetype<Grouping>(alloc(offsetof<Grouping>()));
  grouping.entries = alloc(<usize>most * offsetof<FoundDocument>() + 16);
  grouping.spare = alloc(<usize>most * offsetof<FoundDocument>() + 16);
  grouping.counts = alloc(BINS << 2);
  return grouping;
}

/**
 * The documents by ascending number: FoundDocument[found.count], in one of the two arrays of `grouping`. The numbers are below `numbers`. The
 * time does not depend on how many numbers have no document: a list is sorted by radix.
 */
export function groupDocuments(found: FoundDocuments, numbers: u32, grouping: Grouping): usize {
  let from = grouping.entries;
  let to = grouping.spare;
  copyChunks(found, from);
  const bytes = <usize>found.count * offsetof<FoundDocument>();
  for (let shift: u32 = 0; shift < 32 && numbers >>> shift > 0; shift += DIGIT_BITS) {
    const counts = grouping.counts;
    memory.fill(counts, 0, BINS << 2);
    for (let at = from; at < from + bytes; at += offsetof<FoundDocument>()) {
      const bin = binOf(counts, changetype<FoundDocument>(at).number >>> shift);
      store<u32>(bin, load<u32>(bin) + 1);
    }
    let before: u32 = 0;
    for (let bin = counts; bin < counts + (BINS << 2); bin += 4) {
      const size = load<u32>(bin);
      store<u32>(bin, before);
      before += size;
    }
    for (let at = from; at < from + bytes; at += offsetof<FoundDocument>()) {
      const bin = binOf(counts, changetype<FoundDocument>(at).number >>> shift);
      const place = load<u32>(bin);
      store<u32>(bin, place + 1);
      store<u64>(to + <usize>place * offsetof<FoundDocument>(), load<u64>(at));
    }
    const done = from;
    from = to;
    to = done;
  }
  return from;
}

function binOf(counts: usize, digits: u32): usize {
  return counts + ((<usize>digits & (BINS - 1)) << 2);
}

function copyChunks(found: FoundDocuments, to: usize): void {
  const chunks = changetype<Buffer>(found.chunks);
  let at = to;
  for (let chunk: usize = 0; chunk < chunks.length; chunk += 4) {
    const begin = chunkAt(chunks, chunk);
    const length = chunkEnd(found, chunks, chunk) - begin;
    memory.copy(at, begin, length);
    at += length;
  }
}

function chunkAt(chunks: Buffer, chunk: usize): usize {
  return load<u32>(chunks.data + chunk);
}

function chunkEnd(found: FoundDocuments, chunks: Buffer, chunk: usize): usize {
  return chunk + 4 === chunks.length ? found.at : chunkAt(chunks, chunk) + CHUNK_BYTES;
}

/** The end of the documents in [from, to), grouped, that have the number of the first one. */
export function groupEnd(from: usize, to: usize): usize {
  const number = changetype<FoundDocument>(from).number;
  let at = from + offsetof<FoundDocument>();
  while (at < to && changetype<FoundDocument>(at).number === number) at += offsetof<FoundDocument>();
  return at;
}

/** Encodes the documents of FoundDocument in [from, to), grouped, that have the same number. */
export function encodeGroup(from: usize, to: usize, out: usize): usize {
  return encodeDocuments(from + offsetof<FoundDocument>('document'), to, offsetof<FoundDocument>(), out);
}

/**
 * Encodes ascending documents, a u32 every `step` bytes from `from` to `to`, each once: varints, each the difference to the one before, the
 * first to -1. Returns their end.
 */
export function encodeDocuments(from: usize, to: usize, step: usize, out: usize): usize {
  let at = out;
  let last = NONE;
  for (let next = from; next < to; next += step) {
    const document = load<u32>(next);
    if (document === last) continue;
    at = putVarint(at, document - last);
    last = document;
  }
  return at;
}
