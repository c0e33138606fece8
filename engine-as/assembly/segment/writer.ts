/** A finished segment file as a list of chunks: header and section table, pages of the resident part, pages of the rest. */

import { checksumAdd, checksumBegin, checksumEnd } from '../codec/checksum';
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32 } from '../runtime/buffer';
import { PAGE_BYTES, Pages, pageAddress, pageLength, pagesAlign, pagesAppend, pagesCount, pagesCreate } from '../runtime/pages';
import { TOKENIZER_VERSION } from '../text/tables';
import { SECTIONS_REVISION, SEGMENT_MAGIC, SEGMENT_VERSION, SectionEntry, SegmentHeader } from './layout';
import { headerChecksum } from './verify';

/** Alignment of sections in bytes: a cache line. The format requires 16. */
const SECTION_ALIGNMENT: u32 = 64;

let headerAt: usize = 0;
let headerLength: u32 = 0;
let sectionLimit: u32 = 0;
let sectionCount: u32 = 0;
/** Pages of the resident part after the header */
let resident: usize = 0;
/** Buffer of u32: Pages of the sections after the resident part */
let nonResident: usize = 0;
let sectionStart: u64 = 0;

/** Starts a file of at most `sections` sections. */
export function writerBegin(sections: u32): void {
  sectionLimit = sections;
  sectionCount = 0;
  const bytes = <u32>offsetof<SegmentHeader>() + sections * <u32>offsetof<SectionEntry>();
  headerLength = (bytes + SECTION_ALIGNMENT - 1) & ~(SECTION_ALIGNMENT - 1);
  headerAt = alloc(headerLength);
  memory.fill(headerAt, 0, headerLength);
  resident = pagesCreate();
  nonResident = bufferCreate(16);
}

/** Pages that the next section is written to. */
export function sectionBegin(): usize {
  pagesAlign(resident, SECTION_ALIGNMENT);
  sectionStart = changetype<Pages>(resident).length;
  return resident;
}

/** Ends the current section. */
export function sectionEnd(kind: u32, field: u32): void {
  const length = changetype<Pages>(resident).length - sectionStart;
  addEntry(kind, field, <u64>headerLength + sectionStart, length, pagesChecksum(resident, sectionStart));
}

/** Adds a section from contiguous bytes. */
export function sectionOf(kind: u32, field: u32, bytes: usize, length: usize): void {
  pagesAppend(sectionBegin(), bytes, length);
  sectionEnd(kind, field);
}

function addEntry(kind: u32, field: u32, offset: u64, length: u64, checksum: u32): void {
  if (sectionCount === sectionLimit) unreachable();
  const entry = changetype<SectionEntry>(headerAt + offsetof<SegmentHeader>() + <usize>sectionCount * offsetof<SectionEntry>());
  entry.kind = kind;
  entry.field = field;
  entry.offset = offset;
  entry.length = length;
  entry.checksum = checksum;
  sectionCount++;
}

/** Checksum of the pages from `from` (a multiple of 64) to the end. */
function pagesChecksum(pages: usize, from: u64): u32 {
  checksumBegin();
  const first = <u32>(from / PAGE_BYTES);
  let skip = <usize>(from % PAGE_BYTES);
  for (let page = first; page < pagesCount(pages); page++) {
    checksumAdd(pageAddress(pages, page) + skip, <usize>pageLength(pages, page) - skip);
    skip = 0;
  }
  return checksumEnd();
}

/** Adds a section that is not resident; all resident ones must have been added before. */
export function nonResidentSection(kind: u32, field: u32, pages: usize): void {
  if (changetype<Buffer>(nonResident).length === 0) pagesAlign(resident, SECTION_ALIGNMENT);
  else pagesAlign(lastNonResident(), SECTION_ALIGNMENT);
  addEntry(kind, field, fileLength(), changetype<Pages>(pages).length, pagesChecksum(pages, 0));
  bufferPush32(nonResident, <u32>pages);
}

function lastNonResident(): usize {
  const list = changetype<Buffer>(nonResident);
  return load<u32>(list.data + list.length - 4);
}

function residentLength(): u64 {
  return <u64>headerLength + changetype<Pages>(resident).length;
}

function fileLength(): u64 {
  let length = residentLength();
  const list = changetype<Buffer>(nonResident);
  for (let at: usize = 0; at < list.length; at += 4) length += changetype<Pages>(load<u32>(list.data + at)).length;
  return length;
}

/** Completes the header. */
export function writerFinish(docCount: u32, termCount: u32, rawBytes: u64): void {
  const header = changetype<SegmentHeader>(headerAt);
  header.magic = SEGMENT_MAGIC;
  header.version = SEGMENT_VERSION;
  header.docCount = docCount;
  header.termCount = termCount;
  header.sectionCount = sectionCount;
  header.tokenizerVersion = TOKENIZER_VERSION;
  header.revision = SECTIONS_REVISION;
  header.residentLength = residentLength();
  header.fileLength = fileLength();
  header.rawBytes = rawBytes;
  header.checksum = 0;
  const tableBytes = <usize>header.sectionCount * offsetof<SectionEntry>();
  header.checksum = headerChecksum(headerAt, headerAt + offsetof<SegmentHeader>(), tableBytes);
}

export function writerResidentLength(): u64 {
  return changetype<SegmentHeader>(headerAt).residentLength;
}

/** Chunks of the file in order: the header, then pages. */
export function chunkCount(): u32 {
  let count = 1 + pagesCount(resident);
  const list = changetype<Buffer>(nonResident);
  for (let at: usize = 0; at < list.length; at += 4) count += pagesCount(load<u32>(list.data + at));
  return count;
}

@unmanaged
export class FileChunk {
  bytes: usize;
  length: u32;
}

/** FileChunk[{@link chunkCount}] */
export function fileChunks(): usize {
  const chunks = alloc(<usize>chunkCount() * offsetof<FileChunk>());
  const header = changetype<FileChunk>(chunks);
  header.bytes = headerAt;
  header.length = headerLength;
  let at = pagesToChunks(resident, chunks + offsetof<FileChunk>());
  const list = changetype<Buffer>(nonResident);
  for (let next: usize = 0; next < list.length; next += 4) at = pagesToChunks(load<u32>(list.data + next), at);
  return chunks;
}

/** Returns the address after the last chunk. */
function pagesToChunks(pages: usize, at: usize): usize {
  for (let page: u32 = 0; page < pagesCount(pages); page++) {
    const chunk = changetype<FileChunk>(at);
    chunk.bytes = pageAddress(pages, page);
    chunk.length = pageLength(pages, page);
    at += offsetof<FileChunk>();
  }
  return at;
}

/** Appends a Buffer to pages. */
export function appendBuffer(pages: usize, buffer: usize): void {
  pagesAppend(pages, changetype<Buffer>(buffer).data, changetype<Buffer>(buffer).length);
}
