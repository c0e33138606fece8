/**
 * Documents of many numbers (such as terms). They are found in the order of the documents, for any number, and grouped by number at the end:
 * see {@link groupDocuments}.
 */
import { BLOCK_BYTES, blockAlloc } from '../runtime/blocks';
import { Buffer, bufferCreate, bufferPush32 } from '../runtime/buffer';
import { putVarint } from '../runtime/varint';

const NONE: u32 = 0xffffffff;
/** Growth increment of a list, in bytes: a part of a block. */
const CHUNK_BYTES: usize = BLOCK_BYTES >> 2;
/** Bytes of an encoded document, at most. */
export const MAX_DOCUMENT_BYTES: usize = 5;

@unmanaged
class FoundDocument {
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

/**
 * Writes the documents of the numbers below `numbers` one number after the other: u32[found.count]. `ends`: u32[numbers + 1], afterwards the
 * end of the documents of each number.
 */
export function groupDocuments(found: FoundDocuments, numbers: u32, ends: usize, documents: usize): void {
  memory.fill(ends, 0, (<usize>numbers + 1) << 2);
  const chunks = changetype<Buffer>(found.chunks);
  for (let chunk: usize = 0; chunk < chunks.length; chunk += 4) {
    for (let at = chunkAt(chunks, chunk); at < chunkEnd(found, chunks, chunk); at += offsetof<FoundDocument>()) {
      const place = ends + ((<usize>changetype<FoundDocument>(at).number + 1) << 2);
      store<u32>(place, load<u32>(place) + 1);
    }
  }
  for (let number: u32 = 1; number <= numbers; number++) {
    const place = ends + ((<usize>number) << 2);
    store<u32>(place, load<u32>(place) + load<u32>(place - 4));
  }
  for (let chunk: usize = 0; chunk < chunks.length; chunk += 4) {
    for (let at = chunkAt(chunks, chunk); at < chunkEnd(found, chunks, chunk); at += offsetof<FoundDocument>()) {
      const entry = changetype<FoundDocument>(at);
      const place = ends + ((<usize>entry.number) << 2);
      const next = load<u32>(place);
      store<u32>(documents + ((<usize>next) << 2), entry.document);
      store<u32>(place, next + 1);
    }
  }
}

function chunkAt(chunks: Buffer, chunk: usize): usize {
  return load<u32>(chunks.data + chunk);
}

function chunkEnd(found: FoundDocuments, chunks: Buffer, chunk: usize): usize {
  return chunk + 4 === chunks.length ? found.at : chunkAt(chunks, chunk) + CHUNK_BYTES;
}

/** Encodes ascending documents, u32 in [from, to), each once: varints, each the difference to the one before, the first to -1. */
export function encodeDocuments(from: usize, to: usize, out: usize): usize {
  let at = out;
  let last = NONE;
  for (let next = from; next < to; next += 4) {
    const document = load<u32>(next);
    if (document === last) continue;
    at = putVarint(at, document - last);
    last = document;
  }
  return at;
}
