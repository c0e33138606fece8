import path from 'node:path';
import type { WordList } from '../../bindings/engine/word-lists.js';
import { ApiError } from '../../bindings/errors.js';
import type { IndexView } from '../../bindings/index-types.js';
import type { SearchRule } from '../../bindings/rules/rule.js';
import type { Ledger } from '../storage/ledger.js';
import { makeFolder } from '../storage/sync.js';
import { IndexJobs, indexReaders, type WriteCounts } from './build/jobs.js';
import { IndexDocuments } from './changes/documents.js';
import { Drafts } from './changes/drafts.js';
import { SegmentMerges } from './changes/merges.js';
import { SettingsChanges } from './changes/settings.js';
import { Relocations } from './commits/changes.js';
import { clearing, creation, deletion, type SwapPair, stateOf, swaps, update } from './commits/operations.js';
import { compileBuilder, compileSearcher } from './engine-module.js';
import { MainEngine } from './main-engine.js';
import { LiveStates } from './memory/live-states.js';
import { arenaLayout, SharedMemories } from './memory/memories.js';
import { SegmentMemory } from './memory/segment-memory.js';
import { SharedWordLists } from './memory/shared-word-lists.js';
import { ThreadContext, type ThreadContextOptions } from './memory/thread-context.js';
import type { ViewReaders, ViewUpdate } from './memory/views.js';
import { wordListSizes } from './memory/word-lists.js';
import { PayloadIntake } from './payloads/payload-intake.js';
import type { Draft, IndexRecord, StoredSegment } from './types.js';
import { type IndexWork, WorkFigures } from './work-figures.js';

export interface IndexStoreOptions {
  ledger: Ledger;
  /** Folder of the database: `segments` and `payloads` lie in it. */
  folder: string;
  /** Threads that will read the indexes; see {@link IndexStore.attach}. */
  searchThreads: number;
  indexThreads: number;
  /** Bytes. */
  maxIndexingMemory: number;
  /** Priority of threads that build: 0 is that of all else, 19 the lowest. */
  indexNiceness?: number;
  /** Milliseconds after which an idle index thread ends, unless it is one of those that stay. */
  indexIdleTimeout?: number;
  /** Bytes of documents that are worth an index thread of their own, and a segment. */
  indexPartBytes?: number;
  /** Bytes of segments that a shared memory may hold; default: as many as it can address. */
  memoryLimit?: number;
}

const INDEX_IDLE_TIMEOUT = 30_000;
/** Threads build so much in about half a second: a segment more is not worth less. */
const INDEX_PART_BYTES = 4 << 20;

/** What an index takes now, and the work it has caused since the launch. */
export interface IndexFigures extends IndexWork {
  segments: number;
  /** Documents in the segments, and those of them that were deleted or replaced. */
  documents: number;
  deletedDocuments: number;
  /** Bytes of the segment files, and of what stands in shared memory. */
  fileBytes: number;
  memoryBytes: number;
}

/**
 * The indexes of a database: their states, and the threads that build segments. Changes come as drafts, which the caller
 * commits; nothing is visible before {@link Draft.publish}.
 */
export class IndexStore {
  /** Payloads of documents that come in. */
  readonly payloads: PayloadIntake;
  readonly documents: IndexDocuments;
  readonly settings: SettingsChanges;
  readonly merges: SegmentMerges;
  readonly #live: LiveStates;
  readonly #jobs: IndexJobs;
  readonly #segmentMemory: SegmentMemory;
  readonly #drafts: Drafts;
  readonly #work: WorkFigures;

  private constructor(
    live: LiveStates,
    jobs: IndexJobs,
    segmentMemory: SegmentMemory,
    payloads: string,
    engine: MainEngine,
    /** What a thread needs to read the segments. */
    readonly readerContext: Omit<ThreadContextOptions, 'reader'>,
  ) {
    this.#live = live;
    this.#jobs = jobs;
    this.#segmentMemory = segmentMemory;
    this.#work = new WorkFigures((uid) => live.records.has(uid));
    this.#drafts = new Drafts(live, segmentMemory, new Relocations());
    this.payloads = new PayloadIntake(jobs, engine, payloads);
    this.documents = new IndexDocuments(this.#drafts, jobs, this.payloads);
    this.settings = new SettingsChanges(this.#drafts, jobs, this.payloads, engine, this.#work);
    this.merges = new SegmentMerges(live, this.#drafts, jobs, this.#work);
  }

  /** Reads the committed state, loads its segments into memory, removes the files that it does not name, starts the threads. */
  static async open(options: IndexStoreOptions): Promise<IndexStore> {
    const { ledger, folder, searchThreads, indexThreads } = options;
    const segments = path.join(folder, 'segments');
    const payloads = path.join(folder, 'payloads');
    for (const each of [segments, payloads]) makeFolder(each);
    const layout = arenaLayout(searchThreads + indexReaders(indexThreads), wordListSizes());
    const memories = new SharedMemories(layout, options.memoryLimit);
    const segmentMemory = new SegmentMemory(memories, segments);
    const reading = await LiveStates.read(ledger, segmentMemory);
    // compiled while the files are read
    const readerContext = { module: compileSearcher(), layout, segments };
    // no index thread runs yet: the main thread may use the arena of the first
    const live = await LiveStates.load(
      reading,
      segmentMemory,
      segments,
      new ThreadContext({ ...readerContext, reader: searchThreads }),
    );
    const plain = compileBuilder();
    const jobs = new IndexJobs({
      threads: indexThreads,
      plain,
      readerContext,
      firstReader: searchThreads,
      maxIndexingMemory: options.maxIndexingMemory,
      niceness: options.indexNiceness ?? 0,
      idleTimeout: options.indexIdleTimeout ?? INDEX_IDLE_TIMEOUT,
      newestSegment: live.newestSegment,
      partBytes: options.indexPartBytes ?? INDEX_PART_BYTES,
      memories: () => memories.list,
    });
    return new IndexStore(live, jobs, segmentMemory, payloads, new MainEngine(plain), readerContext);
  }

  /** Indexes that cannot be read, and why. They can be cleared and deleted. */
  get damaged(): ReadonlyMap<string, string> {
    return this.#live.damaged;
  }

  /** The committed state of every index, by uid. */
  get indexes(): ReadonlyMap<string, IndexRecord> {
    return this.#live.records;
  }

  /** @throws {ApiError} index_already_exists, when the draft is settled */
  createIndex(uid: string, primaryKey: string | null, now: string): Draft {
    return this.#drafts.of([creation(uid, primaryKey, now)])[0] as Draft;
  }

  /** A new primary key, a new name, or both; whether the key may change is for the caller to know. */
  updateIndex(uid: string, change: { primaryKey?: string; newUid?: string }, now: string): Draft[] {
    return this.#drafts.of(update(uid, change, now));
  }

  deleteIndex(uid: string): Draft {
    return this.#drafts.ofAny(deletion(uid));
  }

  /** All pairs at once; the drafts are published together. */
  swapIndexes(pairs: SwapPair[]): Draft[] {
    return this.#drafts.of(swaps(pairs));
  }

  clearDocuments(uid: string, now: string): Draft {
    return this.#drafts.ofAny(clearing(uid, now));
  }

  /** All that a new reader must know. */
  snapshot(): ViewUpdate {
    return this.#live.snapshot();
  }

  /** Has readers know these search rules from the next request on. */
  setSearchRules(rules: readonly SearchRule[]): void {
    this.#live.setRules(rules);
  }

  /** Has every new version of an index published to readers, and keeps what they read until they have left it. */
  attach(readers: ViewReaders): void {
    this.#live.attach(readers);
  }

  /** Writes to segment files that tasks have caused. */
  get segmentWrites(): WriteCounts {
    return this.#jobs.writes;
  }

  /** Shared memories in use. */
  get memories(): number {
    return this.#segmentMemory.memories.list.length;
  }

  /** The lists of words that stand in shared memory, for searches have needed them. */
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
  figuresOf(uid: string): IndexFigures {
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

  /** An index as it stands now; {@link pin} keeps what it reads. @throws {ApiError} index_not_found; io_error when it is damaged */
  viewOf(uid: string): IndexView {
    const damage = this.#live.damaged.get(uid);
    if (damage !== undefined) throw new ApiError('io_error', damage);
    return this.#live.view(stateOf(this.#live.states, uid).record);
  }

  /** Keeps the segments of the present state, files included, until the returned function is called. */
  pin(): () => void {
    return this.#live.pin();
  }

  async close(): Promise<void> {
    this.#live.close();
    await this.#jobs.close();
  }
}
