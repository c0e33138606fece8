/** Whether a segment is one that this version reads, and whether it is intact. */

import { checksum32, checksumAdd, checksumBegin, checksumEnd } from '../codec/checksum';
import { alloc } from '../runtime/arena';
import { OLDEST_SEGMENT_VERSION, SEGMENT_MAGIC, SEGMENT_VERSION, SectionEntry, SegmentHeader } from './layout';

export function isReadable(header: SegmentHeader): bool {
  return header.magic === SEGMENT_MAGIC && header.version >= OLDEST_SEGMENT_VERSION && header.version <= SEGMENT_VERSION;
}

/** Whether the header, the section table and every resident section match their checksums. Reads all of them. */
export function segmentVerify(base: usize): bool {
  const header = changetype<SegmentHeader>(base);
  if (!isReadable(header)) return false;
  const tableBytes = <usize>header.sectionCount * offsetof<SectionEntry>();
  if (offsetof<SegmentHeader>() + tableBytes > <usize>header.residentLength) return false;
  const expected = header.checksum;
  const copy = alloc(offsetof<SegmentHeader>());
  memory.copy(copy, base, offsetof<SegmentHeader>());
  changetype<SegmentHeader>(copy).checksum = 0;
  if (headerChecksum(copy, base + offsetof<SegmentHeader>(), tableBytes) !== expected) return false;
  for (let i: u32 = 0; i < header.sectionCount; i++) {
    const entry = changetype<SectionEntry>(base + offsetof<SegmentHeader>() + <usize>i * offsetof<SectionEntry>());
    if (entry.offset >= header.residentLength) continue;
    if (entry.offset + entry.length > header.residentLength) return false;
    if (checksum32(base + <usize>entry.offset, <usize>entry.length) !== entry.checksum) return false;
  }
  return true;
}

/** Checksum of a header (64 bytes, its checksum field 0) and a section table. */
export function headerChecksum(header: usize, table: usize, tableBytes: usize): u32 {
  checksumBegin();
  checksumAdd(header, offsetof<SegmentHeader>());
  checksumAdd(table, tableBytes);
  return checksumEnd();
}
