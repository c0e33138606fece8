import { STATIC_END } from '../../../bindings/engine/instance.js';
import { Allocator } from './allocator.js';

const PAGE_BYTES = 65536;
const MAX_PAGES = 65536;
/** The last page stays unused: no address may reach 2^32. */
const ADDRESS_LIMIT = (MAX_PAGES - 1) * PAGE_BYTES;
/** Kept free of segments: tombstones must stand in the memory of their segment, however full it is. */
const RESERVED_BYTES = 128 << 20;
/** Memories grow by at least this, so that growth is rare. */
const GROWTH_BYTES = 64 << 20;
const BLOCK_BYTES = PAGE_BYTES;

/**
 * The arenas of all readers of a memory, one after the other, and the places of the lists of words that they share. Address space is
 * free: a page costs nothing until it is touched.
 *
 *   | static data of the module | arena of reader 0 | arena of reader 1 | … | lists of words | segments and tombstones |
 *   0                  STATIC_END                                                            heapStart
 */
export interface ArenaLayout {
  /** Threads that read: search workers, then index workers. */
  readers: number;
  persistentBytes: number;
  scratchBytes: number;
  /** Bytes of every list of words; 0: there is none. */
  wordLists: readonly number[];
}

/** What all arenas of a memory may take together. */
const ARENAS_BYTES = 1 << 30;
const LARGEST_ARENA = 256 << 20;

/**
 * The default: 96 MiB persistent and 160 MiB scratch a reader, less where there are many readers. What is worked out of long lists
 * of words is kept in persistent memory: the more of it, the less often it is dropped and made again.
 */
export function arenaLayout(readers: number, wordLists: readonly number[] = []): ArenaLayout {
  const arena = Math.min(LARGEST_ARENA, ARENAS_BYTES / readers);
  const persistentBytes = wholeBlocks((arena * 3) / 8);
  return { readers, persistentBytes, scratchBytes: wholeBlocks(arena) - persistentBytes, wordLists };
}

function wholeBlocks(bytes: number): number {
  return Math.floor(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

/** Bounds of a reader's arena, the same in every memory. */
export function arenaOf(layout: ArenaLayout, reader: number): { start: number; persistentBytes: number; end: number } {
  const { persistentBytes, scratchBytes } = layout;
  const start = STATIC_END + reader * (persistentBytes + scratchBytes);
  return { start, persistentBytes, end: start + persistentBytes + scratchBytes };
}

/** Of a place of a list of words: the state comes first, on a cache line of its own. */
export const WORD_LIST_OFFSET = 64;

/** Where every list of words has its place, the same in every memory: a state (i32), then the bytes. */
export function wordListPlaces(layout: ArenaLayout): { starts: number[]; end: number } {
  const starts: number[] = [];
  let end = arenaOf(layout, layout.readers).start;
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
 * The shared memories of the process. Only the main thread has this object: it alone places bytes, frees them, makes memories
 * and grows them.
 */
export class SharedMemories {
  readonly list: WebAssembly.Memory[] = [];
  readonly layout: ArenaLayout;
  readonly #allocators: Allocator[] = [];
  readonly #heapStart: number;
  readonly #limit: number;

  /** `memoryLimit`: bytes that segments may take in one memory; a longer segment gets a memory of its own. */
  constructor(layout: ArenaLayout, memoryLimit = Number.POSITIVE_INFINITY) {
    this.layout = layout;
    this.#heapStart = wordListPlaces(layout).end;
    this.#limit = Math.min(memoryLimit, ADDRESS_LIMIT - this.#heapStart - RESERVED_BYTES);
    this.#addMemory();
  }

  /**
   * Reserves bytes, in the memory `preferred` when there is room.
   * @throws {Error} when they exceed what a memory can hold
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

  /** Reserves bytes in one memory, beyond its limit if need be. */
  placeIn(memory: number, length: number): Placement {
    const placement = this.#reserve(memory, length);
    if (!placement) throw new Error(`memory ${memory} has no room for ${length} bytes`);
    return placement;
  }

  free(placement: Placement): void {
    this.#allocators[placement.memory]?.release(placement.pointer);
  }

  /** The bytes of a placement, valid until the memory grows. */
  bytes(placement: Placement): Uint8Array {
    const memory = this.list[placement.memory] as WebAssembly.Memory;
    return new Uint8Array(memory.buffer, placement.pointer, placement.length);
  }

  /** Bytes reserved in all memories. */
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
