/** Writes the sections of the collected vectors. */
import { allocZeroed } from '../runtime/arena';
import { Buffer, bufferPush32 } from '../runtime/buffer';
import { Pages } from '../runtime/pages';
import { bitmapBytes } from '../segment/layout';
import { SECTION_VECTOR_VALUES, SECTION_VECTORS } from '../segment/section-kinds';
import { sectionAlign, sectionAppend, sectionAppendPages, sectionBegin, sectionEnd, sectionOfPages } from '../segment/writer';
import { bitmapAdd } from '../sets/bitmap';
import { blockBytesOf, blockCountOf } from './codes';
import { collectionAt, embedderCount, STATE_REGENERATE, STATE_USER_PROVIDED, skipTo } from './collect';
import { Collection } from './collection';
import { GraphHeader } from './graph';
import { indexVectors } from './index-vectors';
import { VECTORS_BINARY, VECTORS_ONE_EACH, VectorsHeader } from './layout';
import { Quantized } from './quantized';

/** Arrays in the section are aligned to this. */
const ALIGNMENT: u32 = 16;

/** The resident sections; `ids`: u32[documents] internal ids. */
export function vectorsWrite(documents: u32, ids: usize): void {
  for (let i: u32 = 0; i < embedderCount(); i++) vectorSection(collectionAt(i), documents, ids);
}

/** The values, which are not resident: after the documents. */
export function vectorValuesWrite(): void {
  for (let i: u32 = 0; i < embedderCount(); i++) {
    const collection = collectionAt(i);
    if (!(collection.flags & VECTORS_BINARY)) sectionOfPages(SECTION_VECTOR_VALUES, collection.embedder, collection.values);
  }
}

let sectionLength: u32 = 0;

/** Offset of the next array, of `bytes` bytes. */
function place(bytes: u32): u32 {
  const at = sectionLength;
  sectionLength = (at + bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
  return at;
}

function vectorSection(collection: Collection, documents: u32, ids: usize): void {
  skipTo(collection, documents);
  bufferPush32(collection.starts, collection.vectorCount);
  const header = changetype<VectorsHeader>(allocZeroed(offsetof<VectorsHeader>()));
  const bitmap = bitmapBytes(documents);
  const oneEach = isOneEach(collection, documents);
  sectionLength = 0;
  place(<u32>offsetof<VectorsHeader>());
  header.dimensions = collection.dimensions;
  header.flags = collection.flags | (oneEach ? VECTORS_ONE_EACH : 0);
  header.vectorCount = collection.vectorCount;
  header.embeddedOffset = place(bitmap);
  header.userProvidedOffset = place(bitmap);
  header.regenerateOffset = place(bitmap);
  if (!oneEach) {
    header.startsOffset = place((documents + 1) << 2);
    header.ownersOffset = place(collection.vectorCount << 2);
  }
  if (collection.hasOrdinals) header.ordinalsOffset = place(collection.vectorCount);
  const small = sectionLength;
  const section = allocZeroed(small);
  if (!oneEach) {
    memory.copy(section + header.startsOffset, changetype<Buffer>(collection.starts).data, (<usize>documents + 1) << 2);
    writeOwners(collection, documents, section + header.ownersOffset);
  }
  header.embeddedCount = writeBitmaps(collection, documents, section, header);
  if (collection.hasOrdinals) {
    memory.copy(section + header.ordinalsOffset, changetype<Buffer>(collection.ordinals).data, collection.vectorCount);
  }

  sectionBegin();
  if (collection.flags & VECTORS_BINARY) {
    header.bitsOffset = place(<u32>changetype<Pages>(collection.values).length);
    memory.copy(section, changetype<usize>(header), offsetof<VectorsHeader>());
    sectionAppend(section, small);
    sectionAppendPages(collection.values);
  } else if (collection.vectorCount === 0) {
    memory.copy(section, changetype<usize>(header), offsetof<VectorsHeader>());
    sectionAppend(section, small);
  } else {
    const index = indexVectors(collection, section + header.ownersOffset, oneEach, ids);
    const quantized = changetype<Quantized>(index.quantized);
    header.components = quantized.components;
    header.largestScale = quantized.largestScale;
    header.centroidOffset = place(quantized.components << 2);
    header.rowsOffset = place(quantized.count * quantized.rowBytes);
    const codesBytes = blockCountOf(quantized.count) * blockBytesOf(quantized.components);
    header.codesOffset = place(codesBytes);
    header.undirectedCount = <u32>(changetype<Buffer>(index.undirected).length >> 2);
    if (header.undirectedCount) header.undirectedOffset = place(header.undirectedCount << 2);
    if (index.graph) header.graphOffset = place(changetype<GraphHeader>(index.graph).length);
    memory.copy(section, changetype<usize>(header), offsetof<VectorsHeader>());
    sectionAppend(section, small);
    appendAligned(quantized.centroid, quantized.components << 2);
    appendAligned(quantized.rows, quantized.count * quantized.rowBytes);
    appendAligned(quantized.codes, codesBytes);
    if (header.undirectedCount) appendAligned(changetype<Buffer>(index.undirected).data, header.undirectedCount << 2);
    if (index.graph) appendAligned(index.graph, changetype<GraphHeader>(index.graph).length);
  }
  sectionEnd(SECTION_VECTORS, collection.embedder);
}

function appendAligned(bytes: usize, length: u32): void {
  sectionAppend(bytes, length);
  sectionAlign(ALIGNMENT);
}

function startOf(collection: Collection, document: u32): u32 {
  return load<u32>(changetype<Buffer>(collection.starts).data + ((<usize>document) << 2));
}

function isOneEach(collection: Collection, documents: u32): bool {
  if (collection.vectorCount !== documents) return false;
  for (let document: u32 = 0; document < documents; document++) if (startOf(collection, document) !== document) return false;
  return true;
}

function writeOwners(collection: Collection, documents: u32, owners: usize): void {
  for (let document: u32 = 0; document < documents; document++) {
    const end = startOf(collection, document + 1);
    for (let vector = startOf(collection, document); vector < end; vector++)
      store<u32>(owners + ((<usize>vector) << 2), document);
  }
}

/** Returns the number of documents with vectors. */
function writeBitmaps(collection: Collection, documents: u32, section: usize, header: VectorsHeader): u32 {
  const states = changetype<Buffer>(collection.states).data;
  let embedded: u32 = 0;
  for (let document: u32 = 0; document < documents; document++) {
    const state = load<u8>(states + document);
    if (state & STATE_USER_PROVIDED) bitmapAdd(section + header.userProvidedOffset, document);
    if (state & STATE_REGENERATE) bitmapAdd(section + header.regenerateOffset, document);
    if (startOf(collection, document) === startOf(collection, document + 1)) continue;
    bitmapAdd(section + header.embeddedOffset, document);
    embedded++;
  }
  return embedded;
}
