import type { IndexView, SegmentRef } from '../index-types.js';
import { type ReadableSegment, seeDocument } from './documents.js';
import { PlanSegment, Segments, type SegmentsFields } from './exports.js';
import type { BlockSource, EngineInstance } from './instance.js';

/** A segment opened for one request. */
export interface OpenSegment extends ReadableSegment {
  ref: SegmentRef;
  /** First slot of the segment: a multiple of 128. */
  base: number;
}

/** Where a worker finds the engine for each memory of the process, and the files of segments. */
export interface SegmentHome {
  instance(memory: number): EngineInstance;
  source(ref: SegmentRef): BlockSource;
}

const SLOT_ALIGNMENT = 128;

/**
 * An index as one request reads it: its segments laid out in one space of slots (slot = base + local number), sets as bitmaps
 * over slots in the scratch memory of {@link instance}. It lives inside one `scoped` job of every instance it uses.
 */
export class IndexReader {
  readonly segments: OpenSegment[] = [];
  /** Slots in use, rounded up to whole SIMD lanes. */
  readonly slotCount: number;
  /** Bytes of a bitmap over all slots. */
  readonly bitmapBytes: number;
  readonly #fieldIds: ReadonlyMap<string, number>;
  readonly #plan: SegmentsFields & { at: Segments };

  constructor(
    readonly view: IndexView,
    readonly instance: EngineInstance,
    home: SegmentHome,
  ) {
    let base = 0;
    for (const ref of view.segments) {
      const instanceOf = home.instance(ref.memory);
      const opened = instanceOf.exports.segmentOpen(ref.pointer);
      this.segments.push({ id: ref.id, ref, base, instance: instanceOf, view: opened, source: home.source(ref) });
      base += Math.ceil(ref.docCount / SLOT_ALIGNMENT) * SLOT_ALIGNMENT;
    }
    this.slotCount = base;
    this.bitmapBytes = base / 8;
    this.#fieldIds = fieldIdsOf(view);
    this.#plan = putSegments(instance, this.segments);
  }

  /** Field id of a path, or -1 when no document ever had it. */
  fieldId(path: string): number {
    return this.#fieldIds.get(path) ?? -1;
  }

  /** The segments as the engine reads them: what it is asked next may be about them. */
  inPlan(): SegmentsFields & { at: Segments } {
    this.instance.segments = this.segments;
    return this.#plan;
  }

  /** An empty bitmap over all slots. */
  newBitmap(): number {
    return this.instance.exports.allocZeroed(Math.max(this.bitmapBytes, 16));
  }

  /** A bitmap of the documents that are not deleted. */
  liveBitmap(): number {
    const live = this.newBitmap();
    for (const segment of this.segments) {
      this.onSegment(segment, live, (instance, bitmap) => {
        instance.exports.bitmapFill(bitmap, segment.ref.docCount);
        if (segment.ref.tombstones) {
          instance.exports.bitmapAndNot(bitmap, segment.ref.tombstones, bytesOfDocs(segment.ref.docCount));
        }
      });
    }
    return live;
  }

  /**
   * Runs a job of the engine on the part of a bitmap that belongs to a segment. Where the segment lives in another memory the
   * job works on a copy there, which is copied back.
   */
  onSegment(segment: OpenSegment, bitmap: number, job: (instance: EngineInstance, bitmap: number) => void): void {
    const start = bitmap + segment.base / 8;
    if (segment.instance === this.instance) {
      job(this.instance, start);
      return;
    }
    const bytes = bytesOfDocs(segment.ref.docCount);
    const foreign = segment.instance;
    foreign.scoped(() => {
      const copy = foreign.alloc(bytes);
      foreign.bytes.set(this.instance.bytes.subarray(start, start + bytes), copy);
      job(foreign, copy);
      this.instance.bytes.set(foreign.bytes.subarray(copy, copy + bytes), start);
    });
  }

  /** The segments, those of one memory together. */
  byMemory(): OpenSegment[][] {
    const groups = new Map<EngineInstance, OpenSegment[]>();
    for (const segment of this.segments) {
      const group = groups.get(segment.instance);
      if (group) group.push(segment);
      else groups.set(segment.instance, [segment]);
    }
    return [...groups.values()];
  }

  /** The segment of a slot. */
  segmentOf(slot: number): OpenSegment {
    let low = 0;
    let high = this.segments.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.segments[middle] as OpenSegment).base <= slot) low = middle;
      else high = middle - 1;
    }
    return this.segments[low] as OpenSegment;
  }

  /** The stored JSON of the document in a slot, valid until the next document is read. */
  document(slot: number): Uint8Array {
    const segment = this.segmentOf(slot);
    return seeDocument(segment, slot - segment.base);
  }
}

function putSegments(instance: EngineInstance, segments: readonly OpenSegment[]): SegmentsFields & { at: Segments } {
  const list = segments.map(({ id, ref, base, view, instance: home }) => ({
    id,
    base,
    docCount: ref.docCount,
    view,
    tombstones: ref.tombstones,
    isHere: home === instance ? 1 : 0,
  }));
  const fields = { list: instance.putStructures(PlanSegment, list), count: segments.length };
  return { ...fields, at: instance.putStructures(Segments, [fields]) };
}

/** Path -> field id, made once for each state of an index. */
const fieldIds = new WeakMap<IndexView, ReadonlyMap<string, number>>();

function fieldIdsOf(view: IndexView): ReadonlyMap<string, number> {
  let ids = fieldIds.get(view);
  if (!ids) {
    ids = new Map(view.fields.map((path, id) => [path, id]));
    fieldIds.set(view, ids);
  }
  return ids;
}

/** Bytes of a bitmap over the documents of one segment. */
export function bytesOfDocs(docs: number): number {
  return Math.ceil(docs / SLOT_ALIGNMENT) * (SLOT_ALIGNMENT / 8);
}
