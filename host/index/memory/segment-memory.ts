import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { LZ_SLACK, SegmentHeader } from '../../../bindings/engine/exports.js';
import { isOutdated } from '../../../bindings/engine/segment-arrays.js';
import { documentsRange, type FileRange } from '../../../bindings/engine/segment-file.js';
import type { IndexView, SegmentRef } from '../../../bindings/index-types.js';
import type { IndexRecord, StoredSegment } from '../record.js';
import type { Placement, SharedMemories } from './memories.js';
import { SegmentFile } from './segment-file.js';
import type { ThreadContext } from './thread-context.js';

/** Bytes read from a file at once. */
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
/** Documents up to this many bytes are read with their segment: faster than telling all threads later that they are held. */
const READ_WITH_SEGMENT_BYTES = 1 << 20;
/** Bytes of documents that are read at once, beside searches. */
const DOCUMENT_READ_BYTES = 8 << 20;

interface Resident {
  placement: Placement;
  /** Where its documents are held; null: they are read from the file. */
  documents: Placement | null;
  tombstones: { bitmap: Uint8Array; placement: Placement } | null;
}

/** The segments in shared memory, and their tombstone bitmaps. */
export class SegmentMemory {
  readonly #segments = new Map<number, Resident>();
  #reading = 0;
  /** Bytes of documents that may still be placed. */
  #documentRoom: number;
  /** Loaded segments whose documents {@link holdDocuments} reads. */
  readonly #documentsToLoad: StoredSegment[] = [];
  #isHolding = false;
  /** Files that are being removed. */
  readonly #removals = new Set<Promise<boolean>>();
  #closed = false;
  readonly #waiting: (() => void)[] = [];

  constructor(
    readonly memories: SharedMemories,
    readonly folder: string,
    documentBytes = Math.min(DOCUMENT_BYTES, Math.floor(os.totalmem() / DOCUMENT_PART)),
  ) {
    this.#documentRoom = documentBytes;
  }

  /**
   * Reads the resident part of a segment file into shared memory: if possible into the memory that holds `neighbours` of its index. Few
   * documents are read too, many by {@link holdDocuments}.
   */
  async load(segment: StoredSegment, neighbours: StoredSegment[] = []): Promise<void> {
    const [neighbour] = neighbours;
    const preferred = neighbour && this.#segments.get(neighbour.id)?.placement.memory;
    const placement = this.memories.place(segment.residentLength, preferred);
    const resident: Resident = { placement, documents: null, tombstones: null };
    this.#segments.set(segment.id, resident);
    if (this.#reading === READ_TOGETHER) await new Promise<void>((resolve) => this.#waiting.push(resolve));
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
    const file = await SegmentFile.open(this.folder, segment);
    try {
      await file.read({ offset: 0, length: placement.length }, () => this.memories.bytes(placement), READ_BYTES);
      const documents = this.#documentsOf(placement);
      if (documents.length > READ_WITH_SEGMENT_BYTES) this.#documentsToLoad.push(segment);
      else await this.#readDocuments(file, segment, resident, documents);
    } finally {
      await file.close();
    }
  }

  /**
   * Reads the documents of all loaded segments while there is room, one file after the other.
   * @param held called with the id of each segment whose documents are in memory from now on
   */
  async holdDocuments(held: (segment: number) => void): Promise<void> {
    if (this.#isHolding) return;
    this.#isHolding = true;
    try {
      for (let segment = this.#documentsToLoad.shift(); segment && !this.#closed; segment = this.#documentsToLoad.shift()) {
        // what cannot be read now is read, and refused, when a search shows it
        if (await this.#hold(segment).catch(() => false)) held(segment.id);
      }
    } finally {
      this.#isHolding = false;
    }
  }

  async #hold(segment: StoredSegment): Promise<boolean> {
    const resident = this.#segments.get(segment.id);
    if (!resident) return false;
    const file = await SegmentFile.open(this.folder, segment);
    try {
      return await this.#readDocuments(file, segment, resident, this.#documentsOf(resident.placement));
    } finally {
      await file.close();
    }
  }

  /** False: there is no room, or the segment was removed meanwhile. */
  async #readDocuments(file: SegmentFile, segment: StoredSegment, resident: Resident, range: FileRange): Promise<boolean> {
    const { offset, length } = range;
    if (length + LZ_SLACK > this.#documentRoom || offset + length > segment.fileLength) return false;
    const documents = this.memories.placeSpare(resident.placement.memory, length + LZ_SLACK);
    if (!documents) return false;
    this.#documentRoom -= documents.length;
    const isWanted = () => this.#segments.get(segment.id) === resident && !this.#closed;
    const into = () => this.memories.bytes(documents);
    const isRead = await file.read(range, into, DOCUMENT_READ_BYTES, isWanted).catch(() => false);
    if (isRead && isWanted()) resident.documents = documents;
    else this.#freeDocuments(documents);
    return resident.documents !== null;
  }

  /** Ends reading, and waits for removals of files. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#removals);
  }

  /** Where the documents of a segment are in its file. */
  #documentsOf(placement: Placement): FileRange {
    const bytes = this.memories.bytes(placement);
    return documentsRange(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
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
      if (!keepFile) this.#removeFile(segment);
    };
  }

  /**
   * Asynchronous, because removing a file may wait for the journal of the file system, and searches should not. A file that is
   * left is removed at the next start.
   */
  #removeFile({ file }: StoredSegment): void {
    const removal: Promise<boolean> = fs.promises.unlink(path.join(this.folder, file)).then(
      () => this.#removals.delete(removal),
      () => this.#removals.delete(removal),
    );
    this.#removals.add(removal);
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
