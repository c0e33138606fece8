/** Collects the vectors of the documents of a segment under construction, by embedder. */
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32, bufferRoom } from '../runtime/buffer';
import { pagesAppend, pagesCreate } from '../runtime/pages';
import { NONE } from '../segment/layout';
import { setBits } from './binary';
import { Collection } from './collection';
import { SCANNED_BYTES, vectorsScanBytes } from './index-vectors';
import { binaryWords, VECTORS_BINARY } from './layout';

/** States of a document for an embedder. */
export const STATE_USER_PROVIDED: u8 = 1;
export const STATE_REGENERATE: u8 = 2;

/** An embedder's part of a document, except for its vectors: f32 values one after the other, then a u8 ordinal per vector. */
@unmanaged
export class AddedVectors {
  /** its number in the segment */
  document: u32;
  embedder: u32;
  dimensions: u32;
  /** VECTORS_BINARY or 0 */
  flags: u32;
  /** vectors of the document */
  count: u32;
  /** STATE_* */
  state: u32;
  /** number of the first vector in the segment that the {@link OldGraph} of the embedder is from, or NONE */
  origin: u32;
}

/** A graph that the graph of an embedder is to start from: its bytes, at a multiple of 4. */
@unmanaged
export class OldGraph {
  embedder: u32;
  graph: usize;
}

/** Buffer of u32: addresses of Collections, ascending by embedder */
let collections: usize = 0;
/** Buffer for the bits of the vector that is being added */
let bits: usize = 0;

export function vectorsBegin(): void {
  vectorsScanBytes(SCANNED_BYTES);
  collections = bufferCreate(16);
  bits = bufferCreate(1 << 8);
}

export function embedderCount(): u32 {
  return <u32>(changetype<Buffer>(collections).length >> 2);
}

export function collectionAt(index: u32): Collection {
  return changetype<Collection>(load<u32>(changetype<Buffer>(collections).data + ((<usize>index) << 2)));
}

/**
 * Adds the vectors that an embedder has for a document; documents ascend. Returns false when dimensions or flags differ from
 * those of the embedder's other vectors.
 */
export function vectorsAdd(added: AddedVectors, values: usize): bool {
  const dimensions = added.dimensions;
  const flags = added.flags;
  const count = added.count;
  const origin = added.origin;
  const collection = collectionOf(added.embedder, dimensions, flags);
  if (collection.dimensions !== dimensions || collection.flags !== flags) return false;
  skipTo(collection, added.document);
  bufferPush32(collection.starts, collection.vectorCount);
  push8(collection.states, <u8>added.state);
  const ordinals = values + ((<usize>count * dimensions) << 2);
  for (let i: u32 = 0; i < count; i++) {
    if (flags & VECTORS_BINARY) pushBits(collection, values);
    else pagesAppend(collection.values, values, (<usize>dimensions) << 2);
    values += (<usize>dimensions) << 2;
    const ordinal = load<u8>(ordinals + i);
    push8(collection.ordinals, ordinal);
    bufferPush32(collection.origins, origin === NONE ? NONE : origin + i);
    if (ordinal) collection.hasOrdinals = 1;
  }
  collection.vectorCount += count;
  return true;
}

/** Sets the old graphs, OldGraph[count]. Those of embedders without vectors are ignored. */
export function startFrom(graphs: usize, count: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    const old = changetype<OldGraph>(graphs + <usize>i * offsetof<OldGraph>());
    for (let k: u32 = 0; k < embedderCount(); k++) {
      if (collectionAt(k).embedder === old.embedder) collectionAt(k).oldGraph = old.graph;
    }
  }
}

/** Adds documents without vectors up to `document`. */
export function skipTo(collection: Collection, document: u32): void {
  while (<u32>(changetype<Buffer>(collection.starts).length >> 2) < document) {
    bufferPush32(collection.starts, collection.vectorCount);
    push8(collection.states, 0);
  }
}

function push8(buffer: usize, value: u8): void {
  store<u8>(bufferRoom(buffer, 1), value);
  changetype<Buffer>(buffer).length++;
}

function pushBits(collection: Collection, values: usize): void {
  const bytes = (<usize>binaryWords(collection.dimensions)) << 3;
  changetype<Buffer>(bits).length = 0;
  const at = bufferRoom(bits, bytes);
  setBits(values, collection.dimensions, at);
  pagesAppend(collection.values, at, bytes);
}

function collectionOf(embedder: u32, dimensions: u32, flags: u32): Collection {
  const list = changetype<Buffer>(collections);
  const count = embedderCount();
  let place: u32 = 0;
  while (place < count && collectionAt(place).embedder < embedder) place++;
  if (place < count && collectionAt(place).embedder === embedder) return collectionAt(place);
  const collection = changetype<Collection>(alloc(offsetof<Collection>()));
  collection.embedder = embedder;
  collection.dimensions = dimensions;
  collection.flags = flags;
  collection.vectorCount = 0;
  collection.hasOrdinals = 0;
  collection.values = pagesCreate();
  collection.starts = bufferCreate(1 << 8);
  collection.ordinals = bufferCreate(1 << 8);
  collection.states = bufferCreate(1 << 8);
  collection.origins = bufferCreate(1 << 8);
  collection.oldGraph = 0;
  bufferPush32(collections, 0);
  const at = list.data + ((<usize>place) << 2);
  memory.copy(at + 4, at, (<usize>(count - place)) << 2);
  store<u32>(at, <u32>changetype<usize>(collection));
  return collection;
}
