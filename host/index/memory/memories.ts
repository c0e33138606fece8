import { UNIT_BYTES } from '../../../bindings/engine/exports.js';
import { type ScratchPool, STATIC_END } from '../../../bindings/engine/instance.js';
import { Allocator } from './allocator.js';

const PAGE_BYTES = 65536;
const MAX_PAGES = 65536;
/** The last page is not used: addresses must stay below 2^32. */
const ADDRESS_LIMIT = (MAX_PAGES - 1) * PAGE_BYTES;
/** Bytes kept free of segments, because tombstones must be in the memory of their segment, however full it is. */
const RESERVED_BYTES = 128 << 20;
/** Smallest growth of a memory, in bytes, so that growth is rare. */
const GROWTH_BYTES = 64 << 20;
const BLOCK_BYTES = PAGE_BYTES;

/**
 * The fixed part of a memory: the arenas of all readers, the shared pool of scratch memory, and the shared word lists. Address
 * space is free: a page takes no memory before it is written.
 *
 *   | static data of the module | arena of reader 0 | arena of reader 1 | … | pool | word lists | segments and tombstones |
 *   0                  STATIC_END                                                              heapStart
 */
export interface ArenaLayout {
  /** Number of threads that read: search threads, then index threads. */
  readers: number;
  persistentBytes: number;
  /** Bytes of scratch memory of each reader's own. */
  scratchBytes: number;
  /** Units of the pool that all readers share. */
  poolUnits: number;
  /** Bytes of every word list; 0: this installation lacks it. */
  wordLists: readonly number[];
}

/** Bytes per memory for results and documents that are kept between queries: of all readers together, and of one reader. */
const PERSISTENT_BYTES = 448 << 20;
const MAX_PERSISTENT_BYTES = 112 << 20;
/** Bytes of scratch memory that most searches need: each reader has them without allocating from the pool. */
const OWN_SCRATCH_BYTES = 2 << 20;
/** Bytes of the pool per reader, and bounds for the whole pool. */
const POOL_BYTES_PER_READER = 8 << 20;
const MIN_POOL_BYTES = 512 << 20;
const MAX_POOL_BYTES = 1 << 30;
/** Bytes that one reader may allocate from the pool: a search that needs more is refused. */
const SCRATCH_LIMIT = 256 << 20;

/**
 * The default layout. Results of long posting lists are kept in persistent memory: the larger it is, the less often they are
 * evicted and recomputed. Scratch memory grows on demand, whatever the number of readers.
 */
export function arenaLayout(readers: number, wordLists: readonly number[] = []): ArenaLayout {
  const pool = Math.min(MAX_POOL_BYTES, Math.max(MIN_POOL_BYTES, readers * POOL_BYTES_PER_READER));
  return {
    readers,
    persistentBytes: wholeBlocks(Math.min(MAX_PERSISTENT_BYTES, PERSISTENT_BYTES / readers)),
    scratchBytes: OWN_SCRATCH_BYTES,
    poolUnits: Math.floor(pool / UNIT_BYTES),
    wordLists,
  };
}

function wholeBlocks(bytes: number): number {
  return Math.floor(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

/** Address range of a reader's arena, the same in every memory. */
export function arenaOf(layout: ArenaLayout, reader: number): { start: number; persistentBytes: number; end: number } {
  const { persistentBytes, scratchBytes } = layout;
  const start = STATIC_END + reader * (persistentBytes + scratchBytes);
  return { start, persistentBytes, end: start + persistentBytes + scratchBytes };
}

/** The pool as a reader uses it, the same in every memory: its table, then its units. */
export function scratchPoolOf(layout: ArenaLayout, reader: number): ScratchPool {
  const table = arenaOf(layout, layout.readers).start;
  const tableBytes = Math.ceil((layout.poolUnits * Uint32Array.BYTES_PER_ELEMENT) / BLOCK_BYTES) * BLOCK_BYTES;
  return { table, units: table + tableBytes, count: layout.poolUnits, owner: reader + 1, limit: SCRATCH_LIMIT };
}

/** Offset of the words from the start of a word list's place: the state before them has a cache line of its own. */
export const WORD_LIST_OFFSET = 64;

/** Addresses of the word lists, the same in every memory: each has a state (i32), then the bytes. */
export function wordListPlaces(layout: ArenaLayout): { starts: number[]; end: number } {
  const starts: number[] = [];
  const { units, count } = scratchPoolOf(layout, 0);
  let end = units + count * UNIT_BYTES;
  for (const bytes of layout.wordLists) {
    starts.push(end);
    if (bytes > 0) end += Math.ceil((WORD_LIST_OFFSET + bytes) / BLOCK_BYTES) * BLOCK_BYTES;
  }
  return { starts, end };
}

/** A range of bytes in one of the memories. */
export interface Placement {
  memory: number;
  pointer: number;
  length: number;
}

/**
 * The shared memories of the process. Only the main thread has this object: it alone allocates and frees ranges, and creates and
 * grows memories.
 */
export class SharedMemories {
  readonly list: WebAssembly.Memory[] = [];
  readonly layout: ArenaLayout;
  readonly #allocators: Allocator[] = [];
  readonly #heapStart: number;
  readonly #limit: number;

  /** `memoryLimit`: bytes of segments per memory; a longer segment gets a memory of its own. */
  constructor(layout: ArenaLayout, memoryLimit = Number.POSITIVE_INFINITY) {
    this.layout = layout;
    this.#heapStart = wordListPlaces(layout).end;
    this.#limit = Math.min(memoryLimit, ADDRESS_LIMIT - this.#heapStart - RESERVED_BYTES);
    this.#addMemory();
  }

  /**
   * Allocates a range, in the memory `preferred` if there is room.
   * @throws {Error} when it is longer than a memory can hold
   */
  place(length: number, preferred = 0): Placement {
    const order = this.list.map((_, index) => index).sort((a, b) => Number(b === preferred) - Number(a === preferred) || a - b);
    for (const memory of order) {
      const used = this.#allocators[memory]?.used ?? 0;
      const placement = used === 0 || used + length <= this.#limit ? this.#reserve(memory, length) : null;
      if (placement) return placement;
    }
    return this.placeIn(this.#addMemory(), length);
  }

  /** Allocates a range in one memory, beyond its limit if necessary. */
  placeIn(memory: number, length: number): Placement {
    const placement = this.#reserve(memory, length);
    if (!placement) throw new Error(`memory ${memory} has no room for ${length} bytes`);
    return placement;
  }

  /** Reserves bytes in one memory while its limit leaves room for them, else null. */
  placeSpare(memory: number, length: number): Placement | null {
    return (this.#allocators[memory]?.used ?? 0) + length <= this.#limit ? this.#reserve(memory, length) : null;
  }

  free(placement: Placement): void {
    this.#allocators[placement.memory]?.release(placement.pointer);
  }

  /** The bytes of a placement; valid until the memory grows. */
  bytes(placement: Placement): Uint8Array {
    const memory = this.list[placement.memory] as WebAssembly.Memory;
    return new Uint8Array(memory.buffer, placement.pointer, placement.length);
  }

  /** Bytes allocated in all memories. */
  get used(): number {
    return this.#allocators.reduce((sum, allocator) => sum + allocator.used, 0);
  }

  #reserve(index: number, length: number): Placement | null {
    const pointer = this.#allocators[index]?.reserve(length) ?? null;
    if (pointer === null) return null;
    const memory = this.list[index] as WebAssembly.Memory;
    const missing = pointer + length - memory.buffer.byteLength;
    if (missing > 0) {
      const pages = Math.ceil(missing / PAGE_BYTES);
      const spare = (ADDRESS_LIMIT - memory.buffer.byteLength) / PAGE_BYTES;
      memory.grow(Math.max(pages, Math.min(GROWTH_BYTES / PAGE_BYTES, spare)));
    }
    return { memory: index, pointer, length };
  }

  #addMemory(): number {
    this.list.push(new WebAssembly.Memory({ initial: this.#heapStart / PAGE_BYTES, maximum: MAX_PAGES, shared: true }));
    this.#allocators.push(new Allocator(this.#heapStart, ADDRESS_LIMIT));
    return this.list.length - 1;
  }
}
