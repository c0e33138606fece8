/** The finished file of a segment as a list of chunks: header and section table, pages of the resident part, pages of documents. */
import { alloc } from '../runtime/arena';
import { Buffer } from '../runtime/buffer';
import { PAGE_BYTES, Pages, pageAddress, pageLength, pagesAlign, pagesAppend, pagesCount, pagesCreate } from '../runtime/pages';
import { checksumAdd, checksumBegin, checksumEnd } from '../store/checksum';
import { TOKENIZER_VERSION } from '../text/tables';
import { SEGMENT_MAGIC, SEGMENT_VERSION, SectionEntry, SegmentHeader } from './layout';
import { headerChecksum } from './view';

/** Sections start at cache lines; the layout asks for 16. */
const SECTION_ALIGNMENT: u32 = 64;

let headerAt: usize = 0;
let headerLength: u32 = 0;
let sectionLimit: u32 = 0;
let sectionCount: u32 = 0;
/** Pages of the resident part after the header */
let resident: usize = 0;
let documents: usize = 0;
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
}

/** Pages that the next section is written to. */
export function sectionBegin(): usize {
  pagesAlign(resident, SECTION_ALIGNMENT);
  sectionStart = changetype<Pages>(resident).length;
  return resident;
}

/** Closes the section that was begun. */
export function sectionEnd(kind: u32, field: u32): void {
  const length = changetype<Pages>(resident).length - sectionStart;
  addEntry(kind, field, <u64>headerLength + sectionStart, length, pagesChecksum(resident, sectionStart));
}

/** A section that is ready in one piece. */
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

/** Ends the resident part, adds the pages of documents as the last section, and seals the header. */
export function writerFinish(kind: u32, documentPages: usize, docCount: u32, termCount: u32, rawBytes: u64): void {
  pagesAlign(resident, SECTION_ALIGNMENT);
  documents = documentPages;
  const residentLength = <u64>headerLength + changetype<Pages>(resident).length;
  const length = changetype<Pages>(documents).length;
  addEntry(kind, 0, residentLength, length, pagesChecksum(documents, 0));
  const header = changetype<SegmentHeader>(headerAt);
  header.magic = SEGMENT_MAGIC;
  header.version = SEGMENT_VERSION;
  header.docCount = docCount;
  header.termCount = termCount;
  header.sectionCount = sectionCount;
  header.tokenizerVersion = TOKENIZER_VERSION;
  header.residentLength = residentLength;
  header.fileLength = residentLength + length;
  header.rawBytes = rawBytes;
  const tableBytes = <usize>sectionCount * offsetof<SectionEntry>();
  header.checksum = headerChecksum(headerAt, headerAt + offsetof<SegmentHeader>(), tableBytes);
}

export function writerResidentLength(): f64 {
  return <f64>changetype<SegmentHeader>(headerAt).residentLength;
}

/** Chunks of the file in order. */
export function chunkCount(): u32 {
  return 1 + pagesCount(resident) + pagesCount(documents);
}

export function chunkPointer(index: u32): usize {
  if (index === 0) return headerAt;
  const page = index - 1;
  const residents = pagesCount(resident);
  return page < residents ? pageAddress(resident, page) : pageAddress(documents, page - residents);
}

export function chunkLength(index: u32): u32 {
  if (index === 0) return headerLength;
  const page = index - 1;
  const residents = pagesCount(resident);
  return page < residents ? pageLength(resident, page) : pageLength(documents, page - residents);
}

/** Appends a Buffer to pages. */
export function appendBuffer(pages: usize, buffer: usize): void {
  pagesAppend(pages, changetype<Buffer>(buffer).data, changetype<Buffer>(buffer).length);
}
