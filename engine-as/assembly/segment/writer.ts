/**
 * Writes a segment file piece by piece to the host: the sections as they are made, through one page that is used again, then the
 * header and the section table, which are at the beginning of the file. So no finished section is in memory.
 */

import { checksumAdd, checksumBegin, checksumEnd } from '../codec/checksum';
import { alloc } from '../runtime/arena';
import { Buffer } from '../runtime/buffer';
import { copyBytes } from '../runtime/copy';
import { writeFile } from '../runtime/env';
import { pageAddress, pageLength, pagesCount } from '../runtime/pages';
import { TOKENIZER_VERSION } from '../text/tables';
import { SECTIONS_REVISION, SEGMENT_MAGIC, SEGMENT_VERSION, SectionEntry, SegmentHeader } from './layout';
import { headerChecksum } from './verify';

/** Alignment of sections in bytes: a cache line. The format requires 16. */
const SECTION_ALIGNMENT: u32 = 64;
/** Bytes that are written at once: a multiple of the alignment of sections, and so of the steps of the checksum. */
const PAGE_BYTES: usize = 1 << 18;

const ZEROS: StaticArray<u64> = [0, 0, 0, 0, 0, 0, 0, 0];

let headerAt: usize = 0;
let headerLength: u32 = 0;
let sectionLimit: u32 = 0;
let sectionCount: u32 = 0;
/** The end of the file so far: bytes that are written, the page, and how much of it is filled */
let written: u64 = 0;
let page: usize = 0;
let filled: usize = 0;
/** Bytes of the page that are in the checksum of the current section, or before it */
let checked: usize = 0;
let sectionStart: u64 = 0;
let residentLength: u64 = 0;

/** Starts a file of at most `sections` sections. */
export function writerBegin(sections: u32): void {
  sectionLimit = sections;
  sectionCount = 0;
  const bytes = <u32>offsetof<SegmentHeader>() + sections * <u32>offsetof<SectionEntry>();
  headerLength = (bytes + SECTION_ALIGNMENT - 1) & ~(SECTION_ALIGNMENT - 1);
  headerAt = alloc(headerLength);
  memory.fill(headerAt, 0, headerLength);
  page = alloc(PAGE_BYTES);
  written = headerLength;
  filled = 0;
  checked = 0;
}

function position(): u64 {
  return written + <u64>filled;
}

/** Begins a section, whose bytes are then appended. */
export function sectionBegin(): void {
  sectionAlign(SECTION_ALIGNMENT);
  sectionStart = position();
  checked = filled;
  checksumBegin();
}

/** Bytes of the current section so far. */
export function sectionLength(): u64 {
  return position() - sectionStart;
}

export function sectionAppend(bytes: usize, length: usize): void {
  let from = bytes;
  let left = length;
  while (left > 0) {
    const count = min<usize>(left, PAGE_BYTES - filled);
    copyBytes(page + filled, from, count);
    filled += count;
    from += count;
    left -= count;
    if (filled === PAGE_BYTES) writePage();
  }
}

export function sectionAppendBuffer(buffer: usize): void {
  sectionAppend(changetype<Buffer>(buffer).data, changetype<Buffer>(buffer).length);
}

export function sectionAppendPages(pages: usize): void {
  for (let i: u32 = 0; i < pagesCount(pages); i++) sectionAppend(pageAddress(pages, i), pageLength(pages, i));
}

/** Appends zeros up to a multiple of `alignment` (a power of two, at most 64) in the file; sections begin at multiples of 64. */
export function sectionAlign(alignment: u32): void {
  const rest = <u32>position() & (alignment - 1);
  if (rest) sectionAppend(changetype<usize>(ZEROS), alignment - rest);
}

function writePage(): void {
  checksumAdd(page + checked, filled - checked);
  writeFile(page, <u32>filled, <f64>written);
  written += filled;
  filled = 0;
  checked = 0;
}

/** Ends the current section. */
export function sectionEnd(kind: u32, field: u32): void {
  checksumAdd(page + checked, filled - checked);
  if (sectionCount === sectionLimit) unreachable();
  const entry = changetype<SectionEntry>(headerAt + offsetof<SegmentHeader>() + <usize>sectionCount * offsetof<SectionEntry>());
  entry.kind = kind;
  entry.field = field;
  entry.offset = sectionStart;
  entry.length = sectionLength();
  entry.checksum = checksumEnd();
  sectionCount++;
}

/** Adds a section from contiguous bytes. */
export function sectionOf(kind: u32, field: u32, bytes: usize, length: usize): void {
  sectionBegin();
  sectionAppend(bytes, length);
  sectionEnd(kind, field);
}

/** Adds a section from Pages. */
export function sectionOfPages(kind: u32, field: u32, pages: usize): void {
  sectionBegin();
  sectionAppendPages(pages);
  sectionEnd(kind, field);
}

/** Ends the resident part: the sections that follow are read from the file. */
export function residentEnd(): void {
  sectionAlign(SECTION_ALIGNMENT);
  residentLength = position();
}

/** Writes what is left, and the header. */
export function writerFinish(docCount: u32, termCount: u32, rawBytes: u64): SegmentHeader {
  if (filled > 0) writePage();
  const header = changetype<SegmentHeader>(headerAt);
  header.magic = SEGMENT_MAGIC;
  header.version = SEGMENT_VERSION;
  header.docCount = docCount;
  header.termCount = termCount;
  header.sectionCount = sectionCount;
  header.tokenizerVersion = TOKENIZER_VERSION;
  header.revision = SECTIONS_REVISION;
  header.residentLength = residentLength;
  header.fileLength = position();
  header.rawBytes = rawBytes;
  header.checksum = 0;
  const tableBytes = <usize>header.sectionCount * offsetof<SectionEntry>();
  header.checksum = headerChecksum(headerAt, headerAt + offsetof<SegmentHeader>(), tableBytes);
  writeFile(headerAt, headerLength, 0);
  return header;
}
