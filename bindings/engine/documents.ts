import type { EngineInstance } from './instance.js';

/** The file of a segment. */
export interface BlockSource {
  /** Fills `into` with `length` bytes from `offset` of the file. */
  read(offset: number, length: number, into: Uint8Array): void;
}

/** Decompressed blocks that an instance keeps, and the room of each; larger ones are not kept. */
const CACHE_SLOTS = 512;
const SLOT_BYTES = 16384;
/** Bytes of an entry of the table at the head of a block. */
const ENTRY = 4;

/**
 * Decompressed blocks, or their beginnings, in one piece of memory, so that reading makes no garbage: each block has one slot where
 * it can be, and takes it from whatever was there.
 */
class BlockCache {
  readonly bytes = new Uint8Array(CACHE_SLOTS * SLOT_BYTES);
  readonly #segments = new Float64Array(CACHE_SLOTS).fill(-1);
  readonly #blocks = new Uint32Array(CACHE_SLOTS);
  readonly #lengths = new Uint32Array(CACHE_SLOTS);

  /** The slot of a block. */
  slot(segment: number, block: number): number {
    return (Math.imul(segment, 0x9e3779b1) + block) & (CACHE_SLOTS - 1);
  }

  /** How many bytes of a block its slot holds. */
  held(slot: number, segment: number, block: number): number {
    return this.#segments[slot] === segment && this.#blocks[slot] === block ? (this.#lengths[slot] as number) : 0;
  }

  put(slot: number, segment: number, block: number, raw: Uint8Array): void {
    this.#segments[slot] = segment;
    this.#blocks[slot] = block;
    this.#lengths[slot] = raw.length;
    this.bytes.set(raw, slot * SLOT_BYTES);
  }
}

const caches = new WeakMap<EngineInstance, BlockCache>();

function cacheOf(instance: EngineInstance): BlockCache {
  let cache = caches.get(instance);
  if (!cache) {
    cache = new BlockCache();
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
    const held = cache.held(slot, segmentId, block);
    const at = slot * SLOT_BYTES;
    const table = (index + 2) * ENTRY;
    if (held >= table && held >= start(cache.bytes, at + table - ENTRY)) return cut(cache.bytes, at, index);
    return instance.scoped(() => {
      // who reads on in a block, as scans do, gets all of it
      const raw = this.#decompress(block, held > 0 ? Number.POSITIVE_INFINITY : index);
      if (raw.length > SLOT_BYTES) return cut(raw, 0, index).slice();
      cache.put(slot, segmentId, block, raw);
      return cut(cache.bytes, at, index);
    });
  }

  /**
   * The raw bytes of a block as far as the end of its document number `index`, in scratch: u32 starts of its documents and their
   * end, then the documents.
   */
  #decompress(block: number, index: number): Uint8Array {
    const { instance, view } = this;
    const length = instance.call('documentBlockLength', view, block);
    const rawLength = instance.call('documentBlockRaw', view, block);
    // the codec works in steps of 16 bytes
    const packed = instance.alloc(length + 16);
    const raw = instance.alloc(rawLength + 16);
    this.source.read(instance.call('documentBlockOffset', view, block), length, instance.bytes.subarray(packed, packed + length));
    const wanted = Math.min(index, 0xffffffff) >>> 0;
    const written = instance.call('documentsDecode', packed, length, raw, rawLength, wanted);
    if (written < 0) throw new Error(`block ${block} of segment ${this.segmentId} is damaged`);
    return instance.bytes.subarray(raw, raw + written);
  }
}

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
