import fs from 'node:fs';
import {
  SectionEntry,
  type SectionEntryFields,
  SegmentHeader,
  type SegmentHeaderFields,
} from '../../../../bindings/engine/exports.js';
import type { EngineInstance } from '../../../../bindings/engine/instance.js';
import { writeAll } from '../../../storage/file-writer.js';
import { SECTIONS } from '../../section-kinds.js';

const ORDER = [...SECTIONS.keys()];

/** Sections are aligned to cache lines. */
const ALIGNMENT = 64;
const COPY_BYTES = 4 << 20;

/** Fills `into` with the bytes from `offset` on. */
type ReadBytes = (offset: number, into: Uint8Array) => void;

/** A section, with access to its bytes. */
export interface Section extends Omit<SectionEntryFields, 'reserved'> {
  read: ReadBytes;
}

/** The header and the sections of a segment, in memory or in a file. */
export interface SegmentSections {
  header: SegmentHeaderFields;
  sections: Section[];
}

export function sectionsOfFile(fd: number): SegmentSections {
  return sectionsIn((offset, into) => {
    for (let done = 0; done < into.length; ) {
      const read = fs.readSync(fd, into, done, into.length - done, offset + done);
      if (read === 0) throw new Error(`a segment file ends before byte ${offset + into.length}`);
      done += read;
    }
  });
}

export function sectionsOfPieces(pieces: readonly Uint8Array[]): SegmentSections {
  return sectionsIn((offset, into) => {
    let start = 0;
    for (const piece of pieces) {
      const from = Math.max(offset, start);
      const to = Math.min(offset + into.length, start + piece.length);
      if (from < to) into.set(piece.subarray(from - start, to - start), from - offset);
      start += piece.length;
    }
  });
}

function sectionsIn(read: ReadBytes): SegmentSections {
  const head = new Uint8Array(SegmentHeader.bytes);
  read(0, head);
  const header = SegmentHeader.read(viewOf(head), 0);
  const table = new Uint8Array(header.sectionCount * SectionEntry.bytes);
  read(SegmentHeader.bytes, table);
  const sections = Array.from({ length: header.sectionCount }, (_, index): Section => {
    return { ...SectionEntry.read(viewOf(table), index * SectionEntry.bytes), read };
  });
  return { header, sections };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Writes a segment from sections of other segments with the same documents. Only offsets in the file change, so the offsets and
 * counts in `header` are computed again.
 * @returns the header as written
 */
export function writeSections(instance: EngineInstance, fd: number, { header, sections }: SegmentSections): SegmentHeaderFields {
  const rank = ({ kind }: Section) => ORDER.indexOf(kind);
  const ordered = [...sections].sort((a, b) => rank(a) - rank(b) || a.field - b.field);
  const places: number[] = [];
  let end = aligned(SegmentHeader.bytes + ordered.length * SectionEntry.bytes);
  let residentLength = end;
  for (const { kind, length } of ordered) {
    end = aligned(end);
    places.push(end);
    end += length;
    if (SECTIONS.get(kind)?.resident) residentLength = aligned(end);
  }
  const written = { ...header, sectionCount: ordered.length, residentLength, fileLength: end };
  writeAll(fd, sealed(instance, written, ordered, places));
  const buffer = new Uint8Array(COPY_BYTES);
  let at = aligned(SegmentHeader.bytes + ordered.length * SectionEntry.bytes);
  for (const [index, section] of ordered.entries()) {
    const place = places[index] as number;
    writeAll(fd, new Uint8Array(place - at));
    for (let done = 0; done < section.length; ) {
      const piece = buffer.subarray(0, Math.min(COPY_BYTES, section.length - done));
      section.read(section.offset + done, piece);
      writeAll(fd, piece);
      done += piece.length;
    }
    at = place + section.length;
  }
  return written;
}

/** The header and the section table with their checksum, padded to the start of the first section. */
function sealed(
  instance: EngineInstance,
  header: SegmentHeaderFields,
  sections: readonly Section[],
  places: readonly number[],
): Uint8Array {
  return instance.scoped(() => {
    const length = aligned(SegmentHeader.bytes + sections.length * SectionEntry.bytes);
    const at = instance.allocZeroed(length);
    SegmentHeader.write(instance.view, at, { ...header, checksum: 0 });
    for (const [index, { kind, field, length: bytes, checksum }] of sections.entries()) {
      const entry = { kind, field, offset: places[index] as number, length: bytes, checksum, reserved: 0 };
      SectionEntry.write(instance.view, at + SegmentHeader.bytes + index * SectionEntry.bytes, entry);
    }
    const checksum = instance.exports.checksum32(at, SegmentHeader.bytes + sections.length * SectionEntry.bytes);
    SegmentHeader.write(instance.view, at, { ...header, checksum });
    return instance.bytes.slice(at, at + length);
  });
}

function aligned(offset: number): number {
  return Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
}
