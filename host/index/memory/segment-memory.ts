import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { LZ_SLACK, SECTION_DOCUMENTS, SectionEntry, SegmentHeader } from '../../../bindings/engine/exports.js';
import { isOutdated } from '../../../bindings/engine/segment-arrays.js';
import type { IndexView, SegmentRef } from '../../../bindings/index-types.js';
import type { IndexRecord, StoredSegment } from '../types.js';
import type { Placement, SharedMemories } from './memories.js';
import type { ThreadContext } from './thread-context.js';

/** Bytes read from a file at once: few enough that other work is not delayed. */
const READ_BYTES = 1 << 30;
/** Number of files that are read concurrently. */
const READ_TOGETHER = 4;

/**
 * Bytes of compressed documents of all segments that are held in memory too: a system call for each hit is a sixth of the time of a
 * short search. The documents of further segments are read from their files.
 */
const DOCUMENT_BYTES = 512 << 20;
/** At most this part of the memory of the machine. */
const DOCUMENT_PART = 32;

interface Resident {
  placement: Placement;
  documents: Placement | null;
  tombstones: { bitmap: Uint8Array; placement: Placement } | null;
}

/** The segments in shared memory, and their tombstone bitmaps. */
export class SegmentMemory {
  readonly #segments = new Map<number, Resident>();
  #reading = 0;
  /** Bytes of documents that may still be placed. */
  #documentRoom: number;
  readonly #waiting: (() => void)[] = [];

  constructor(
    readonly memories: SharedMemories,
    readonly folder: string,
    documentBytes = Math.min(DOCUMENT_BYTES, Math.floor(os.totalmem() / DOCUMENT_PART)),
  ) {
    this.#documentRoom = documentBytes;
  }

  /**
   * Reads the resident part of a segment file, and its documents while there is room, into shared memory: if possible into the memory
   * that holds `neighbours` of its index.
   */
  async load(segment: StoredSegment, neighbours: StoredSegment[] = []): Promise<void> {
    const [neighbour] = neighbours;
    const preferred = neighbour && this.#segments.get(neighbour.id)?.placement.memory;
    const placement = this.memories.place(segment.residentLength, preferred);
    const resident: Resident = { placement, documents: null, tombstones: null };
    this.#segments.set(segment.id, resident);
    if (this.#reading === READ_TOGETHER) await new Promise<void>((turn) => this.#waiting.push(turn));
    else this.#reading++;
    try {
      await this.#read(segment, resident);
    } catch (error) {
      this.remove(segment, true)();
      throw error;
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#reading--;
    }
  }

  async #read(segment: StoredSegment, resident: Resident): Promise<void> {
    const { placement } = resident;
    const file = await fs.promises.open(path.join(this.folder, segment.file), 'r');
    const fill = async (into: Placement, length: number, from: number) => {
      for (let done = 0; done < length; ) {
        const bytes = this.memories.bytes(into);
        const { bytesRead } = await file.read(bytes, done, Math.min(READ_BYTES, length - done), from + done);
        if (bytesRead === 0) throw new Error(`${segment.file} ends before byte ${from + length}`);
        done += bytesRead;
      }
    };
    try {
      await fill(placement, placement.length, 0);
      const { offset, length } = this.#documentsOf(placement);
      if (length + LZ_SLACK > this.#documentRoom || offset + length > segment.fileLength) return;
      const documents = this.memories.placeSpare(placement.memory, length + LZ_SLACK);
      if (!documents) return;
      this.#documentRoom -= documents.length;
      resident.documents = documents;
      await fill(documents, length, offset);
    } finally {
      await file.close();
    }
  }

  /** Where the documents of a segment are in its file. */
  #documentsOf(placement: Placement): { offset: number; length: number } {
    const bytes = this.memories.bytes(placement);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const { sectionCount } = SegmentHeader.read(view, 0);
    // not verified yet: the table may claim anything
    const end = Math.min(SegmentHeader.bytes + sectionCount * SectionEntry.bytes, bytes.length - SectionEntry.bytes + 1);
    for (let at = SegmentHeader.bytes; at < end; at += SectionEntry.bytes) {
      const { kind, offset, length } = SectionEntry.read(view, at);
      if (kind === SECTION_DOCUMENTS) return { offset, length };
    }
    return { offset: 0, length: 0 };
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
      if (resident?.documents) this.#freeDocuments(resident.documents);
      if (resident?.tombstones) this.memories.free(resident.tombstones.placement);
      if (!keepFile) fs.rmSync(path.join(this.folder, segment.file), { force: true });
    };
  }

  #freeDocuments(documents: Placement): void {
    this.memories.free(documents);
    this.#documentRoom += documents.length;
  }

  /** Bytes of a segment, its documents and its tombstones in memory; 0 when it is not loaded. */
  bytesOf(segment: number): number {
    const resident = this.#segments.get(segment);
    if (!resident) return 0;
    const { placement, documents, tombstones } = resident;
    return placement.length + (documents?.length ?? 0) + (tombstones?.placement.length ?? 0);
  }

  /** The view of an index for readers. */
  view(record: IndexRecord, version: number): IndexView {
    const { uid, primaryKey, settings, fields, segments } = record;
    return { uid, version, primaryKey, settings, fields, segments: segments.map((segment) => this.#ref(segment)) };
  }

  #ref({ id, file, docCount, liveCount, residentLength, fileLength }: StoredSegment): SegmentRef {
    const { placement, documents, tombstones } = this.#segments.get(id) as Resident;
    const { memory, pointer } = placement;
    const deleted = tombstones?.placement.pointer ?? 0;
    const kept = documents?.pointer ?? 0;
    return { id, file, docCount, liveCount, residentLength, fileLength, memory, pointer, tombstones: deleted, documents: kept };
  }
}
