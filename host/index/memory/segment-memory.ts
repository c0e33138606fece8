import fs from 'node:fs';
import path from 'node:path';
import { SegmentHeader } from '../../../bindings/engine/exports.js';
import { isOutdated } from '../../../bindings/engine/segment-arrays.js';
import type { IndexView, SegmentRef } from '../../../bindings/index-types.js';
import type { IndexRecord, StoredSegment } from '../types.js';
import type { Placement, SharedMemories } from './memories.js';
import type { ThreadContext } from './thread-context.js';

/** Bytes read from a file at once: few enough that other work is not delayed. */
const READ_BYTES = 1 << 30;
/** Number of files that are read concurrently. */
const READ_TOGETHER = 4;

interface Resident {
  placement: Placement;
  tombstones: { bitmap: Uint8Array; placement: Placement } | null;
}

/** The segments in shared memory, and their tombstone bitmaps. */
export class SegmentMemory {
  readonly #segments = new Map<number, Resident>();
  #reading = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(
    readonly memories: SharedMemories,
    readonly folder: string,
  ) {}

  /**
   * Reads the resident part of a segment file into shared memory, if possible the memory that holds `neighbours` of its index.
   */
  async load(segment: StoredSegment, neighbours: StoredSegment[] = []): Promise<void> {
    const [neighbour] = neighbours;
    const preferred = neighbour && this.#segments.get(neighbour.id)?.placement.memory;
    const placement = this.memories.place(segment.residentLength, preferred);
    this.#segments.set(segment.id, { placement, tombstones: null });
    if (this.#reading === READ_TOGETHER) await new Promise<void>((turn) => this.#waiting.push(turn));
    else this.#reading++;
    try {
      await this.#read(segment, placement);
    } catch (error) {
      this.memories.free(placement);
      this.#segments.delete(segment.id);
      throw error;
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#reading--;
    }
  }

  async #read(segment: StoredSegment, placement: Placement): Promise<void> {
    const file = await fs.promises.open(path.join(this.folder, segment.file), 'r');
    try {
      for (let done = 0; done < placement.length; ) {
        const bytes = this.memories.bytes(placement);
        const { bytesRead } = await file.read(bytes, done, Math.min(READ_BYTES, placement.length - done), done);
        if (bytesRead === 0) throw new Error(`${segment.file} ends before byte ${placement.length}`);
        done += bytesRead;
      }
    } finally {
      await file.close();
    }
  }

  /**
   * Verifies the checksums of a segment in memory and the length of its file. The non-resident parts are verified when they are
   * read.
   * @throws {Error} when they do not match
   */
  verify({ id, file }: StoredSegment, readerContext: ThreadContext): void {
    const { list } = this.memories;
    readerContext.setMemories(
      list,
      list.map((memory) => memory.buffer.byteLength),
    );
    const { memory, pointer } = (this.#segments.get(id) as Resident).placement;
    const instance = readerContext.instance(memory);
    const whole = path.join(this.folder, file);
    const intact = readerContext.scoped(() => instance.exports.segmentVerify(pointer));
    if (!intact) throw new Error(`the segment file ${whole} is damaged`);
    const { fileLength } = instance.read(SegmentHeader, pointer);
    if (fs.statSync(whole).size < fileLength) throw new Error(`the segment file ${whole} ends before byte ${fileLength}`);
  }

  /** Whether a segment was built by a version with another tokenizer, or with fewer sections. */
  isOutdated({ id }: StoredSegment, readerContext: ThreadContext): boolean {
    const { memory, pointer } = (this.#segments.get(id) as Resident).placement;
    return isOutdated(readerContext.instance(memory).read(SegmentHeader, pointer));
  }

  /** Replaces the tombstones of a segment; the returned function frees the old ones. */
  setTombstones(segment: number, bitmap: Uint8Array): () => void {
    const resident = this.#segments.get(segment) as Resident;
    const old = resident.tombstones;
    if (old?.bitmap === bitmap) return () => {};
    const placement = this.memories.placeIn(resident.placement.memory, bitmap.length);
    this.memories.bytes(placement).set(bitmap);
    resident.tombstones = { bitmap, placement };
    return () => old && this.memories.free(old.placement);
  }

  /** Removes a segment; the returned function frees its memory and deletes its file, unless `keepFile`. */
  remove(segment: StoredSegment, keepFile = false): () => void {
    const resident = this.#segments.get(segment.id);
    this.#segments.delete(segment.id);
    return () => {
      if (resident) this.memories.free(resident.placement);
      if (resident?.tombstones) this.memories.free(resident.tombstones.placement);
      if (!keepFile) fs.rmSync(path.join(this.folder, segment.file), { force: true });
    };
  }

  /** Bytes of a segment and its tombstones in memory; 0 when it is not loaded. */
  bytesOf(segment: number): number {
    const resident = this.#segments.get(segment);
    return (resident?.placement.length ?? 0) + (resident?.tombstones?.placement.length ?? 0);
  }

  /** The view of an index for readers. */
  view(record: IndexRecord, version: number): IndexView {
    const { uid, primaryKey, settings, fields, segments } = record;
    return { uid, version, primaryKey, settings, fields, segments: segments.map((segment) => this.#ref(segment)) };
  }

  #ref({ id, file, docCount, liveCount, residentLength, fileLength }: StoredSegment): SegmentRef {
    const { placement, tombstones } = this.#segments.get(id) as Resident;
    const { memory, pointer } = placement;
    const deleted = tombstones?.placement.pointer ?? 0;
    return { id, file, docCount, liveCount, residentLength, fileLength, memory, pointer, tombstones: deleted };
  }
}
