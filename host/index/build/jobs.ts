import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { ApiError } from '../../../bindings/errors.js';
import { THREAD_ARGUMENTS } from '../../runtime/thread-arguments.js';
import { youngGeneration } from '../../runtime/young-generation.js';
import type { EditionInput, EditionOutput } from '../edition/edition.js';
import type { ThreadContextOptions } from '../memory/thread-context.js';
import type { Progress, ScannedPayload, SmallPayload, StoredSegment } from '../types.js';
import type { Applied, Outdated } from './apply.js';
import { applyInParts } from './apply-in-parts.js';
import type { ApplyInput, ApplyOutput, TextsInput, TextsOutput } from './batch-job.js';
import { STEPS } from './build-resources.js';
import type { ExtractInput, ExtractOutput } from './extract.js';
import { builderBudget, keptMemory, largestMerged, mergesBesideTasks, semiSpaceBytes, threadsInMemory } from './memory-budget.js';
import type { PartInput, PartOutput, Parts } from './parts.js';
import type { RebuildInput, RebuildOutput, RebuildTextsInput } from './rebuild.js';
import type { ReviseInput } from './revise.js';
import {
  type ApplyJob,
  type CsvJob,
  type EditionJob,
  type ExtractJob,
  type JobResult,
  type JobSetup,
  type PartJob,
  PROGRESS,
  type RebuildJob,
  type RebuildTextsJob,
  type ReviseJob,
  type ScanJob,
  type TextsJob,
  type ThreadSetup,
} from './worker-jobs.js';

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
  /** Returns all shared memories of the process. */
  memories: () => WebAssembly.Memory[];
}

/** Writes to segment files since the launch. */
export interface WriteCounts {
  attempts: number;
  /** Writes that had to wait for the disk. */
  blocked: number;
}

const WORKER_FILE = fileURLToPath(new URL('./worker.js', import.meta.url));
/** Threads that never end: starting one takes 0.2 to 0.5 s, which the next write should not wait for. */
const ALWAYS_ONE = 1;
/** Milliseconds until they are started if no write comes before: what the start of a process takes goes to its first answers. */
const STARTED_AFTER = 1_000;
const MERGE_THREADS = 1;
const PROGRESS_INTERVAL = 100;
/** Payloads up to this many bytes are scanned within milliseconds. */
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
  /** Two threads, of which one always stays. Long payloads are scanned one at a time, so that they never delay short ones. */
  readonly #scanners: Threads;
  /** Settles when no long payload is being scanned, or waits. */
  #longScans: Promise<unknown> = Promise.resolve();
  readonly #builders: WorkerPool;
  readonly #mergers: WorkerPool;
  readonly #starting: NodeJS.Timeout;

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
    this.#builders = new WorkerPool(pool(together, ALWAYS_ONE), together, firstReader);
    this.#mergers = mergesBesideTasks(maxIndexingMemory)
      ? new WorkerPool(pool(MERGE_THREADS), MERGE_THREADS, firstReader + threads)
      : this.#builders;
    this.#starting = setTimeout(() => this.start(), STARTED_AFTER).unref();
  }

  /** Starts the threads that always stay, unless they run. */
  start(): void {
    clearTimeout(this.#starting);
    this.#scanners.start();
    this.#builders.start();
  }

  /** Turns a body in a file into a payload. @param length of the body in bytes. @throws {ApiError} malformed_payload */
  async scan(body: ScanJob, length: number): Promise<ScannedPayload> {
    this.start();
    const scanned = (): Promise<JobResult<ScannedPayload>> => this.#scanners.start().run(body, { name: 'scan' });
    if (length <= QUICK_BYTES) return unwrap(await scanned());
    const result = this.#longScans.then(scanned);
    this.#longScans = result.catch(() => {});
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
    return this.#builders.run('edit', (reader, cells): EditionJob => ({ setup: this.#setup(reader, cells), input }), progress);
  }

  apply(input: ApplyInput, progress?: Progress): Promise<ApplyOutput | Outdated> {
    return this.#apply(this.#builders, input, progress);
  }

  /** Writes the texts of a batch that need embeddings to a file. */
  documentTexts(input: TextsInput, progress?: Progress): Promise<TextsOutput> {
    const job = (reader: number, cells: SharedArrayBuffer): TextsJob => ({ setup: this.#setup(reader, cells), input });
    return this.#builders.run('documentTexts', job, progress);
  }

  /** Writes the texts that new settings need embeddings of to a file. @returns their number */
  rebuildTexts(input: RebuildTextsInput, progress?: Progress): Promise<number> {
    const job = (reader: number, cells: SharedArrayBuffer): RebuildTextsJob => ({ setup: this.#setup(reader, cells), input });
    return this.#builders.run('rebuildTexts', job, progress);
  }

  rebuild(input: RebuildInput, progress?: Progress): Promise<RebuildOutput> {
    return this.#rebuild(this.#builders, input, progress);
  }

  /** null: the segments cannot be revised and must be rebuilt from their documents. */
  revise(input: ReviseInput, progress?: Progress): Promise<StoredSegment[] | null> {
    const job = (reader: number, cells: SharedArrayBuffer): ReviseJob => ({ setup: this.#setup(reader, cells), input });
    return this.#builders.run('reviseSegments', job, progress);
  }

  merge(input: RebuildInput): Promise<RebuildOutput> {
    return this.#rebuild(this.#mergers, input);
  }

  extract(input: ExtractInput, progress?: Progress): Promise<ExtractOutput> {
    const job = (reader: number, cells: SharedArrayBuffer): ExtractJob => ({ setup: this.#setup(reader, cells), input });
    return this.#builders.run('extractDocuments', job, progress);
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
    clearTimeout(this.#starting);
    const builders = new Set([this.#builders, this.#mergers]);
    await Promise.all([...[...builders].map((each) => each.close()), this.#scanners.close()]);
  }

  #apply(pool: WorkerPool, input: ApplyInput, progress?: Progress): Promise<ApplyOutput | Outdated> {
    const { partBytes, readerContext } = this.#options;
    const part =
      (input: PartInput, count: number) =>
      (reader: number, cells: SharedArrayBuffer): PartJob => ({
        setup: this.#setup(reader, cells, count),
        input,
      });
    const jobs = {
      apply: (input: ApplyInput, parts: Parts, progress?: Progress): Promise<Applied> =>
        pool.run('apply', (reader, cells): ApplyJob => ({ setup: this.#setup(reader, cells), input, parts }), progress),
      learn: (input: PartInput, count: number, progress?: Progress): Promise<string[]> =>
        pool.run('learn', part(input, count), progress),
      build: (input: PartInput, count: number, progress?: Progress): Promise<PartOutput> =>
        pool.run('buildOne', part(input, count), progress),
      discard: (segments: readonly StoredSegment[]) => {
        for (const { file } of segments) fs.rmSync(path.join(readerContext.segments, file), { force: true });
      },
    };
    return applyInParts(jobs, input, { most: pool.threads, leastBytes: partBytes }, progress);
  }

  #rebuild(pool: WorkerPool, input: RebuildInput, progress?: Progress): Promise<RebuildOutput> {
    return pool.run('rebuildSegments', (reader, cells): RebuildJob => ({ setup: this.#setup(reader, cells), input }), progress);
  }

  /** @param parts number of parts that are built at the same time */
  #setup(reader: number, progress: SharedArrayBuffer, parts = 1): JobSetup {
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

/** The threads for one kind of job, and the reader numbers that they use. */
class WorkerPool {
  readonly writes: WriteCounts = { attempts: 0, blocked: 0 };
  readonly #freeReaders: number[];
  readonly #waiting: ((reader: number) => void)[] = [];

  constructor(
    private readonly running: Threads,
    readonly threads: number,
    firstReader: number,
  ) {
    this.#freeReaders = Array.from({ length: threads }, (_, index) => firstReader + index);
  }

  async run<T>(name: string, job: (reader: number, cells: SharedArrayBuffer) => object, progress?: Progress): Promise<T> {
    const reader = this.#freeReaders.pop() ?? (await new Promise<number>((resolve) => this.#waiting.push(resolve)));
    const cells = new SharedArrayBuffer(PROGRESS.cells * Int32Array.BYTES_PER_ELEMENT);
    const abort = new AbortController();
    const timer = progress && setInterval(() => report(new Int32Array(cells), progress, abort), PROGRESS_INTERVAL);
    const { port1: life, port2 } = new MessageChannel();
    const over = once(life, 'close');
    try {
      const task = { ...job(reader, cells), life: port2 };
      return unwrap(await this.running.start().run(task, { name, signal: abort.signal, transferList: [port2] }));
    } catch (error) {
      if (!abort.signal.aborted) throw error;
      // The thread is being terminated, and its reader number must not be reused before that. If the task never began, its port
      // was not transferred.
      port2.close();
      life.ref();
      await over;
      throw abort.signal.reason;
    } finally {
      clearInterval(timer);
      const counts = new Int32Array(cells);
      this.writes.attempts += Atomics.load(counts, PROGRESS.writes);
      this.writes.blocked += Atomics.load(counts, PROGRESS.blockedWrites);
      life.close();
      const next = this.#waiting.shift();
      if (next) next(reader);
      else this.#freeReaders.push(reader);
    }
  }

  start(): void {
    this.running.start();
  }

  close(): Promise<void> {
    return this.running.close();
  }
}

/** Threads that start when they are first needed, or before, where that is known. */
class Threads {
  #pool: Piscina | null = null;

  constructor(private readonly make: () => Piscina) {}

  start(): Piscina {
    this.#pool ??= this.make();
    return this.#pool;
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
  }
}

/** @param options `minThreads`: threads that stay when idle. @param semiSpaceBytes of V8 in each thread */
function threadPool(
  options: { workerData: ThreadSetup; maxThreads: number; minThreads: number; idleTimeout: number },
  semiSpaceBytes: number,
): Piscina {
  return new Piscina({
    filename: WORKER_FILE,
    execArgv: THREAD_ARGUMENTS,
    resourceLimits: youngGeneration(semiSpaceBytes),
    atomics: 'disabled',
    ...options,
  });
}

/** Reports progress to a callback, which cancels the job by throwing. */
function report(cells: Int32Array, progress: Progress, abort: AbortController): void {
  const step = STEPS[Atomics.load(cells, PROGRESS.step)] as string;
  try {
    progress(step, Atomics.load(cells, PROGRESS.finished), Atomics.load(cells, PROGRESS.total));
  } catch (error) {
    abort.abort(error);
  }
}

function unwrap<T>(result: JobResult<T>): T {
  if (result.ok) return result.value;
  throw new ApiError(result.code, result.message);
}
