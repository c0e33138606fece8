import type { IndexView, SegmentRef } from '../index-types.js';
import { type ReadableSegment, viewDocument } from './documents.js';
import { FilterPlan, PlanSegment, SETS_INTERSECT, SETS_SUBTRACT, SETS_UNITE, Segments, SegmentView } from './exports.js';
import type { BlockSource, EngineInstance } from './instance.js';
import { internalIdOf } from './segment-arrays.js';

/** A segment opened for one request. */
export interface OpenSegment extends ReadableSegment {
  ref: SegmentRef;
  /** First slot of the segment: a multiple of 128. */
  base: number;
}

/** Where a thread finds the engine instance of each memory, and the files of segments. */
export interface SegmentAccess {
  /** The memory that the bitmaps of readers are in; what they need of segments in others is copied. */
  mainMemory(view: IndexView): number;
  instance(memory: number): EngineInstance;
  source(ref: SegmentRef): BlockSource;
}

const SLOT_ALIGNMENT = 128;

/**
 * An index as one request reads it. Its segments are laid out in one space of slots (slot = base + local number), and sets are
 * bitmaps over slots in the scratch memory of {@link instance}. Valid inside one `scoped` job of every instance it uses.
 */
export class IndexReader {
  /** That over the main memory. */
  readonly instance: EngineInstance;
  readonly segments: OpenSegment[] = [];
  /** Number of slots, rounded up to whole SIMD vectors. */
  readonly slotCount: number;
  /** Bytes of a bitmap over all slots. */
  readonly bitmapBytes: number;
  readonly #fieldIds: ReadonlyMap<string, number>;
  readonly #plan: Segments;

  constructor(
    readonly view: IndexView,
    access: SegmentAccess,
  ) {
    const layout = layoutOf(view, access);
    const { instance } = layout;
    this.instance = instance;
    this.slotCount = layout.slotCount;
    this.bitmapBytes = layout.slotCount / 8;
    this.#fieldIds = layout.fieldIds;
    this.#plan = Segments.at(instance.put(layout.plan));
    for (const { instance: owner, views, members } of layout.memories) {
      let view = owner === instance ? this.#plan + layout.viewsAt : owner.put(views);
      for (const { ref, base, source, number } of members) {
        this.segments[number] = { id: ref.id, ref, base, instance: owner, view: SegmentView.at(view), source };
        view += SegmentView.bytes;
      }
    }
    const { words } = instance;
    let at = (this.#plan + Segments.bytes + PlanSegment.offset.view) / WORD;
    for (const { view } of this.segments) {
      words[at] = view;
      at += PlanSegment.bytes / WORD;
    }
  }

  /** Field id of a path; -1 when no document ever had it. */
  fieldId(path: string): number {
    return this.#fieldIds.get(path) ?? -1;
  }

  /** The segments in the engine's form. Also makes them available to callbacks of the engine. */
  inPlan(): Segments {
    this.instance.segments = this.segments;
    return this.#plan;
  }

  /** An empty bitmap over all slots. */
  newBitmap(): number {
    return this.instance.allocZeroed(Math.max(this.bitmapBytes, 16));
  }

  /** Keeps those documents of a bitmap that another one has, too. */
  intersect(bitmap: number, other: number): void {
    this.instance.exports.bitmapCombine(bitmap, other, this.bitmapBytes, SETS_INTERSECT);
  }

  /** Removes the documents that another bitmap has. */
  subtract(bitmap: number, other: number): void {
    this.instance.exports.bitmapCombine(bitmap, other, this.bitmapBytes, SETS_SUBTRACT);
  }

  /** Adds the documents of another bitmap. */
  unite(bitmap: number, other: number): void {
    this.instance.exports.bitmapCombine(bitmap, other, this.bitmapBytes, SETS_UNITE);
  }

  /** The number of documents in a bitmap. */
  count(bitmap: number): number {
    return this.instance.exports.bitmapCount(bitmap, this.bitmapBytes);
  }

  /** A copy of a bitmap. */
  copyOf(bitmap: number): number {
    return this.instance.put(this.instance.bytes.subarray(bitmap, bitmap + this.bitmapBytes));
  }

  /** A bitmap of all documents that are not deleted. */
  liveBitmap(): number {
    return this.instance.exports.selectDocuments(this.inPlan(), this.bitmapBytes, FilterPlan.at(0));
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

  /** The internal id of the document in a slot: it breaks ties. */
  internalId(slot: number): number {
    const segment = this.segmentOf(slot);
    return internalIdOf(segment, slot - segment.base);
  }

  /** The stored JSON of the document in a slot; valid until the next document is read. */
  document(slot: number): Uint8Array {
    const segment = this.segmentOf(slot);
    return viewDocument(segment, slot - segment.base);
  }
}

/** A segment in the layout shared by the readers of one state. */
interface PlacedSegment {
  ref: SegmentRef;
  /** Position among all segments. */
  number: number;
  base: number;
  source: BlockSource;
}

/** What all readers of one state of an index share. */
interface Layout {
  access: SegmentAccess;
  instance: EngineInstance;
  slotCount: number;
  fieldIds: ReadonlyMap<string, number>;
  /**
   * Segments, and the views of those in the memory of the instance, at an offset. Only the addresses of views are left out: they differ
   * between readers.
   */
  plan: Uint8Array;
  viewsAt: number;
  /** By memory: its segments, and a SegmentView of each. */
  memories: { instance: EngineInstance; views: Uint8Array; members: PlacedSegment[] }[];
}

const layouts = new WeakMap<IndexView, Layout>();

function layoutOf(view: IndexView, access: SegmentAccess): Layout {
  let layout = layouts.get(view);
  if (layout?.access !== access) {
    layout = makeLayout(view, access);
    layouts.set(view, layout);
  }
  return layout;
}

function makeLayout(view: IndexView, access: SegmentAccess): Layout {
  const instance = access.instance(access.mainMemory(view));
  const memories = new Map<EngineInstance, PlacedSegment[]>([[instance, []]]);
  const count = view.segments.length;
  const viewsAt = Segments.bytes + count * PlanSegment.bytes;
  const written = new DataView(new ArrayBuffer(viewsAt));
  let slotCount = 0;
  for (const [number, ref] of view.segments.entries()) {
    const { id, docCount, tombstones, memory } = ref;
    const owner = access.instance(memory);
    const members = memories.get(owner) ?? [];
    members.push({ ref, number, base: slotCount, source: access.source(ref) });
    memories.set(owner, members);
    const isHere = owner === instance ? 1 : 0;
    const fields = { id, base: slotCount, docCount, view: SegmentView.at(0), tombstones, isHere };
    PlanSegment.write(written, Segments.bytes + number * PlanSegment.bytes, fields);
    slotCount += Math.ceil(docCount / SLOT_ALIGNMENT) * SLOT_ALIGNMENT;
  }
  Segments.write(written, 0, { count });
  const opened = [...memories].map(([owner, members]) => ({ instance: owner, views: openedViews(owner, members), members }));
  const views = opened[0]?.views ?? new Uint8Array(0);
  const plan = new Uint8Array(viewsAt + views.length);
  plan.set(new Uint8Array(written.buffer));
  plan.set(views, viewsAt);
  return {
    access,
    instance,
    slotCount,
    fieldIds: new Map(view.fields.map((path, id) => [path, id])),
    plan,
    viewsAt,
    memories: opened,
  };
}

/** A copy of the view of each segment. */
function openedViews(instance: EngineInstance, members: readonly PlacedSegment[]): Uint8Array {
  const views = new Uint8Array(members.length * SegmentView.bytes);
  instance.scoped(() => {
    for (const [place, { ref }] of members.entries()) {
      const opened = instance.exports.segmentOpen(ref.pointer);
      instance.words[(opened + SegmentView.offset.documents) / WORD] = ref.documents;
      views.set(instance.bytes.subarray(opened, opened + SegmentView.bytes), place * SegmentView.bytes);
    }
  });
  return views;
}

const WORD = Uint32Array.BYTES_PER_ELEMENT;

/** Bytes of a bitmap over the documents of one segment. */
export function bytesOfDocs(docs: number): number {
  return Math.ceil(docs / SLOT_ALIGNMENT) * (SLOT_ALIGNMENT / 8);
}
