import path from 'node:path';
import type { WordList } from '../../bindings/engine/word-list-bits.js';
import { ApiError } from '../../bindings/errors.js';
import type { IndexView } from '../../bindings/index-types.js';
import type { SearchRule } from '../../bindings/rules/rule.js';
import type { Ledger } from '../storage/ledger/ledger.js';
import { makeFolder } from '../storage/sync.js';
import { IndexDocuments } from './changes/documents.js';
import { Drafts } from './changes/drafts.js';
import { SegmentMerges } from './changes/merges.js';
import { SettingsChanges } from './changes/settings.js';
import { clearing, creation, deletion, type SwapPair, stateOf, swaps, update } from './commits/index-changes.js';
import { Relocations } from './commits/relocations.js';
import type { Draft } from './draft.js';
import { compileShared } from './engine-module.js';
import { PayloadIntake } from './intake/payload-intake.js';
import { MainEngine } from './main-engine.js';
import { LiveStates } from './memory/live-states.js';
import { arenaLayout, SharedMemories } from './memory/memories.js';
import { SegmentMemory } from './memory/segment-memory.js';
import { SharedWordLists } from './memory/shared-word-lists.js';
import { ThreadContext, type ThreadContextOptions } from './memory/thread-context.js';
import type { ViewReaders, ViewUpdate } from './memory/views.js';
import { wordListSizes } from './memory/word-lists.js';
import type { IndexRecord, StoredSegment } from './record.js';
import type { WriteCounts } from './threads/job-threads.js';
import { IndexJobs, indexReaders } from './threads/jobs.js';
import { type IndexWork, WorkMetrics } from './work-metrics.js';

export interface IndexStoreOptions {
  ledger: Ledger;
  /** Folder of the database, with `segments` and `payloads` in it. */
  folder: string;
  /** Number of threads that will read the indexes; see {@link IndexStore.attach}. */
  searchThreads: number;
  indexThreads: number;
  /** Bytes of memory for indexing. */
  maxIndexingMemory: number;
  /** Nice value of index threads: 0 is that of other threads, 19 the lowest priority. */
  indexNiceness?: number;
  /** Milliseconds after which an idle index thread ends, unless it is one that always stays. */
  indexIdleTimeout?: number;
  /** Bytes of documents that justify a further index thread and segment. */
  indexPartBytes?: number;
  /** Bytes of documents from which on a batch takes smaller segments into its own. */
  indexTakingBytes?: number;
  /** Bytes of the codes of a segment's vectors up to which no graph is built; default: the engine's choice. */
  vectorScanLimit?: number;
  /** Bytes of segments per shared memory; default: as many as it can address. */
  memoryLimit?: number;
}

const INDEX_IDLE_TIMEOUT = 30_000;
/** Threads build this many bytes in about half a second: for less a further segment is not worthwhile. */
const INDEX_PART_BYTES = 4 << 20;
/** Batches of so many bytes take half a second anyway; smaller ones should be committed soon, and are merged later. */
const INDEX_TAKING_BYTES = 16 << 20;

/** What an index occupies now, and the work that it has caused since the launch. */
export interface IndexMetrics extends IndexWork {
  segments: number;
  /** Documents in its segments, and how many of them are deleted or replaced. */
  documents: number;
  deletedDocuments: number;
  /** Bytes of the segment files, and of their parts in shared memory. */
  fileBytes: number;
  memoryBytes: number;
}

/**
 * The indexes of a database: their committed states, and the threads that build segments. Changes are drafts, which the caller
 * commits; nothing is visible before {@link Draft.publish}.
 */
export class IndexStore {
  /** Receives payloads of documents. */
  readonly payloads: PayloadIntake;
  readonly documents: IndexDocuments;
  readonly settings: SettingsChanges;
  readonly merges: SegmentMerges;
  readonly #live: LiveStates;
  readonly #jobs: IndexJobs;
  readonly #segmentMemory: SegmentMemory;
  readonly #drafts: Drafts;
  readonly #work: WorkMetrics;

  private constructor(
    live: LiveStates,
    jobs: IndexJobs,
    segmentMemory: SegmentMemory,
    payloads: string,
    engine: MainEngine,
    /** What a thread needs to read segments. */
    readonly readerContext: Omit<ThreadContextOptions, 'reader'>,
  ) {
    this.#live = live;
    this.#jobs = jobs;
    this.#segmentMemory = segmentMemory;
    this.#work = new WorkMetrics((uid) => live.records.has(uid));
    this.#drafts = new Drafts(live, segmentMemory, new Relocations());
    this.payloads = new PayloadIntake(jobs, engine, payloads);
    this.documents = new IndexDocuments(this.#drafts, jobs, this.payloads);
    this.settings = new SettingsChanges(this.#drafts, jobs, this.payloads, engine, this.#work);
    this.merges = new SegmentMerges(live, this.#drafts, jobs, this.#work);
  }

  /**
   * Reads the committed state, loads its segments into memory, removes files that it does not refer to, and starts the threads.
   */
  static async open(options: IndexStoreOptions): Promise<IndexStore> {
    const { ledger, folder, searchThreads, indexThreads } = options;
    const segments = path.join(folder, 'segments');
    const payloads = path.join(folder, 'payloads');
    for (const each of [segments, payloads]) makeFolder(each);
    const layout = arenaLayout(searchThreads + indexReaders(indexThreads), wordListSizes());
    const memories = new SharedMemories(layout, options.memoryLimit);
    const segmentMemory = new SegmentMemory(memories, segments);
    const reading = await LiveStates.read(ledger, segmentMemory);
    // Compiles while the files are being read.
    const readerContext = { module: compileShared(), layout, segments };
    // No index thread is running yet, so the main thread can use the arena of the first one.
    const live = await LiveStates.load(
      reading,
      segmentMemory,
      segments,
      new ThreadContext({ ...readerContext, reader: searchThreads }),
    );
    const jobs = new IndexJobs({
      threads: indexThreads,
      readerContext,
      firstReader: searchThreads,
      maxIndexingMemory: options.maxIndexingMemory,
      niceness: options.indexNiceness ?? 0,
      idleTimeout: options.indexIdleTimeout ?? INDEX_IDLE_TIMEOUT,
      newestSegment: live.newestSegment,
      vectorScanLimit: options.vectorScanLimit,
      partBytes: options.indexPartBytes ?? INDEX_PART_BYTES,
      takingBytes: options.indexTakingBytes ?? INDEX_TAKING_BYTES,
      memories: () => memories.list,
    });
    return new IndexStore(live, jobs, segmentMemory, payloads, new MainEngine(readerContext.module), readerContext);
  }

  /** Indexes that cannot be read, with the reason. They can be cleared and deleted. */
  get damaged(): ReadonlyMap<string, string> {
    return this.#live.damaged;
  }

  /** The committed state of every index, by uid. */
  get indexes(): ReadonlyMap<string, IndexRecord> {
    return this.#live.records;
  }

  /** @throws {ApiError} index_already_exists when the draft is settled */
  createIndex(uid: string, primaryKey: string | null, now: string): Draft {
    return this.#drafts.of([creation(uid, primaryKey, now)])[0] as Draft;
  }

  /** Starts the index threads, which takes them a tenth of a second: for when documents are about to come. */
  expectDocuments(): void {
    this.#jobs.start();
  }

  /** Changes the primary key, the name, or both. The caller checks whether the key may change. */
  updateIndex(uid: string, change: { primaryKey?: string; newUid?: string }, now: string): Draft[] {
    return this.#drafts.of(update(uid, change, now));
  }

  deleteIndex(uid: string): Draft {
    return this.#drafts.ofAny(deletion(uid));
  }

  /** Swaps all pairs at once; the drafts are published together. */
  swapIndexes(pairs: SwapPair[]): Draft[] {
    return this.#drafts.of(swaps(pairs));
  }

  clearDocuments(uid: string, now: string): Draft {
    return this.#drafts.ofAny(clearing(uid, now));
  }

  /** Everything that a new reader must receive. */
  snapshot(): ViewUpdate {
    return this.#live.snapshot();
  }

  /** Publishes dynamic search rules to all readers, from their next request on. */
  setSearchRules(rules: readonly SearchRule[]): void {
    this.#live.setRules(rules);
  }

  /** Publishes every new version of an index to these readers, and keeps old versions until they have left them. */
  attach(readers: ViewReaders): void {
    this.#live.attach(readers);
  }

  /** Writes to segment files for tasks. */
  get segmentWrites(): WriteCounts {
    return this.#jobs.writes;
  }

  /** Number of shared memories in use. */
  get memories(): number {
    return this.#segmentMemory.memories.list.length;
  }

  /** The word lists that searches have loaded into shared memory. */
  get wordLists(): WordList[] {
    const { list, layout } = this.#segmentMemory.memories;
    const lists = new SharedWordLists(layout);
    return [...new Set(list.flatMap((memory) => lists.readyIn(memory)))];
  }

  /** Bytes of segments and tombstones in shared memory. */
  get memoryUsed(): number {
    return this.#segmentMemory.memories.used;
  }

  /** @throws {ApiError} index_not_found */
  metricsOf(uid: string): IndexMetrics {
    const { segments } = stateOf(this.#live.states, uid).record;
    const sum = (read: (segment: StoredSegment) => number) => segments.reduce((total, segment) => total + read(segment), 0);
    return {
      segments: segments.length,
      documents: sum(({ docCount }) => docCount),
      deletedDocuments: sum(({ docCount, liveCount }) => docCount - liveCount),
      fileBytes: sum(({ fileLength }) => fileLength),
      memoryBytes: sum(({ id }) => this.#segmentMemory.bytesOf(id)),
      ...this.#work.of(uid),
    };
  }

  /**
   * The present view of an index; {@link pin} keeps its segments. @throws {ApiError} index_not_found; io_error when it is damaged
   */
  viewOf(uid: string): IndexView {
    const damage = this.#live.damaged.get(uid);
    if (damage !== undefined) throw new ApiError('io_error', damage);
    return this.#live.view(stateOf(this.#live.states, uid).record);
  }

  /** Keeps the segments of the present state, including their files, until the returned function is called. */
  pin(): () => void {
    return this.#live.pin();
  }

  async close(): Promise<void> {
    await Promise.all([this.#live.close(), this.#jobs.close()]);
  }
}
