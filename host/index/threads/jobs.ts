import fs from 'node:fs';
import path from 'node:path';
import { whenQuiet } from '../../runtime/quiet.js';
import type { Outdated } from '../build/apply.js';
import { applyInParts } from '../build/apply-in-parts.js';
import type { ApplyInput, ApplyOutput, TextsInput, TextsOutput } from '../build/batch/batch-job.js';
import type { ExtractInput, ExtractOutput } from '../build/extract.js';
import {
  builderBudget,
  keptMemory,
  largestMerged,
  mergesBesideTasks,
  semiSpaceBytes,
  threadsInMemory,
} from '../build/memory-budget.js';
import type { RebuildInput, RebuildOutput, RebuildTextsInput } from '../build/segments/rebuild.js';
import type { ReviseInput } from '../build/segments/revise.js';
import type { EditionInput, EditionOutput } from '../edition/edition.js';
import type { ThreadContextOptions } from '../memory/thread-context.js';
import type { ScannedPayload, SmallPayload } from '../payloads/scanned-payload.js';
import type { ScannedPiece, SpooledCsv, SpooledPiece } from '../payloads/spooled-payload.js';
import type { Progress } from '../progress.js';
import type { StoredSegment } from '../record.js';
import { BuildThreads, Threads, threadPool, unwrap, type WriteCounts } from './job-threads.js';
import type { BuildJobs, CsvJob, JobResult, JobSetup, ThreadSetup } from './worker-jobs.js';

export interface IndexJobsOptions {
  threads: number;
  readerContext: Omit<ThreadContextOptions, 'reader'>;
  /** The first reader number of index threads; search threads have the lower ones. See {@link indexReaders}. */
  firstReader: number;
  /** Bytes that all builders together may use. */
  maxIndexingMemory: number;
  /** Nice value of index threads: 0 is that of other threads, 19 the lowest priority. */
  niceness: number;
  /** Milliseconds after which an idle thread ends, unless it is one that always stays. */
  idleTimeout: number;
  newestSegment: SharedArrayBuffer;
  /** See vectorScanLimit of bindings/engine/builder-config. */
  vectorScanLimit?: number | undefined;
  /** Bytes of documents that justify a further thread and segment. */
  partBytes: number;
  /** Bytes of documents from which on a batch takes smaller segments into its own. */
  takingBytes: number;
  /** Returns all shared memories of the process. */
  memories: () => WebAssembly.Memory[];
}

/**
 * Threads that never end: starting one takes 0.2 to 0.5 s, which the next write should not wait for. They start in the first quiet
 * seconds if neither an index is created nor a write comes before, so that they take nothing from the first searches after the start
 * of the process.
 */
const ALWAYS_ONE = 1;
const MERGE_THREADS = 1;
/** CSV bodies up to this many bytes are converted within milliseconds. */
const QUICK_BYTES = 1 << 20;
/** One for payloads that take long, one for those that do not. */
const SCAN_THREADS = 2;

/**
 * Reader numbers that `threads` index threads need. Where memory allows, merges run on a thread of their own, so that they delay
 * no task.
 */
export function indexReaders(threads: number): number {
  return threads + MERGE_THREADS;
}

/** The index threads: those that scan payloads, those that build segments for tasks, and the one that merges. */
export class IndexJobs {
  readonly #options: IndexJobsOptions;
  /** Two threads, of which one always stays. Long CSV bodies are converted one at a time, so that they never delay others. */
  readonly #scanners: Threads;
  /** Settles when no long CSV body is being converted, or waits. */
  #longConversions: Promise<unknown> = Promise.resolve();
  readonly #builders: BuildThreads;
  readonly #mergers: BuildThreads;
  readonly #stopWaiting: () => void;

  constructor(options: IndexJobsOptions) {
    this.#options = options;
    const { threads, firstReader, idleTimeout, readerContext, newestSegment, niceness, maxIndexingMemory } = options;
    const { vectorScanLimit } = options;
    const kept = keptMemory(maxIndexingMemory);
    const setup: ThreadSetup = { readerContext, newestSegment, niceness, keptMemory: kept, vectorScanLimit };
    const semiSpace = semiSpaceBytes(maxIndexingMemory);
    const pool = (maxThreads: number, minThreads = 0) =>
      new Threads(() => threadPool({ workerData: setup, maxThreads, minThreads, idleTimeout }, semiSpace));
    this.#scanners = pool(SCAN_THREADS, ALWAYS_ONE);
    const together = threadsInMemory(maxIndexingMemory, threads);
    this.#builders = new BuildThreads(pool(together, ALWAYS_ONE), together, firstReader);
    this.#mergers = mergesBesideTasks(maxIndexingMemory)
      ? new BuildThreads(pool(MERGE_THREADS), MERGE_THREADS, firstReader + threads)
      : this.#builders;
    this.#stopWaiting = whenQuiet(() => this.start());
  }

  /** Starts the threads that always stay, unless they run. */
  start(): void {
    this.#stopWaiting();
    this.#scanners.start();
    this.#builders.start();
  }

  /** Scans a piece of a JSON body in a file. @throws {ApiError} malformed_payload */
  async scanPiece(piece: SpooledPiece): Promise<ScannedPiece> {
    return unwrap(await this.#scanners.start().run(piece, { name: 'scanPiece' }));
  }

  /** Turns a CSV body in a file into a payload. @param length of the body in bytes. @throws {ApiError} malformed_payload */
  async convertCsv(body: SpooledCsv, length: number): Promise<ScannedPayload> {
    const converted = (): Promise<JobResult<ScannedPayload>> => this.#scanners.start().run(body, { name: 'convertCsv' });
    if (length <= QUICK_BYTES) return unwrap(await converted());
    const result = this.#longConversions.then(converted);
    this.#longConversions = result.catch(() => {});
    return unwrap(await result);
  }

  /** Turns a small CSV body into a payload. @throws {ApiError} malformed_payload */
  async scanCsv(job: CsvJob): Promise<SmallPayload> {
    return unwrap(await this.#scanners.start().run(job, { name: 'scanCsv' }));
  }

  /** @throws {ApiError} bad_request */
  async checkScript(script: string): Promise<void> {
    unwrap(await this.#scanners.start().run({ script }, { name: 'checkScript' }));
  }

  edit(input: EditionInput, progress: Progress): Promise<EditionOutput> {
    return this.#run('edit', input, progress);
  }

  apply(input: ApplyInput, progress?: Progress): Promise<ApplyOutput | Outdated> {
    const { partBytes, takingBytes, readerContext } = this.#options;
    return applyInParts(
      {
        apply: (batch, parts, progress) => this.#run('apply', { batch, parts }, progress),
        learn: (part, parts, progress) => this.#run('learn', part, progress, parts),
        build: (part, parts, progress) => this.#run('buildPart', part, progress, parts),
        discard: (segments) => {
          for (const { file } of segments) fs.rmSync(path.join(readerContext.segments, file), { force: true });
        },
      },
      input,
      { most: this.#builders.threads, leastBytes: partBytes, takingBytes },
      progress,
    );
  }

  /** Writes the texts of a batch that need embeddings to a file. */
  documentTexts(input: TextsInput, progress?: Progress): Promise<TextsOutput> {
    return this.#run('documentTexts', input, progress);
  }

  /** Writes the texts that new settings need embeddings of to a file. @returns their number */
  rebuildTexts(input: RebuildTextsInput, progress?: Progress): Promise<number> {
    return this.#run('rebuildTexts', input, progress);
  }

  rebuild(input: RebuildInput, progress?: Progress): Promise<RebuildOutput> {
    return this.#run('rebuild', input, progress);
  }

  /** null: the segments cannot be revised and must be rebuilt from their documents. */
  revise(input: ReviseInput, progress?: Progress): Promise<StoredSegment[] | null> {
    return this.#run('revise', input, progress);
  }

  merge(input: RebuildInput): Promise<RebuildOutput> {
    return this.#mergers.run('rebuild', input, (reader, cells) => this.#setup(reader, cells, 1));
  }

  extract(input: ExtractInput, progress?: Progress): Promise<ExtractOutput> {
    return this.#run('extract', input, progress);
  }

  /** Bytes of the largest segment that a merge is certain to fit in memory. */
  get largestMerged(): number {
    return largestMerged(this.#options.maxIndexingMemory);
  }

  /** Writes to segment files for tasks; merges are not counted. */
  get writes(): WriteCounts {
    return { ...this.#builders.writes };
  }

  async close(): Promise<void> {
    this.#stopWaiting();
    const builders = new Set([this.#builders, this.#mergers]);
    await Promise.all([...[...builders].map((each) => each.close()), this.#scanners.close()]);
  }

  /** @param parts how many of them are built at the same time */
  #run<Name extends keyof BuildJobs>(
    name: Name,
    input: BuildJobs[Name]['input'],
    progress?: Progress,
    parts = 1,
  ): Promise<BuildJobs[Name]['output']> {
    return this.#builders.run(name, input, (reader, cells) => this.#setup(reader, cells, parts), progress);
  }

  #setup(reader: number, progress: SharedArrayBuffer, parts: number): JobSetup {
    const { threads, firstReader, maxIndexingMemory } = this.#options;
    const memories = this.#options.memories();
    return {
      reader,
      memories,
      sizes: memories.map((memory) => memory.buffer.byteLength),
      memoryBudget: builderBudget(maxIndexingMemory, reader < firstReader + threads ? 'tasks' : 'merges', parts),
      progress,
    };
  }
}
