import { hasMember } from '../../../../bindings/engine/bitmaps.js';
import { copyDocument } from '../../../../bindings/engine/documents.js';
import type { EngineInstance } from '../../../../bindings/engine/instance.js';
import { internalIdOf, keyOf } from '../../../../bindings/engine/segment-arrays.js';
import type { IndexReader, OpenSegment } from '../../../../bindings/engine/segments.js';
import { type DocumentVectors, largestGraphs, type StoredGraph, storedVectors } from '../../../../bindings/engine/vectors.js';
import { hasBit } from '../../tombstones.js';

/** Location of a live document. */
export interface StoredLocation {
  /** Position of its segment in the index. */
  segment: number;
  local: number;
  internalId: number;
}

/** Keys are at most this long. */
const MAX_KEY_BYTES = 511;

/** Looks up the live documents of an index in an index thread. Valid within one scope of the reader's engine instances. */
export class StoredDocuments {
  readonly #keys = new Map<EngineInstance, number>();

  constructor(readonly reader: IndexReader) {}

  /** The live document with this key, or null. */
  find(key: Uint8Array): StoredLocation | null {
    if (key.length > MAX_KEY_BYTES) return null;
    const written = new Set<EngineInstance>();
    for (const [index, segment] of this.reader.segments.entries()) {
      const { instance } = segment;
      const pointer = this.#keyBuffer(instance);
      if (!written.has(instance)) instance.bytes.set(key, pointer);
      written.add(instance);
      const local = instance.exports.keyLookup(segment.view, pointer, key.length);
      if (local < 0 || isDeleted(segment, local)) continue;
      return { segment: index, local, internalId: internalIdOf(segment, local) };
    }
    return null;
  }

  /** Documents of a segment, including deleted ones. */
  count(segment: number): number {
    return this.#segment(segment).ref.docCount;
  }

  read({ segment, local }: StoredLocation): Uint8Array {
    return copyDocument(this.#segment(segment), local);
  }

  /** The vectors of a document, by embedder. */
  vectors({ segment, local }: StoredLocation): DocumentVectors[] {
    return storedVectors(this.#segment(segment), local);
  }

  /** The largest vector graphs of the segments, as starting points for new ones. */
  largestGraphs(segments: number[]): StoredGraph[] {
    return largestGraphs(segments.map((segment) => this.#segment(segment)));
  }

  key({ segment, local }: StoredLocation): Uint8Array {
    return keyOf(this.#segment(segment), local);
  }

  /** The live documents selected by a bitmap over the slots of the reader. */
  *selected(bitmap: number): Generator<StoredLocation> {
    const { instance, bitmapBytes } = this.reader;
    const bits = instance.bytes.slice(bitmap, bitmap + bitmapBytes);
    for (const [index, segment] of this.reader.segments.entries()) {
      for (let local = 0; local < segment.ref.docCount; local++) {
        const slot = segment.base + local;
        if (!hasBit(bits, slot) || isDeleted(segment, local)) continue;
        yield { segment: index, local, internalId: internalIdOf(segment, local) };
      }
    }
  }

  /** The live documents of some segments by ascending internal id. */
  *inOrder(segments: number[]): Generator<StoredLocation> {
    const heads: { first: StoredLocation; rest: Generator<StoredLocation> }[] = [];
    const push = (rest: Generator<StoredLocation>) => {
      const { value, done } = rest.next();
      if (!done) heads.push({ first: value, rest });
    };
    for (const segment of segments) push(this.#live(segment));
    while (heads.length) {
      const lowest = heads.reduce((best, head) => (head.first.internalId < best.first.internalId ? head : best));
      yield lowest.first;
      heads.splice(heads.indexOf(lowest), 1);
      push(lowest.rest);
    }
  }

  /** All documents of a segment by ascending local number, including deleted ones. */
  *all(index: number): Generator<{ location: StoredLocation; isLive: boolean }> {
    const segment = this.#segment(index);
    for (let local = 0; local < segment.ref.docCount; local++) {
      const location = { segment: index, local, internalId: internalIdOf(segment, local) };
      yield { location, isLive: !isDeleted(segment, local) };
    }
  }

  *#live(index: number): Generator<StoredLocation> {
    const segment = this.#segment(index);
    for (let local = 0; local < segment.ref.docCount; local++) {
      if (!isDeleted(segment, local)) yield { segment: index, local, internalId: internalIdOf(segment, local) };
    }
  }

  #segment(index: number): OpenSegment {
    return this.reader.segments[index] as OpenSegment;
  }

  #keyBuffer(instance: EngineInstance): number {
    let pointer = this.#keys.get(instance);
    if (pointer === undefined) {
      pointer = instance.alloc(MAX_KEY_BYTES + 1);
      this.#keys.set(instance, pointer);
    }
    return pointer;
  }
}

function isDeleted({ instance, ref }: OpenSegment, local: number): boolean {
  if (ref.tombstones === 0) return false;
  return hasMember(instance, ref.tombstones, local);
}
