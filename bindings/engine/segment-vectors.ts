import {
  BINARY_UNIT,
  GraphHeader,
  SECTION_VECTOR_VALUES,
  SECTION_VECTORS,
  SectionEntry,
  type SectionEntryFields,
  SegmentView,
  VECTORS_BINARY,
  VectorsHeader,
  type VectorsHeaderFields,
} from './exports.js';
import type { EngineInstance } from './instance.js';
import type { OpenSegment } from './segments.js';

/** The states for which a segment has a bitmap of documents, per embedder. */
export type VectorState = 'embedded' | 'userProvided' | 'regenerate';

const STATE_BITMAPS = {
  embedded: 'embeddedOffset',
  userProvided: 'userProvidedOffset',
  regenerate: 'regenerateOffset',
} as const satisfies Record<VectorState, keyof VectorsHeaderFields>;

const WORD = Uint32Array.BYTES_PER_ELEMENT;

/** The vectors of an embedder in one segment: see VectorsHeader of the engine. */
export class SegmentVectors {
  readonly instance: EngineInstance;
  readonly fields: VectorsHeaderFields;

  constructor(
    readonly segment: OpenSegment,
    readonly embedder: number,
    /** Address of the VectorsHeader. */
    readonly header: number,
  ) {
    this.instance = segment.instance;
    this.fields = this.instance.read(VectorsHeader, header);
  }

  get dimensions(): number {
    return this.fields.dimensions;
  }

  get isBinary(): boolean {
    return (this.fields.flags & VECTORS_BINARY) !== 0;
  }

  /** Number of the first vector of a document; for the number after the last document, the number of vectors. */
  start(local: number): number {
    const { startsOffset } = this.fields;
    return startsOffset === 0 ? local : (this.instance.words[(this.header + startsOffset) / WORD + local] as number);
  }

  ordinal(vector: number): number {
    const { ordinalsOffset } = this.fields;
    return ordinalsOffset === 0 ? 0 : (this.instance.bytes[this.header + ordinalsOffset + vector] as number);
  }

  /** Address of the bitmap of documents in a state. */
  bitmap(state: VectorState): number {
    return this.header + this.fields[STATE_BITMAPS[state]];
  }

  /** Address of the bits of a binary vector. */
  bits(vector: number): number {
    const bytes = (Math.ceil(this.dimensions / BINARY_UNIT) * BINARY_UNIT) / 8;
    return this.header + this.fields.bitsOffset + vector * bytes;
  }

  /** The values of vectors, read from the file. */
  values(first: number, count: number): Float32Array {
    const { segment, embedder, dimensions } = this;
    const values = new Float32Array(count * dimensions);
    const section = sectionsOf(segment, SECTION_VECTOR_VALUES).find(({ field }) => field === embedder) as SectionEntryFields;
    const offset = section.offset + first * dimensions * values.BYTES_PER_ELEMENT;
    segment.source.read(offset, values.byteLength, new Uint8Array(values.buffer), 0);
    return values;
  }

  get hasGraph(): boolean {
    return this.fields.graphOffset !== 0;
  }

  /** A copy of the bytes of the graph. */
  graph(): Uint8Array {
    const at = this.header + this.fields.graphOffset;
    return this.instance.bytes.slice(at, at + this.instance.read(GraphHeader, at).length);
  }
}

/** The vectors of an embedder in a segment; null when it has none for any document. */
export function vectorsIn(segment: OpenSegment, embedder: number): SegmentVectors | null {
  const entry = sectionsOf(segment, SECTION_VECTORS).find(({ field }) => field === embedder);
  return entry ? new SegmentVectors(segment, embedder, segment.ref.pointer + entry.offset) : null;
}

/** Numbers of the embedders with vectors or states in a segment, ascending. */
export function embeddersOf(segment: OpenSegment): number[] {
  return sectionsOf(segment, SECTION_VECTORS).map(({ field }) => field);
}

/** Entries of one kind in the table of a segment, from the first section of vectors on: by ascending embedder. */
function sectionsOf({ instance, view }: OpenSegment, kind: number): SectionEntryFields[] {
  const { vectors, sectionsEnd } = SegmentView.offset;
  const { words } = instance;
  const end = words[(view + sectionsEnd) / WORD] as number;
  const entries: SectionEntryFields[] = [];
  for (let at = words[(view + vectors) / WORD] as number; at !== 0 && at < end; at += SectionEntry.bytes) {
    const entry = instance.read(SectionEntry, at);
    if (entry.kind === kind) entries.push(entry);
  }
  return entries;
}
