import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { ApiError } from '../../bindings/errors.js';
import type { HomeOptions } from '../search/home.js';
import type { ApplyInput, ApplyOutput } from './apply.js';
import type { RebuildInput, RebuildOutput } from './rebuild.js';
import type { Progress } from './types.js';
import { type ApplyJob, type JobResult, type JobSetup, PROGRESS, type RebuildJob, type ScanJob, STEPS } from './worker-jobs.js';

export interface IndexJobsOptions {
  threads: number;
  /** The `plain` target. */
  plain: WebAssembly.Module;
  home: Omit<HomeOptions, 'reader'>;
  /** The arenas of index threads come after those of this many search threads. */
  firstReader: number;
  /** Bytes that all builders together may take. */
  maxIndexingMemory: number;
  newestSegment: SharedArrayBuffer;
  /** All memories of the process as they are when a job starts. */
  memories: () => WebAssembly.Memory[];
}

const WORKER_FILE = fileURLToPath(new URL('./worker.js', import.meta.url));
/** Milliseconds after which an idle thread ends: its memory goes back to the system. */
const IDLE_TIMEOUT = 10_000;
const PROGRESS_INTERVAL = 100;
/** Of the memory for indexing: what finishing a segment takes on top is the rest. */
const BUILDER_SHARE = 0.4;
const LARGEST_BUILDER = 1 << 30;

/** The threads that check payloads and those that build segments: apart, so that a long build delays no request. */
export class IndexJobs {
  readonly #options: IndexJobsOptions;
  readonly #builders: Piscina;
  readonly #scanners: Piscina;
  readonly #freeReaders: number[];
  readonly #waiting: ((reader: number) => void)[] = [];

  constructor(options: IndexJobsOptions) {
    this.#options = options;
    const { threads, firstReader } = options;
    this.#freeReaders = Array.from({ length: threads }, (_, index) => firstReader + index);
    const common = { filename: WORKER_FILE, minThreads: 0, idleTimeout: IDLE_TIMEOUT, atomics: 'disabled' as const };
    this.#builders = new Piscina({ ...common, maxThreads: threads });
    this.#scanners = new Piscina({ ...common, maxThreads: 1 });
  }

  /** `bytes` move to the worker when they own their buffer. */
  async scan(job: Omit<ScanJob, 'plain'>): Promise<{ count: number; bytes: number }> {
    const { buffer, byteLength } = job.bytes;
    const owned = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
    return unwrap(
      await this.#scanners.run({ ...job, plain: this.#options.plain } satisfies ScanJob, {
        name: 'scan',
        transferList: owned ? [buffer as never] : [],
      }),
    );
  }

  apply(input: ApplyInput, progress?: Progress): Promise<ApplyOutput> {
    return this.#build('apply', (setup): ApplyJob => ({ setup, input }), progress);
  }

  rebuild(input: RebuildInput, progress?: Progress): Promise<RebuildOutput> {
    return this.#build('rebuildSegments', (setup): RebuildJob => ({ setup, input }), progress);
  }

  async close(): Promise<void> {
    await Promise.all([this.#builders.destroy(), this.#scanners.destroy()]);
  }

  async #build<T>(name: string, job: (setup: JobSetup) => unknown, progress?: Progress): Promise<T> {
    const reader = this.#freeReaders.pop() ?? (await new Promise<number>((resolve) => this.#waiting.push(resolve)));
    const cells = new Int32Array(new SharedArrayBuffer(PROGRESS.cells * Int32Array.BYTES_PER_ELEMENT));
    const abort = new AbortController();
    const timer = progress && setInterval(() => report(cells, progress, abort), PROGRESS_INTERVAL);
    try {
      const { threads, plain, home, newestSegment, maxIndexingMemory } = this.#options;
      const memories = this.#options.memories();
      const setup: JobSetup = {
        plain,
        home: { ...home, reader },
        memories,
        sizes: memories.map((memory) => memory.buffer.byteLength),
        newestSegment,
        memoryBudget: Math.min((maxIndexingMemory / threads) * BUILDER_SHARE, LARGEST_BUILDER),
        progress: cells.buffer as SharedArrayBuffer,
      };
      return unwrap(await this.#builders.run(job(setup), { name, signal: abort.signal }));
    } catch (error) {
      throw abort.signal.aborted ? abort.signal.reason : error;
    } finally {
      clearInterval(timer);
      const next = this.#waiting.shift();
      if (next) next(reader);
      else this.#freeReaders.push(reader);
    }
  }
}

/** Whoever listens ends the job by throwing. */
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
