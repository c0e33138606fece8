import { instantiateSync } from '@assemblyscript/loader';
import { apiError, messageOf, ScratchExhausted } from '../errors.js';
import { now } from './clock.js';
import {
  type EngineFunctions,
  engineFunctions,
  InstanceBounds,
  RemoteAnswer,
  type RemoteRequest,
  type Structure,
} from './exports.js';
import { mostBytes, readText, writeText } from './utf8.js';
import type { WordListBits } from './word-list-bits.js';

export interface InstanceOptions {
  /** Shared for the `shared` build, private for `plain`. */
  memory: WebAssembly.Memory;
  /** First address that this instance may use (a multiple of 16); the module's static data is below {@link STATIC_END}. */
  start: number;
  /** Bytes for data that outlives a query: tokenizers and caches. */
  persistentBytes: number;
  /** End of the scratch arena (exclusive). */
  end: number;
  /** Whether scratch memory may grow the memory (private memories only). */
  grows?: boolean;
  /** A pool of further scratch memory, shared by the instances over one memory. */
  pool?: ScratchPool;
}

/** See engine-as/assembly/runtime/scratch-pool.ts; addresses are multiples of 16. */
export interface ScratchPool {
  /** One u32 per unit, zero in a new memory. */
  table: number;
  units: number;
  /** Number of units of UNIT_BYTES. */
  count: number;
  /** Identifies the instance among those over the memory; not 0. */
  owner: number;
  /** Most bytes that the instance may have allocated at once. */
  limit: number;
}

/** The file of a segment. */
export interface BlockSource {
  /** Copies `length` bytes from `offset` of the file to a place in memory. */
  read(offset: number, length: number, memory: Uint8Array, at: number): void;
}

/** Takes bytes of a segment file that belong at an offset; they are only valid during the call. */
export type FileSink = (bytes: Uint8Array, offset: number) => void;

/** A segment, as the engine's callbacks need it. */
export interface SegmentAccess {
  /** Unique among the segments that the process has opened. */
  readonly id: number;
  /** The instance over the memory of the segment. */
  readonly instance: EngineInstance;
  readonly source: BlockSource;
}

/** Views of the whole memory of an instance. */
export interface MemoryViews {
  /** A memory has another one when it has grown, shared ones included. */
  buffer: ArrayBuffer;
  bytes: Uint8Array;
  words: Uint32Array;
  view: DataView;
}

function viewsOf({ buffer }: WebAssembly.Memory): MemoryViews {
  return { buffer, bytes: new Uint8Array(buffer), words: new Uint32Array(buffer), view: new DataView(buffer) };
}

/** The module's static data (tables) ends below this address, in both builds. */
export const STATIC_END = 1 << 20;

/** An instance of the engine over a memory, with its own arenas. Views are recreated when the memory has grown. */
export class EngineInstance<Functions extends EngineFunctions = EngineFunctions> {
  readonly exports: Functions;
  readonly memory: WebAssembly.Memory;
  /** The segments of the current plan, by number, for callbacks of the engine. */
  segments: readonly SegmentAccess[] = [];
  /** The lists of words that it was given, as bits. */
  wordLists: WordListBits = 0;
  #fileSink: FileSink = () => {};
  #views: MemoryViews;

  /** `functions` types the exports of the module; default: those that every build has. */
  constructor(
    module: WebAssembly.Module,
    options: InstanceOptions,
    functions: (exports: WebAssembly.Exports) => Functions = engineFunctions as (exports: WebAssembly.Exports) => Functions,
  ) {
    this.memory = options.memory;
    const { pool } = options;
    const exchange = (segment: number, request: number, length: number) => this.#exchange(segment, request >>> 0, length);
    const imports = {
      env: {
        memory: options.memory,
        now,
        exchange,
        readBlock: (segment: number, offset: number, length: number, at: number) =>
          this.#readBlock(segment, offset, length, at >>> 0),
        refuseDamaged,
        writeFile: (at: number, length: number, offset: number) =>
          this.#fileSink(this.bytes.subarray(at >>> 0, (at >>> 0) + length), offset),
      },
      arena: { scratchExhausted: (_: number, isLimit: number) => refuseScratch(pool, isLimit !== 0) },
    };
    const { instance } = instantiateSync(module, imports);
    // As a prototype, because V8 then uses fast properties.
    this.exports = Object.create(functions(instance.exports)) as Functions;
    this.#views = viewsOf(this.memory);
    InstanceBounds.write(this.view, options.start, {
      start: options.start,
      persistentBytes: options.persistentBytes,
      end: options.end,
      grows: options.grows ?? false,
      limit: pool?.limit ?? 0,
      poolTable: pool?.table ?? 0,
      poolUnits: pool?.units ?? 0,
      poolCount: pool?.count ?? 0,
      poolOwner: pool?.owner ?? 0,
    });
    this.exports.arenaInit(InstanceBounds.at(options.start));
  }

  /** Views of the whole memory, which are other ones after it has grown. */
  get views(): MemoryViews {
    if (this.memory.buffer !== this.#views.buffer) this.#views = viewsOf(this.memory);
    return this.#views;
  }

  get bytes(): Uint8Array {
    return this.views.bytes;
  }

  get words(): Uint32Array {
    return this.views.words;
  }

  get view(): DataView {
    return this.views.view;
  }

  /** A copy of the fields of a structure at an address. */
  read<Fields>(structure: Structure<Fields>, at: number): Fields {
    return structure.read(this.view, at);
  }

  /** Writes structures into scratch memory, one after the other. @returns the address of the first */
  putStructures<Fields, At extends number>(structure: Structure<Fields, At>, values: readonly Readonly<Fields>[]): At {
    const first = this.alloc(values.length * structure.bytes);
    const { view } = this;
    for (let i = 0; i < values.length; i++) structure.write(view, first + i * structure.bytes, values[i] as Readonly<Fields>);
    return structure.at(first);
  }

  u32(pointer: number, length: number): Uint32Array {
    return new Uint32Array(this.memory.buffer, pointer, length);
  }

  f64(pointer: number, length: number): Float64Array {
    return new Float64Array(this.memory.buffer, pointer, length);
  }

  alloc(bytes: number): number {
    return this.exports.alloc(bytes);
  }

  /** Allocates zeroed scratch memory. */
  allocZeroed(bytes: number): number {
    const at = this.alloc(bytes);
    this.bytes.fill(0, at, at + bytes);
    return at;
  }

  /** Copies bytes into scratch memory. @returns their address */
  put(bytes: Uint8Array): number {
    const at = this.alloc(bytes.length);
    this.bytes.set(bytes, at);
    return at;
  }

  /** Copies numbers into scratch memory as u32. @returns their address */
  putWords(values: readonly number[]): number {
    const at = this.alloc(values.length * Uint32Array.BYTES_PER_ELEMENT);
    const { words } = this;
    const first = at / Uint32Array.BYTES_PER_ELEMENT;
    for (let i = 0; i < values.length; i++) words[first + i] = values[i] as number;
    return at;
  }

  /** Copies a text into scratch memory as UTF-8. */
  putText(text: string): { pointer: number; length: number } {
    const pointer = this.alloc(mostBytes(text));
    return { pointer, length: writeText(text, this.bytes, pointer) };
  }

  text(pointer: number, length: number): string {
    return readText(this.bytes, pointer, pointer + length);
  }

  /** Drops everything cached between searches. */
  forget(): void {
    this.exports.cacheClear();
  }

  /**
   * Forwards a request of the engine to the instance over another memory, and copies its answer back. @returns the address of the
   * answer in scratch memory
   */
  #exchange(segment: number, request: number, length: number): number {
    const { instance: peer } = this.segments[segment] as SegmentAccess;
    peer.segments = this.segments;
    return peer.scoped(() => {
      const sent = peer.alloc(length);
      peer.bytes.set(this.bytes.subarray(request, request + length), sent);
      const answer = peer.read(RemoteAnswer, peer.exports.answerRequest(sent as RemoteRequest));
      const received = this.alloc(answer.length);
      this.bytes.set(peer.bytes.subarray(answer.data, answer.data + answer.length), received);
      return received;
    });
  }

  /** Runs a job that writes the file of a segment. */
  receivingFile(sink: FileSink, job: () => void): void {
    this.#fileSink = sink;
    try {
      job();
    } finally {
      this.#fileSink = () => {};
    }
  }

  #readBlock(id: number, offset: number, length: number, at: number): void {
    const { source } = this.segments.find((segment) => segment.id === id) as SegmentAccess;
    source.read(offset, length, this.bytes, at);
  }

  /** Runs a job, and releases all scratch memory that it allocated. */
  scoped<T>(job: () => T): T {
    const mark = this.exports.arenaMark();
    try {
      return job();
    } finally {
      this.exports.arenaReset(mark);
    }
  }
}

function refuseDamaged(segment: number): never {
  throw apiError('io_error', 'damagedDocuments', { segment });
}

function refuseScratch(pool: ScratchPool | undefined, isLimit: boolean): never {
  if (!pool) throw new Error('the memory of the engine is used up');
  if (!isLimit) throw new ScratchExhausted('too_many_search_requests', messageOf('too_many_search_requests', 'searchMemory'));
  const mebibytes = Math.floor(pool.limit / 2 ** 20);
  throw new ScratchExhausted('bad_request', messageOf('bad_request', 'workingMemory', { mebibytes }));
}

/** Returns options for an instance that has a growing memory to itself. */
function ownMemory(persistentBytes: number, shared: boolean): InstanceOptions {
  const pages = Math.ceil((STATIC_END + persistentBytes + (4 << 20)) / 65536);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: 65536, shared });
  return { memory, start: STATIC_END, persistentBytes, end: pages * 65536, grows: true };
}

/**
 * An instance of the `shared` build over a memory that no other thread knows: where that build is compiled anyway, a second one is
 * not needed for building segments.
 */
export function unsharedInstance(module: WebAssembly.Module, persistentBytes: number): EngineInstance {
  return new EngineInstance(module, ownMemory(persistentBytes, true));
}

/** An instance of the `plain` build over a private memory that grows, e.g. for searching in browsers. */
export function privateInstance<Functions extends EngineFunctions = EngineFunctions>(
  module: WebAssembly.Module,
  persistentBytes = 4 << 20,
  functions?: (exports: WebAssembly.Exports) => Functions,
): EngineInstance<Functions> {
  return new EngineInstance(module, ownMemory(persistentBytes, false), functions);
}
