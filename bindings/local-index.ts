import { SegmentHeader } from './engine/exports.js';
import { type BlockSource, EngineInstance, STATIC_END } from './engine/instance.js';
import { IndexReader, type SegmentHome } from './engine/segments.js';
import { knownWordLists, loadWordList, takeMissingWordLists, type WordList } from './engine/word-lists.js';
import { apiError } from './errors.js';
import { ByteWriter } from './format/byte-writer.js';
import type { IndexSettings, IndexView, SegmentRef } from './index-types.js';
import { parseSearchBody } from './query/request.js';
import { requestId } from './request-ids.js';
import { prepareSearch } from './search/plan.js';
import { search } from './search/search.js';
import { SearchSession } from './search/session.js';

/** A segment file held in memory as a whole. */
export interface LocalSegment {
  file: Uint8Array;
  /** Bitmap of deleted documents (local numbers, bit i of byte j = document 8j + i), at least one bit a document. */
  tombstones?: Uint8Array;
  /** Which private memory holds it; one memory holds up to 4 GiB. */
  memory?: number;
}

export interface LocalIndexOptions {
  uid: string;
  primaryKey: string | null;
  settings: IndexSettings;
  /** Field id -> path, as the segments were built with. */
  fields: string[];
  segments: LocalSegment[];
  /** Unpacked lists of words for scripts without spaces; texts whose list is absent are not cut. */
  wordLists?: Partial<Record<WordList, Uint8Array>>;
  /** Fetches a list that is not among {@link wordLists}, once, when {@link LocalIndex.searchWithLists} needs it; null: there is none. */
  fetchWordList?: (list: WordList) => Promise<Uint8Array | null>;
  /** Bytes of each memory for what is worked out once and kept from search to search; 32 MiB by default. */
  keptBytes?: number;
}

const PAGE = 65536;
const MAX_PAGES = 65536;
const KEPT_BYTES = 32 << 20;
const SCRATCH_BYTES = 8 << 20;
/** Tombstones are read in whole SIMD lanes. */
const LANE_DOCS = 128;
const LANE_BYTES = 16;

const aligned = (bytes: number) => Math.ceil(bytes / LANE_BYTES) * LANE_BYTES;
const bitmapBytes = (docs: number) => Math.ceil(docs / LANE_DOCS) * LANE_BYTES;

/** Every search there is without a server's switches. */
const FEATURES = { containsFilter: true };

/** What is done with an index, by one request. */
type Job<T> = (reader: IndexReader, session: SearchSession) => T;

/** Segments that were given an id so far: caches of blocks are kept by it. */
let segmentIds = 0;

/**
 * An index without a server: the files of its segments in private memory, searched on the calling thread. It runs wherever
 * WebAssembly with SIMD does; it is how browsers search.
 */
export class LocalIndex {
  #view: IndexView;
  readonly #home: SegmentHome;
  readonly #instances: EngineInstance[];
  readonly #out = new ByteWriter();
  /** Lists by name; null: asked for in vain. */
  readonly #wordLists: Partial<Record<WordList, Uint8Array | null>>;
  readonly #fetchWordList: (list: WordList) => Promise<Uint8Array | null>;

  /** @param module the `plain` target of the engine */
  constructor(module: WebAssembly.Module, options: LocalIndexOptions) {
    const { uid, primaryKey, settings, fields, wordLists, fetchWordList, keptBytes = KEPT_BYTES } = options;
    this.#wordLists = { ...wordLists };
    this.#fetchWordList = fetchWordList ?? (async () => null);
    const memories = new Map<number, LocalSegment[]>([[0, []]]);
    for (const segment of options.segments) {
      const memory = segment.memory ?? 0;
      memories.set(memory, [...(memories.get(memory) ?? []), segment]);
    }
    const instances = new Map<number, EngineInstance>();
    const refs = new Map<LocalSegment, SegmentRef>();
    for (const [memory, segments] of memories) instances.set(memory, placeSegments(module, memory, segments, refs, keptBytes));
    this.#instances = [...instances.values()];
    const sources = new Map([...refs].map(([segment, ref]) => [ref.id, sourceOf(segment.file)]));
    this.#home = {
      instance: (memory) => instances.get(memory) as EngineInstance,
      source: (ref) => sources.get(ref.id) as BlockSource,
    };
    const segments = options.segments.map((segment) => refs.get(segment) as SegmentRef);
    this.#view = { uid, version: 1, primaryKey, settings, fields, segments };
  }

  /**
   * Answers a search.
   * @param body the JSON a server would be sent; @returns the JSON it would answer
   * @throws {ApiError} as the server would answer
   */
  search(body: Uint8Array): Uint8Array {
    return this.searchInto(body, (answer) => answer.slice());
  }

  /** Like {@link search} for a caller who copies the answer elsewhere: it is valid while `take` runs. */
  searchInto<T>(body: Uint8Array, take: (answer: Uint8Array) => T): T {
    return this.read(searching(body, take));
  }

  /**
   * Like {@link search}, but fetches the lists of words that its texts need, and answers with them. The files are packed with gzip: a
   * page unpacks them with `DecompressionStream`.
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

  /** Runs a job on the index as one request reads it; scratch and views of memory that it got are void afterwards. */
  read<T>(job: Job<T>): T {
    for (;;) {
      const result = this.#run(job);
      const missing = this.#takeMissing().filter((list) => this.#wordLists[list] !== undefined);
      if (missing.length === 0) return result;
      this.#load(missing);
    }
  }

  #run<T>(job: Job<T>): T {
    return this.#scoped(() => {
      const reader = new IndexReader(this.#view, this.#main, this.#home);
      return job(reader, this.#session(reader));
    });
  }

  #session(reader: IndexReader): SearchSession {
    return new SearchSession({
      open: (uid) => {
        if (uid !== this.#view.uid) throw apiError('index_not_found', 'absent', { uid });
        return reader;
      },
      out: this.#out,
      now: () => performance.now(),
      features: FEATURES,
      waited: null,
      metadata: false,
      uuid: requestId,
    });
  }

  /** Lists that texts needed, save those that cannot be had. */
  #takeMissing(): WordList[] {
    const missing = takeMissingWordLists(this.#main);
    return missing.length === 0 ? missing : missing.filter((list) => this.#wordLists[list] !== null);
  }

  /** Loads lists between two jobs. What was worked out without them must not be remembered for the view. */
  #load(lists: WordList[]): void {
    const known = knownWordLists(this.#main);
    for (const list of lists) {
      const bytes = this.#wordLists[list];
      if (bytes && !known.includes(list)) loadWordList(this.#main, list, bytes);
    }
    this.#view = { ...this.#view };
  }

  /** The instance that reads texts. */
  get #main(): EngineInstance {
    return this.#home.instance(0);
  }

  /** Runs a job and releases what it reserved in every memory. */
  #scoped<T>(job: () => T): T {
    return this.#instances.reduceRight<() => T>((inner, instance) => () => instance.scoped(inner), job)();
  }
}

function searching<T>(body: Uint8Array, take: (answer: Uint8Array) => T): Job<T> {
  const request = prepareSearch(parseSearchBody(body), FEATURES);
  return ({ view }, session) => take(search(session, view.uid, request));
}

/** Makes a memory that holds the resident parts of some segments, with an instance of the engine behind them. */
function placeSegments(
  module: WebAssembly.Module,
  memory: number,
  segments: readonly LocalSegment[],
  refs: Map<LocalSegment, SegmentRef>,
  keptBytes: number,
): EngineInstance {
  let end = STATIC_END;
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
    const id = ++segmentIds;
    refs.set(segment, {
      id,
      file: String(id),
      docCount,
      liveCount: docCount - (tombstones ? countBits(tombstones, docCount) : 0),
      residentLength,
      fileLength: file.length,
      memory,
      pointer: place(file.subarray(0, residentLength), residentLength),
      tombstones: tombstones ? place(tombstones, bitmapBytes(docCount)) : 0,
    });
  }
  const pages = Math.ceil((end + aligned(keptBytes) + SCRATCH_BYTES) / PAGE);
  const wasm = new WebAssembly.Memory({ initial: pages, maximum: MAX_PAGES });
  const bytes = new Uint8Array(wasm.buffer);
  for (const [at, source] of placed) bytes.set(source, at);
  return new EngineInstance(module, {
    memory: wasm,
    start: end,
    persistentBytes: aligned(keptBytes),
    end: pages * PAGE,
    grows: true,
  });
}

function sourceOf(file: Uint8Array): BlockSource {
  return { read: (offset, length, into) => into.set(file.subarray(offset, offset + length)) };
}

function countBits(bitmap: Uint8Array, count: number): number {
  let set = 0;
  for (let bit = 0; bit < count; bit++) set += ((bitmap[bit >> 3] as number) >> (bit & 7)) & 1;
  return set;
}
