/** SECTION_VECTORS: the resident part of one embedder's vectors; FORMAT.md has the layout. */

import { alloc } from '../runtime/arena';
import { SectionEntry } from '../segment/layout';
import { SECTION_VECTOR_VALUES, SECTION_VECTORS } from '../segment/section-kinds';
import { SegmentView } from '../segment/view';
import { Quantized, rowBytesOf } from './quantized';

/** Components are stored as one bit each, and there are no values in the file. */
export const VECTORS_BINARY: u32 = 1;
/** Vector i belongs to document i, so starts and owners are left out. */
export const VECTORS_ONE_EACH: u32 = 2;

/** Binary vectors are padded to a multiple of this many components; similarity includes the padding. */
export const BINARY_UNIT: u32 = 64;

/** Offsets are from the start of the section; 0: absent. Vectors are numbered by document, in the order within the document. */
@unmanaged
export class VectorsHeader {
  dimensions: u32;
  /** VECTORS_* */
  flags: u32;
  vectorCount: u32;
  /** documents with at least one vector */
  embeddedCount: u32;
  /** bitmap of these */
  embeddedOffset: u32;
  /** bitmap: the vectors are given by the user, or the user has excluded the document from embedding */
  userProvidedOffset: u32;
  /** bitmap: generated anew when the document changes */
  regenerateOffset: u32;
  /** u32[docCount + 1]: first vector of each document */
  startsOffset: u32;
  /** u32[vectorCount]: the document of each vector */
  ownersOffset: u32;
  /** u8[vectorCount]: position in the document, or number of the fragment; left out where all are 0 */
  ordinalsOffset: u32;
  /** u64[vectorCount * dimensions / 64, rounded up]: bits of binary vectors */
  bitsOffset: u32;
  /** components after the padding, of the quantised forms; see quantized.ts */
  components: u32;
  /** f32[components] */
  centroidOffset: u32;
  rowsOffset: u32;
  /** formerly: codes, concatenated */
  reserved: u32;
  /** the greatest scale of a row */
  largestScale: f32;
  /** vectors without a direction, and u32[]: their numbers */
  undirectedCount: u32;
  undirectedOffset: u32;
  /** GraphHeader; see graph.ts */
  graphOffset: u32;
  /** blocks of codes; see codes.ts */
  codesOffset: u32;
}

/** Address of the VectorsHeader of an embedder; 0: the segment has no vectors of this embedder. */
export function vectorsOf(viewPointer: usize, embedder: u32): usize {
  const view = changetype<SegmentView>(viewPointer);
  const entry = entryOf(view, SECTION_VECTORS, embedder);
  return entry ? view.base + <usize>changetype<SectionEntry>(entry).offset : 0;
}

/** Offset in the file of the f32 values of an embedder's vectors; f64 because files may exceed 4 GiB. -1: there are none. */
export function vectorValuesOffset(view: usize, embedder: u32): f64 {
  const entry = entryOf(changetype<SegmentView>(view), SECTION_VECTOR_VALUES, embedder);
  return entry ? <f64>changetype<SectionEntry>(entry).offset : -1;
}

/** There are few embedders, so the section table is scanned from their first section on. */
function entryOf(view: SegmentView, kind: u32, embedder: u32): usize {
  if (view.vectors === 0) return 0;
  for (let pointer = view.vectors; pointer < view.sectionsEnd; pointer += offsetof<SectionEntry>()) {
    const entry = changetype<SectionEntry>(pointer);
    if (entry.kind === kind && entry.field === embedder) return pointer;
  }
  return 0;
}

/** Number of the first vector of a document; for `docCount` the number of vectors. */
export function vectorStart(header: usize, document: u32): u32 {
  const starts = changetype<VectorsHeader>(header).startsOffset;
  return starts ? load<u32>(header + starts + ((<usize>document) << 2)) : document;
}

/** The document of a vector. */
export function vectorOwner(header: usize, vector: u32): u32 {
  const owners = changetype<VectorsHeader>(header).ownersOffset;
  return owners ? load<u32>(header + owners + ((<usize>vector) << 2)) : vector;
}

export function vectorOrdinal(header: usize, vector: u32): u32 {
  const ordinals = changetype<VectorsHeader>(header).ordinalsOffset;
  return ordinals ? <u32>load<u8>(header + ordinals + vector) : 0;
}

/** Bitmaps over the documents of the segment. */
export function embeddedBitmap(header: usize): usize {
  return header + changetype<VectorsHeader>(header).embeddedOffset;
}

/** The quantised vectors, opened in scratch. */
export function quantizedOf(header: usize): Quantized {
  const vectors = changetype<VectorsHeader>(header);
  const quantized = changetype<Quantized>(alloc(offsetof<Quantized>()));
  quantized.count = vectors.vectorCount;
  quantized.components = vectors.components;
  quantized.rowBytes = rowBytesOf(vectors.components);
  quantized.rows = header + vectors.rowsOffset;
  quantized.codes = vectors.codesOffset ? header + vectors.codesOffset : 0;
  quantized.centroid = header + vectors.centroidOffset;
  quantized.centroidSquare = 0;
  quantized.largestScale = vectors.largestScale;
  return quantized;
}

/** Words of 64 bits a binary vector takes. */
export function binaryWords(dimensions: u32): u32 {
  return (dimensions + BINARY_UNIT - 1) / BINARY_UNIT;
}

/** The bits of a binary vector. */
export function vectorBits(header: usize, vector: u32): usize {
  const vectors = changetype<VectorsHeader>(header);
  return header + vectors.bitsOffset + <usize>vector * ((<usize>binaryWords(vectors.dimensions)) << 3);
}
