import fs from 'node:fs';
import path from 'node:path';
import { generatesVectors } from '../../bindings/embedders/models.js';
import type { WordList } from '../../bindings/engine/word-lists.js';
import { ApiError } from '../../bindings/errors.js';
import type { IndexSettings, IndexView } from '../../bindings/index-types.js';
import type { SearchRule } from '../../bindings/rules/rule.js';
import type { Ledger } from '../storage/ledger.js';
import { makeFolder } from '../storage/sync.js';
import type { ApplyInput } from './build/apply.js';
import type { ExtractInput, ExtractOutput } from './build/extract.js';
import { IndexJobs, indexReaders, type WriteCounts } from './build/jobs.js';
import type { RebuildInput } from './build/rebuild.js';
import { ColumnChange } from './build/revise.js';
import { applied, merged, partsRebuilt, Relocations, rebuilt, reconfigured, revised } from './commits/changes.js';
import { type Change, ChangeGroup } from './commits/draft.js';
import { worthMerging } from './commits/merge.js';
import { clearing, creation, deletion, type SwapPair, stateOf, swaps, update } from './commits/operations.js';
import type { EditionOutput } from './edition/edition.js';
import { watched } from './edition/watch.js';
import { type Embed, type EmbeddingFiles, embedBatch, embedRebuild } from './embedding.js';
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
import { keepsVectorForms } from './settings/embedders/built.js';
import { withNormalWords } from './settings/normal-words.js';
import { changedParts, PARTS, type Part } from './settings/settings.js';
import type {
  DocumentOperation,
  Draft,
  Edition,
  IndexRecord,
  OperationResult,
  PayloadFormat,
  Progress,
  SmallPayload,
  StoredPayload,
  StoredSegment,
} from './types.js';
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

/** How work on documents goes on. */
export interface WorkOptions {
  progress?: Progress | undefined;
  /** Has texts embedded; without it what has no vectors gets none. */
  embed?: Embed | undefined;
}

/**
 * The indexes of a database: their states, and the threads that build segments. Changes come as drafts, which the caller
 * commits; nothing is visible before {@link Draft.publish}.
 */
export class IndexStore {
  readonly #live: LiveStates;
  readonly #jobs: IndexJobs;
  readonly #segmentMemory: SegmentMemory;
  readonly #payloads: string;
  readonly #relocations = new Relocations();
  readonly #intake: PayloadIntake;
  readonly #engine: MainEngine;
  readonly #work: WorkFigures;
  /** Segments that merging did not make fewer. */
  readonly #unmergeable = new Set<number>();

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
    this.#payloads = payloads;
    this.#engine = engine;
    this.#intake = new PayloadIntake(jobs, engine, payloads);
    this.#work = new WorkFigures((uid) => live.records.has(uid));
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
    const home = { module: compileSearcher(), layout, segments };
    // no index thread runs yet: the main thread may use the arena of the first
    const live = await LiveStates.load(reading, segmentMemory, segments, new ThreadContext({ ...home, reader: searchThreads }));
    const plain = compileBuilder();
    const jobs = new IndexJobs({
      threads: indexThreads,
      plain,
      home,
      firstReader: searchThreads,
      maxIndexingMemory: options.maxIndexingMemory,
      niceness: options.indexNiceness ?? 0,
      idleTimeout: options.indexIdleTimeout ?? INDEX_IDLE_TIMEOUT,
      newestSegment: live.newestSegment,
      partBytes: options.indexPartBytes ?? INDEX_PART_BYTES,
      memories: () => memories.list,
    });
    return new IndexStore(live, jobs, segmentMemory, payloads, new MainEngine(plain), home);
  }

  /** Indexes that cannot be read, and why. They can be cleared and deleted. */
  get damaged(): ReadonlyMap<string, string> {
    return this.#live.damaged;
  }

  /** The committed state of every index, by uid. */
  get indexes(): ReadonlyMap<string, IndexRecord> {
    return this.#live.records;
  }

  /**
   * Checks a payload. What is small comes back, for the caller to keep; the rest goes to a file, which is durable then. null: no bytes.
   * @throws {ApiError} malformed_payload; io_error and the like
   */
  takePayload(bytes: Buffer, format: PayloadFormat, csvDelimiter?: string): Promise<SmallPayload | StoredPayload | null> {
    return this.#intake.take(bytes, format, csvDelimiter);
  }

  /** The same of a payload that comes in pieces: however long it is, it takes little memory. */
  takePieces(
    pieces: AsyncGenerator<Buffer>,
    format: PayloadFormat,
    csvDelimiter?: string,
  ): Promise<SmallPayload | StoredPayload | null> {
    return this.#intake.takePieces(pieces, format, csvDelimiter);
  }

  /** Like {@link takePieces}, but always to a file. */
  storePayload(
    pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
    format: PayloadFormat,
    csvDelimiter?: string,
  ): Promise<StoredPayload> {
    return this.#intake.store(pieces, format, csvDelimiter);
  }

  /** @throws {ApiError} index_already_exists, when the draft is settled */
  createIndex(uid: string, primaryKey: string | null, now: string): Draft {
    return this.#drafts([creation(uid, primaryKey, now)])[0] as Draft;
  }

  /** A new primary key, a new name, or both; whether the key may change is for the caller to know. */
  updateIndex(uid: string, change: { primaryKey?: string; newUid?: string }, now: string): Draft[] {
    return this.#drafts(update(uid, change, now));
  }

  deleteIndex(uid: string): Draft {
    return new ChangeGroup(this.#live, [deletion(uid)]).drafts[0] as Draft;
  }

  /** All pairs at once; the drafts are published together. */
  swapIndexes(pairs: SwapPair[]): Draft[] {
    return this.#drafts(swaps(pairs));
  }

  clearDocuments(uid: string, now: string): Draft {
    return new ChangeGroup(this.#live, [clearing(uid, now)]).drafts[0] as Draft;
  }

  /**
   * Applies operations in order, as if one at a time. A filter among them sees what is committed and the deletions before it,
   * so additions must not come before it.
   * @throws {ApiError} index_not_found; failures of single operations are in the results
   */
  async applyDocuments(
    uid: string,
    operations: DocumentOperation[],
    now: string,
    { progress, embed }: WorkOptions = {},
  ): Promise<{ results: OperationResult[]; draft: Draft }> {
    const input = (): ApplyInput => {
      const { record } = stateOf(this.#live.states, uid);
      const { freeIds, nextInternalId } = record;
      return { view: this.#live.view(record), freeIds, nextInternalId, operations, payloads: this.#payloads };
    };
    const { settings } = stateOf(this.#live.states, uid).record;
    const files = { folder: this.#payloads, prefix: this.#intake.name() };
    try {
      // nothing is pinned meanwhile: it may take hours, and merges change no document
      const embedded = embed && generatesVectors(settings) ? await embedBatch(this.#jobs, input, files, embed, progress) : {};
      return await this.#job(async (end) => {
        const { record } = stateOf(this.#live.states, uid);
        const output = await this.#jobs.apply({ ...input(), ...embedded }, progress);
        await this.#load(output.segments, record);
        const { change, results } = applied(uid, output, this.#relocations, now);
        return { results, draft: this.#drafts([change], output.segments, end)[0] as Draft };
      });
    } finally {
      this.#dropEmbeddings(files);
    }
  }

  #dropEmbeddings({ prefix }: EmbeddingFiles): void {
    this.dropPayloads([`${prefix}-embeddings`]);
  }

  /** @throws {ApiError} bad_request: the script of an edition does not compile */
  checkScript(script: string): Promise<void> {
    return this.#jobs.checkScript(script);
  }

  /**
   * Runs a script over the documents that a filter selects. Nothing is changed: what the script makes lies in payloads, to be applied
   * and dropped.
   * @throws {ApiError} of the script and of the filter
   */
  async runEdition(uid: string, edition: Edition, progress: Progress): Promise<EditionOutput> {
    const view = this.#live.view(stateOf(this.#live.states, uid).record);
    const prefix = this.#intake.name();
    return this.#job(async (end) => {
      try {
        return await this.#jobs.edit({ view, edition, folder: this.#payloads, prefix }, watched(progress));
      } catch (error) {
        this.dropPayloads(fs.readdirSync(this.#payloads).filter((name) => name.startsWith(`${prefix}-`)));
        throw error;
      } finally {
        end();
      }
    });
  }

  dropPayloads(files: string[]): void {
    for (const file of files) fs.rmSync(path.join(this.#payloads, file), { force: true });
  }

  /**
   * Gives an index new settings, and builds the parts of its segments anew that they change.
   * @throws {ApiError} when stored documents do not fit the settings, and index_not_found
   */
  async changeSettings(uid: string, wanted: IndexSettings, now: string, { progress, embed }: WorkOptions = {}): Promise<Draft> {
    const settings = this.#engine.run((instance) => withNormalWords(instance, wanted));
    const { record } = stateOf(this.#live.states, uid);
    const parts = changedParts(record.settings, settings);
    if (new ColumnChange(record.settings, settings, record.fields).isNone) parts.delete('columns');
    if (record.segments.length === 0 || parts.size === 0) {
      return this.#drafts([reconfigured(uid, settings, now)])[0] as Draft;
    }
    const changesVectors = parts.has('vectors');
    const changedAlone = changesVectors && parts.size === 1 && keepsVectorForms(record.settings, settings);
    if (!changesVectors) {
      const draft = await this.#revise(uid, settings, [...parts], now, progress);
      if (draft) return draft;
    }
    const input = (): RebuildInput => {
      const { record: present } = stateOf(this.#live.states, uid);
      const sources = present.segments.map(({ id }) => id);
      return {
        view: this.#live.view(present),
        settings,
        sources,
        checkDocuments: true,
        changesVectors,
        changedAlone,
      };
    };
    const files = { folder: this.#payloads, prefix: this.#intake.name() };
    try {
      const embeddings = embed && changesVectors ? await embedRebuild(this.#jobs, input(), files, embed, progress) : null;
      return await this.#job(async (end) => {
        const { record: present } = stateOf(this.#live.states, uid);
        const output = await this.#jobs.rebuild({ ...input(), embeddings }, progress);
        await this.#load(output.segments, present);
        this.#work.rebuilt(uid, changedAlone ? ['vectors'] : PARTS);
        const change = changedAlone
          ? revised(uid, settings, output, this.#relocations, now)
          : rebuilt(present, settings, output, now);
        return this.#drafts([change], output.segments, end)[0] as Draft;
      });
    } finally {
      this.#dropEmbeddings(files);
    }
  }

  /** null: some of the segments must be built anew as a whole. */
  async #revise(
    uid: string,
    settings: IndexSettings,
    parts: Part[],
    now: string,
    progress: Progress | undefined,
  ): Promise<Draft | null> {
    return this.#job(async (end) => {
      const state = stateOf(this.#live.states, uid);
      const made = await this.#jobs.revise({ view: this.#live.view(state.record), settings, parts }, progress);
      if (!made) {
        end();
        return null;
      }
      await this.#load(made, state.record);
      this.#work.rebuilt(uid, parts);
      return this.#drafts([partsRebuilt(state, settings, made, now)], made, end)[0] as Draft;
    });
  }

  /** Indexes with segments that another version of the tokenizer made: {@link mergeIfWorthwhile} builds these anew. */
  get outdatedIndexes(): string[] {
    const { records, outdated } = this.#live;
    return [...records].flatMap(([uid, { segments }]) => (segments.some(({ id }) => outdated.has(id)) ? [uid] : []));
  }

  /**
   * Merges segments of an index when its tiers ask for it, and first of all what is outdated. The draft may be settled at any time later: what was deleted
   * meanwhile stays deleted, and a merge that came too late changes nothing.
   */
  mergeIfWorthwhile(uid: string): Promise<Draft | null> {
    return this.#merge(uid, (segments) => {
      const outdated = segments.filter(({ id }) => this.#live.outdated.has(id));
      if (outdated.length > 0) return outdated;
      const mergeable = segments.filter(({ id }) => !this.#unmergeable.has(id));
      return worthMerging(mergeable, this.#jobs.largestMerged);
    });
  }

  /** Merges all segments of an index into as few as possible and drops deleted documents. */
  compactIndex(uid: string): Promise<Draft | null> {
    const needed = (segments: StoredSegment[]) => segments.length > 1 || segments.some((each) => each.liveCount < each.docCount);
    return this.#merge(uid, (segments) => (needed(segments) ? segments : []));
  }

  /** Writes documents of an index as NDJSON. @throws {ApiError} index_not_found, invalid_document_filter */
  async extractDocuments(uid: string, what: Omit<ExtractInput, 'view'>, progress?: Progress): Promise<ExtractOutput> {
    const { record } = stateOf(this.#live.states, uid);
    const unpin = this.pin();
    try {
      return await this.#jobs.extract({ view: this.#live.view(record), ...what }, progress);
    } finally {
      unpin();
    }
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

  async #merge(uid: string, choose: (segments: StoredSegment[]) => StoredSegment[]): Promise<Draft | null> {
    const state = stateOf(this.#live.states, uid);
    const { record } = state;
    const sources = choose(record.segments);
    if (sources.length === 0) return null;
    return this.#job(async (end) => {
      const ids = sources.map(({ id }) => id);
      const view = this.#live.view(record);
      const { settings } = record;
      const ended = this.#work.merge(uid);
      const output = await this.#jobs
        .merge({ view, settings, sources: ids, checkDocuments: false, changesVectors: false })
        .finally(() => ended(sources.reduce((sum, { liveCount }) => sum + liveCount, 0)));
      // they hold as much as the memory for merging allows: merging them again would only write them again
      if (output.segments.length >= sources.length) for (const { id } of output.segments) this.#unmergeable.add(id);
      await this.#load(output.segments, record);
      return this.#drafts([merged(state, ids, output, this.#relocations)], output.segments, end)[0] as Draft;
    });
  }

  /** Runs a job on the committed state, which readers must not lose until the job's draft has ended. */
  async #job<T>(job: (end: () => void) => Promise<T>): Promise<T> {
    const unpin = this.#live.pin();
    const leave = this.#relocations.enter();
    const end = () => {
      leave();
      unpin();
    };
    try {
      return await job(end);
    } catch (error) {
      end();
      throw error;
    }
  }

  async #load(segments: StoredSegment[], record: IndexRecord): Promise<void> {
    try {
      for (const segment of segments) await this.#segmentMemory.load(segment, record.segments);
    } catch (error) {
      this.#live.drop(segments);
      throw error;
    }
  }

  #drafts(changes: Change[], added: StoredSegment[] = [], onEnd?: () => void): Draft[] {
    for (const { uid } of changes) {
      const damage = this.#live.damaged.get(uid);
      if (damage !== undefined) throw new ApiError('io_error', damage);
    }
    return new ChangeGroup(this.#live, changes, added, onEnd).drafts;
  }
}
