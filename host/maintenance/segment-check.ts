import fs from 'node:fs';
import {
  OLDEST_SEGMENT_VERSION,
  SECTION_BLOCKS,
  SECTION_COLUMN,
  SECTION_DOC_IDS,
  SECTION_DOCUMENT_SAMPLE,
  SECTION_DOCUMENT_STARTS,
  SECTION_PIECES,
  SECTION_VECTOR_VALUES,
  SECTION_VECTORS,
  SEGMENT_MAGIC,
  SEGMENT_VERSION,
  SectionEntry,
  SegmentHeader,
} from '../../bindings/engine/exports.js';
import type { EngineInstance } from '../../bindings/engine/instance.js';
import type { StoredSegment } from '../index/record.js';
import { SECTIONS } from '../index/section-kinds.js';

/** Sections without which documents cannot be located, or would be read with other text. */
const NEEDED: readonly number[] = [
  SECTION_DOC_IDS,
  SECTION_BLOCKS,
  SECTION_DOCUMENT_SAMPLE,
  SECTION_PIECES,
  SECTION_DOCUMENT_STARTS,
];

/** Sections that have the number of an embedder in the field of column sections. */
const OF_VECTORS: readonly number[] = [SECTION_VECTORS, SECTION_VECTOR_VALUES];

export interface SegmentCheck {
  /** The problems found, one line each. */
  problems: string[];
  /** Whether at least some documents can be read. */
  readable: boolean;
  /** Numbers of the embedders whose vectors are damaged. */
  lostVectors: number[];
}

const beyondReading = (problem: string): SegmentCheck => ({ problems: [problem], readable: false, lostVectors: [] });

/** Compares a segment file with its manifest entry and its own checksums. @param instance a private engine instance */
export function checkSegment(instance: EngineInstance, file: string, { docCount, fileLength }: StoredSegment): SegmentCheck {
  let fd: number;
  try {
    fd = fs.openSync(file, 'r');
  } catch (error) {
    return beyondReading(`cannot be opened: ${(error as Error).message}`);
  }
  try {
    const length = fs.fstatSync(fd).size;
    const sections = readTable(instance, fd, length);
    if (!sections) return beyondReading('its header is damaged');
    if (sections.header.docCount !== docCount || sections.header.fileLength !== fileLength)
      return beyondReading('it is another segment');
    const damaged = sections.entries.filter((entry) => !isIntact(instance, fd, length, entry));
    return {
      problems: damaged.map(({ kind, field }) => {
        const name = SECTIONS.get(kind)?.name ?? `section ${kind}`;
        return `its ${name}${kind === SECTION_COLUMN ? ` of field ${field}` : ''} ${length < fileLength ? 'end too early or are' : 'are'} damaged`;
      }),
      readable: !damaged.some(({ kind }) => NEEDED.includes(kind)),
      lostVectors: damaged.filter(({ kind }) => OF_VECTORS.includes(kind)).map(({ field }) => field),
    };
  } finally {
    fs.closeSync(fd);
  }
}

type Header = ReturnType<typeof SegmentHeader.read>;
type Entry = ReturnType<typeof SectionEntry.read>;

/** The header and section table; null when they are damaged. */
function readTable(instance: EngineInstance, fd: number, length: number): { header: Header; entries: Entry[] } | null {
  const head = Buffer.alloc(SegmentHeader.bytes);
  if (fs.readSync(fd, head, 0, head.length, 0) < head.length) return null;
  const header = SegmentHeader.read(viewOf(head), 0);
  const { magic, version } = header;
  if (magic !== SEGMENT_MAGIC || version < OLDEST_SEGMENT_VERSION || version > SEGMENT_VERSION) return null;
  const bytes = SegmentHeader.bytes + header.sectionCount * SectionEntry.bytes;
  if (bytes > length) return null;
  const table = Buffer.alloc(bytes);
  if (fs.readSync(fd, table, 0, bytes, 0) < bytes) return null;
  const view = viewOf(table);
  SegmentHeader.write(view, 0, { ...header, checksum: 0 });
  const found = instance.scoped(() => instance.exports.checksum32(instance.put(table), bytes));
  if (found !== header.checksum) return null;
  const entries = Array.from({ length: header.sectionCount }, (_, i) =>
    SectionEntry.read(view, SegmentHeader.bytes + i * SectionEntry.bytes),
  );
  return { header, entries };
}

function isIntact(instance: EngineInstance, fd: number, fileLength: number, { offset, length, checksum }: Entry): boolean {
  if (offset + length > fileLength) return false;
  return instance.scoped(() => {
    const at = instance.alloc(length);
    for (let done = 0; done < length; ) {
      const read = fs.readSync(fd, instance.bytes, at + done, length - done, offset + done);
      if (read === 0) return false;
      done += read;
    }
    return instance.exports.checksum32(at, length) === checksum;
  });
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}
