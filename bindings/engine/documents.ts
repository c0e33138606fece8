import type { EngineInstance } from './instance.js';

/** The file of a segment. */
export interface BlockSource {
  /** Fills `into` with `length` bytes from `offset` of the file. */
  read(offset: number, length: number, into: Uint8Array): void;
}

/** Bytes of decompressed blocks that an instance keeps. */
const CACHE_BYTES = 8 << 20;

/** Decompressed blocks by segment and number; the least recently used go first. */
class BlockCache {
  readonly #blocks = new Map<string, Uint8Array>();
  #bytes = 0;

  get(key: string): Uint8Array | undefined {
    const block = this.#blocks.get(key);
    if (block) {
      this.#blocks.delete(key);
      this.#blocks.set(key, block);
    }
    return block;
  }

  set(key: string, block: Uint8Array): void {
    if (block.length > CACHE_BYTES / 8) return;
    this.#blocks.set(key, block);
    this.#bytes += block.length;
    for (const [oldest, bytes] of this.#blocks) {
      if (this.#bytes <= CACHE_BYTES) break;
      this.#blocks.delete(oldest);
      this.#bytes -= bytes.length;
    }
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
    const block = this.instance.call('documentBlock', this.view, local);
    return cut(this.#block(block), local - this.instance.call('documentBlockFirst', this.view, block));
  }

  /** The same for several documents, in the order asked for. */
  getMany(locals: number[]): Uint8Array[] {
    return locals.map((local) => this.get(local));
  }

  /** The raw bytes of a block: u32 starts of its documents and their end, then the documents. */
  #block(block: number): Uint8Array {
    const key = `${this.segmentId}/${block}`;
    let raw = this.#cache.get(key);
    if (!raw) {
      raw = this.#decompress(block);
      this.#cache.set(key, raw);
    }
    return raw;
  }

  #decompress(block: number): Uint8Array {
    const { instance, view } = this;
    return instance.scoped(() => {
      const length = instance.call('documentBlockLength', view, block);
      const packed = instance.alloc(length + 16);
      this.source.read(
        instance.call('documentBlockOffset', view, block),
        length,
        instance.bytes.subarray(packed, packed + length),
      );
      const rawLength = instance.call('documentBlockRaw', view, block);
      const raw = instance.alloc(rawLength + 16);
      if (instance.call('documentsDecode', packed, length, raw, rawLength) !== rawLength) {
        throw new Error(`block ${block} of segment ${this.segmentId} is damaged`);
      }
      return instance.bytes.slice(raw, raw + rawLength);
    });
  }
}

/** Document number `index` of a block. */
function cut(block: Uint8Array, index: number): Uint8Array {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  return block.slice(view.getUint32(index * 4, true), view.getUint32(index * 4 + 4, true));
}
