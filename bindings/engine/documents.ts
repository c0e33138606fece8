import { address, type EngineInstance } from './instance.js';

/** The file of a segment. */
export interface BlockSource {
  /** Fills `into` with `length` bytes from `offset` of the file. */
  read(offset: number, length: number, into: Uint8Array): void;
}

/** Decompressed blocks that an instance keeps, and the room of each; larger ones are not kept. */
const CACHE_SLOTS = 1024;
const SLOT_BYTES = 12288;
/** Most bytes that a block and its compressed form take where blocks usually are decompressed. */
const ROOM_BYTES = 4 * SLOT_BYTES;
/** The codec reads and writes in steps of so many bytes. */
const CODEC_STEP = 16;
/** Bytes of an entry of the table at the head of a block. */
const ENTRY = 4;

/**
 * Decompressed blocks in one piece of memory, so that reading makes no garbage: each block has one slot where it can be, and takes it
 * from whatever was there.
 */
class BlockCache {
  readonly bytes = new Uint8Array(CACHE_SLOTS * SLOT_BYTES);
  readonly #segments = new Float64Array(CACHE_SLOTS).fill(-1);
  readonly #blocks = new Uint32Array(CACHE_SLOTS);
  readonly #filled = new Uint8Array(CACHE_SLOTS);
  /** {@link ROOM_BYTES} in the persistent memory of the instance; void in another generation. */
  #room = 0;
  #generation = -1;

  constructor(readonly instance: EngineInstance) {}

  /** The slot of a block. */
  slot(segment: number, block: number): number {
    return (Math.imul(segment, 0x9e3779b1) + block) & (CACHE_SLOTS - 1);
  }

  /** Is the slot that of the block? It may be empty. */
  isOf(slot: number, segment: number, block: number): boolean {
    return this.#segments[slot] === segment && this.#blocks[slot] === block;
  }

  isFilled(slot: number): boolean {
    return this.#filled[slot] === 1;
  }

  /** Gives the slot to a block, empty. */
  take(slot: number, segment: number, block: number): void {
    this.#segments[slot] = segment;
    this.#blocks[slot] = block;
    this.#filled[slot] = 0;
  }

  fill(slot: number, raw: Uint8Array): void {
    this.#filled[slot] = 1;
    this.bytes.set(raw, slot * SLOT_BYTES);
  }

  /** Address of so many bytes, the same ones each time; 0 when they are too many or there is no room. */
  room(bytes: number): number {
    const { instance } = this;
    if (bytes > ROOM_BYTES) return 0;
    if (this.#room === 0 || instance.generation !== this.#generation) {
      this.#room = address(instance.call('allocPersistent', ROOM_BYTES));
      this.#generation = instance.generation;
    }
    return this.#room;
  }
}

const caches = new WeakMap<EngineInstance, BlockCache>();

function cacheOf(instance: EngineInstance): BlockCache {
  let cache = caches.get(instance);
  if (!cache) {
    cache = new BlockCache(instance);
    caches.set(instance, cache);
  }
  return cache;
}

/** Reads the stored JSON of documents of one open segment. Readers are cheap; hot blocks are kept by instance. */
export class DocumentReader {
  readonly #cache: BlockCache;

  constructor(
    readonly instance: EngineInstance,
    /** Address of the SegmentView. */
    readonly view: number,
    readonly source: BlockSource,
    /** Unique among the segments that the process opens. */
    readonly segmentId: number,
  ) {
    this.#cache = cacheOf(instance);
  }

  /** JSON bytes of the document with a local number: a copy. */
  get(local: number): Uint8Array {
    return this.see(local).slice();
  }

  /** The same for several documents, in the order asked for. */
  getMany(locals: number[]): Uint8Array[] {
    return locals.map((local) => this.get(local));
  }

  /** JSON bytes of the document with a local number, valid until the next document is read. */
  see(local: number): Uint8Array {
    const { instance, view, segmentId } = this;
    const cache = this.#cache;
    const block = instance.exports.documentBlock(view, local);
    const index = local - instance.exports.documentBlockFirst(view, block);
    const slot = cache.slot(segmentId, block);
    if (!cache.isOf(slot, segmentId, block)) {
      // most blocks are read once, for one document: what comes after it is not decompressed, and nothing kept
      cache.take(slot, segmentId, block);
      return cut(this.#decompress(block, index), 0, index);
    }
    if (!cache.isFilled(slot)) {
      const raw = this.#decompress(block, WHOLE);
      if (raw.length > SLOT_BYTES) return cut(raw, 0, index);
      cache.fill(slot, raw);
    }
    return cut(cache.bytes, slot * SLOT_BYTES, index);
  }

  /**
   * The raw bytes of a block as far as the end of its document number `index`: u32 starts of its documents and their end, then the
   * documents. Valid until the next block is read.
   */
  #decompress(block: number, index: number): Uint8Array {
    const { instance, view } = this;
    const length = instance.call('documentBlockLength', view, block);
    const rawLength = instance.call('documentBlockRaw', view, block);
    const bytes = rawLength + length + 2 * CODEC_STEP;
    const decompress = (raw: number): Uint8Array => {
      const packed = raw + rawLength + CODEC_STEP;
      this.source.read(
        instance.call('documentBlockOffset', view, block),
        length,
        instance.bytes.subarray(packed, packed + length),
      );
      const written = instance.call('documentsDecode', packed, length, raw, rawLength, index);
      if (written < 0) throw new Error(`block ${block} of segment ${this.segmentId} is damaged`);
      return instance.bytes.subarray(raw, raw + written);
    };
    const room = this.#cache.room(bytes);
    return room === 0 ? instance.scoped(() => decompress(instance.alloc(bytes)).slice()) : decompress(room);
  }
}

/** No document of a block has this number. */
const WHOLE = 0xffffffff;

/** Document number `index` of the block that begins at `from`. */
function cut(bytes: Uint8Array, from: number, index: number): Uint8Array {
  const entry = from + index * ENTRY;
  return bytes.subarray(from + start(bytes, entry), from + start(bytes, entry + ENTRY));
}

/** A u32 at an address that need not be aligned. */
function start(bytes: Uint8Array, at: number): number {
  const [a, b, c, d] = [bytes[at] as number, bytes[at + 1] as number, bytes[at + 2] as number, bytes[at + 3] as number];
  return a + b * 0x100 + c * 0x10000 + d * 0x1000000;
}
