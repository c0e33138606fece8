import { now } from './engine/clock.js';
import { LZ_SLACK, SegmentHeader } from './engine/exports.js';
import { type BlockSource, EngineInstance, STATIC_END } from './engine/instance.js';
import { documentsRange } from './engine/segment-file.js';
import { IndexReader, type SegmentAccess } from './engine/segments.js';
import type { WordList } from './engine/word-list-bits.js';
import { knownWordLists, loadWordList, takeMissingWordLists } from './engine/word-lists.js';
import { apiError } from './errors.js';
import { ByteWriter } from './format/byte-writer.js';
import type { IndexSettings, IndexView, SegmentRef } from './index-types.js';
import { readSearch } from './query/request.js';
import { prepareSearch } from './search/plan.js';
import { search } from './search/search.js';
import { SearchSession, type SessionOptions } from './search/session.js';

/** A segment file that is completely in memory. */
export interface LocalSegment {
  file: Uint8Array;
  /** Bitmap of deleted documents (bit i of byte j is local number 8j + i), at least one bit per document. */
  tombstones?: Uint8Array;
  /** Number of the private memory for it; one memory holds up to 4 GiB. */
  memory?: number;
}

export interface LocalIndexOptions {
  uid: string;
  primaryKey: string | null;
  settings: IndexSettings;
  /** Field id -> path, as when the segments were built. */
  fields: string[];
  segments: LocalSegment[];
  /** Uncompressed word lists for languages without spaces; texts whose list is missing are not segmented. */
  wordLists?: Partial<Record<WordList, Uint8Array>>;
  /**
   * Fetches a list that is not in {@link wordLists}, once, when {@link LocalIndex.searchWithLists} needs it; null: there is none.
   */
  fetchWordList?: (list: WordList) => Promise<Uint8Array | null>;
  /** Bytes per memory for results cached between searches; default 32 MiB. */
  cacheBytes?: number;
  /**
   * Files of up to this many bytes per memory are copied whole, and need not be kept; of larger ones only what every search needs, and
   * documents are read from the files when they are shown. Default 1 GiB.
   */
  wholeBytes?: number;
}

const PAGE = 65536;
const MAX_PAGES = 65536;
const CACHE_BYTES = 32 << 20;
const SCRATCH_BYTES = 8 << 20;
const WHOLE_BYTES = 1 << 30;
/** Tombstones are read in whole SIMD vectors. */
const LANE_DOCS = 128;
const LANE_BYTES = 16;

const aligned = (bytes: number) => Math.ceil(bytes / LANE_BYTES) * LANE_BYTES;
const bitmapBytes = (docs: number) => Math.ceil(docs / LANE_DOCS) * LANE_BYTES;

/** Features that need no switch here. */
const FEATURES = { containsFilter: true };

/** Work on an index within one request. */
type Job<T> = (reader: IndexReader, session: SearchSession) => T;

const MAIN_MEMORY = 0;

/** Segments that have been given an id: block caches are keyed by it. */
let segmentIds = 0;

/**
 * An index without a server: its segment files are in private memory and searched on the calling thread. It runs wherever
 * WebAssembly with SIMD does; this is how browsers search.
 */
export class LocalIndex {
  #view: IndexView;
  readonly #access: SegmentAccess;
  readonly #instances: EngineInstance[];
  /** The instance that tokenizes queries. */
  readonly #main: EngineInstance;
  /** Those of all sessions. */
  readonly #options: SessionOptions = {
    open: (uid) => this.#open(uid),
    out: new ByteWriter(),
    now,
    features: FEATURES,
    metadata: false,
  };
  /** Lists by name; null: the list could not be had. */
  readonly #wordLists: Partial<Record<WordList, Uint8Array | null>>;
  readonly #fetchWordList: (list: WordList) => Promise<Uint8Array | null>;

  /** @param module the `plain` build of the engine */
  constructor(module: WebAssembly.Module, options: LocalIndexOptions) {
    const { uid, primaryKey, settings, fields, wordLists, fetchWordList } = options;
    this.#wordLists = { ...wordLists };
    this.#fetchWordList = fetchWordList ?? (async () => null);
    const memories = new Map<number, LocalSegment[]>([[MAIN_MEMORY, []]]);
    for (const segment of options.segments) {
      const memory = segment.memory ?? 0;
      memories.set(memory, [...(memories.get(memory) ?? []), segment]);
    }
    const instances = new Map<number, EngineInstance>();
    const refs = new Map<LocalSegment, SegmentRef>();
    const sources = new Map<number, BlockSource>();
    for (const [memory, segments] of memories)
      instances.set(memory, placeSegments(module, memory, segments, refs, sources, options));
    this.#instances = [...instances.values()];
    this.#main = instances.get(MAIN_MEMORY) as EngineInstance;
    this.#access = {
      mainMemory: () => MAIN_MEMORY,
      instance: (memory) => instances.get(memory) as EngineInstance,
      source: (ref) => sources.get(ref.id) as BlockSource,
    };
    const segments = options.segments.map((segment) => refs.get(segment) as SegmentRef);
    this.#view = { uid, version: 1, primaryKey, settings, fields, segments };
  }

  /**
   * Answers a search.
   * @param body the JSON that would be sent to a server; @returns the JSON that it would answer
   * @throws {ApiError} the error that it would answer
   */
  search(body: Uint8Array): Uint8Array {
    return this.searchInto(body, (answer) => answer.slice());
  }

  /** Like {@link search}, without copying the answer: it is valid while `take` runs. */
  searchInto<T>(body: Uint8Array, take: (answer: Uint8Array) => T): T {
    return this.read(searching(body, take));
  }

  /**
   * Like {@link search}, but fetches word lists that the texts need and then answers with them. The files are gzipped: pages can
   * decompress them with `DecompressionStream`. The body must not be changed meanwhile.
   */
  async searchWithLists(body: Uint8Array): Promise<Uint8Array> {
    const job = searching(body, (answer) => answer.slice());
    for (;;) {
      const result = this.#run(job);
      const missing = this.#takeMissing();
      if (missing.length === 0) return result;
      for (const list of missing) this.#wordLists[list] ??= await this.#fetchWordList(list);
      this.#load(missing);
    }
  }

  /** Runs a job on the index; its scratch memory and views are invalid afterwards. */
  read<T>(job: Job<T>): T {
    for (;;) {
      const result = this.#run(job);
      const missing = this.#takeMissing();
      if (!missing.some((list) => this.#wordLists[list] !== undefined)) return result;
      this.#load(missing);
    }
  }

  #run<T>(job: Job<T>): T {
    return this.#scoped(() => {
      const session = new SearchSession(this.#options);
      return job(session.open(this.#view.uid), session);
    });
  }

  #open(uid: string): IndexReader {
    if (uid !== this.#view.uid) throw apiError('index_not_found', 'absent', { uid });
    return new IndexReader(this.#view, this.#access);
  }

  /** Lists that texts needed, except those that could not be had. */
  #takeMissing(): WordList[] {
    const missing = takeMissingWordLists(this.#main);
    return missing.length === 0 ? missing : missing.filter((list) => this.#wordLists[list] !== null);
  }

  /** Loads lists between two jobs. Work cached for the view was done without them and is discarded. */
  #load(lists: WordList[]): void {
    const known = knownWordLists(this.#main);
    for (const list of lists) {
      const bytes = this.#wordLists[list];
      if (bytes && !known.includes(list)) loadWordList(this.#main, list, bytes);
    }
    this.#view = { ...this.#view };
  }

  /** Runs a job, and releases what it allocated in every memory. */
  #scoped<T>(job: () => T, from = 0): T {
    const instance = this.#instances[from];
    return instance ? instance.scoped(() => this.#scoped(job, from + 1)) : job();
  }
}

function searching<T>(body: Uint8Array, take: (answer: Uint8Array) => T): Job<T> {
  const request = prepareSearch(readSearch(body), FEATURES);
  return ({ view }, session) => take(search(session, view.uid, request));
}

/** Creates a memory with some segments, and an engine instance whose arenas follow them. */
function placeSegments(
  module: WebAssembly.Module,
  memory: number,
  segments: readonly LocalSegment[],
  refs: Map<LocalSegment, SegmentRef>,
  sources: Map<number, BlockSource>,
  { cacheBytes = CACHE_BYTES, wholeBytes = WHOLE_BYTES }: LocalIndexOptions,
): EngineInstance {
  const isWhole = segments.reduce((sum, { file }) => sum + file.length, 0) <= wholeBytes;
  let end = STATIC_END;
  const wasm = new WebAssembly.Memory({ initial: 0, maximum: MAX_PAGES });
  const placed: [at: number, bytes: Uint8Array][] = [];
  const place = (bytes: Uint8Array, room: number): number => {
    const at = end;
    placed.push([at, bytes]);
    end += aligned(room);
    return at;
  };
  for (const segment of segments) {
    const { file, tombstones } = segment;
    const header = new DataView(file.buffer, file.byteOffset, file.byteLength);
    const { docCount, residentLength } = SegmentHeader.read(header, 0);
    const { offset, length } = documentsRange(header);
    const id = ++segmentIds;
    const pointer = isWhole ? place(file, file.length + LZ_SLACK) : place(file.subarray(0, residentLength), residentLength);
    sources.set(id, isWhole ? memorySource(wasm, pointer) : fileSource(file));
    refs.set(segment, {
      id,
      file: String(id),
      docCount,
      liveCount: docCount - (tombstones ? countBits(tombstones, docCount) : 0),
      residentLength,
      fileLength: file.length,
      memory,
      pointer,
      tombstones: tombstones ? place(tombstones, bitmapBytes(docCount)) : 0,
      documents: isWhole && length > 0 ? pointer + offset : 0,
    });
  }
  const pages = Math.ceil((end + aligned(cacheBytes) + SCRATCH_BYTES) / PAGE);
  wasm.grow(pages);
  const bytes = new Uint8Array(wasm.buffer);
  for (const [at, source] of placed) bytes.set(source, at);
  return new EngineInstance(module, {
    memory: wasm,
    start: end,
    persistentBytes: aligned(cacheBytes),
    end: pages * PAGE,
    grows: true,
  });
}

/** A file that is in a memory whole, perhaps another one than is read into. */
function memorySource(from: WebAssembly.Memory, pointer: number): BlockSource {
  return { read: (offset, length, memory, at) => memory.set(new Uint8Array(from.buffer, pointer + offset, length), at) };
}

function fileSource(file: Uint8Array): BlockSource {
  return { read: (offset, length, memory, at) => memory.set(file.subarray(offset, offset + length), at) };
}

function countBits(bitmap: Uint8Array, count: number): number {
  let set = 0;
  for (let bit = 0; bit < count; bit++) set += ((bitmap[bit >> 3] as number) >> (bit & 7)) & 1;
  return set;
}
