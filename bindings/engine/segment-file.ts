import { SECTION_DOCUMENTS, SectionEntry, SegmentHeader } from './exports.js';

/** Bytes of a segment file. */
export interface FileRange {
  offset: number;
  length: number;
}

/**
 * Where the documents of a segment are in its file; nowhere when it has none. @param resident the resident part of the file, not
 * necessarily verified: its table of sections may claim anything
 */
export function documentsRange(resident: DataView): FileRange {
  const { sectionCount } = SegmentHeader.read(resident, 0);
  const end = Math.min(SegmentHeader.bytes + sectionCount * SectionEntry.bytes, resident.byteLength - SectionEntry.bytes + 1);
  for (let at = SegmentHeader.bytes; at < end; at += SectionEntry.bytes) {
    const { kind, offset, length } = SectionEntry.read(resident, at);
    if (kind === SECTION_DOCUMENTS) return { offset, length };
  }
  return { offset: 0, length: 0 };
}
