import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { ApiError } from '../../../bindings/errors.js';
import { THREAD_ARGUMENTS } from '../../runtime/thread-arguments.js';
import { youngGeneration } from '../../runtime/young-generation.js';
import { STEPS } from '../build/build-resources.js';
import type { Progress } from '../progress.js';
import { type BuildJobs, type BuildTask, type JobResult, type JobSetup, PROGRESS, type ThreadSetup } from './worker-jobs.js';

/** Writes to segment files since the launch. */
export interface WriteCounts {
  attempts: number;
  /** Writes that had to wait for the disk. */
  blocked: number;
}

const WORKER_FILE = fileURLToPath(new URL('./worker.js', import.meta.url));
const PROGRESS_INTERVAL = 100;

/** The threads that build, or those that merge, and the reader numbers that they use. */
export class BuildThreads {
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

  /** Runs a job. @param setupOf what it receives, by the reader number that it gets */
  async run<Name extends keyof BuildJobs>(
    name: Name,
    input: BuildJobs[Name]['input'],
    setupOf: (reader: number, cells: SharedArrayBuffer) => JobSetup,
    progress?: Progress,
  ): Promise<BuildJobs[Name]['output']> {
    const reader = this.#freeReaders.pop() ?? (await new Promise<number>((resolve) => this.#waiting.push(resolve)));
    const cells = new SharedArrayBuffer(PROGRESS.cells * Int32Array.BYTES_PER_ELEMENT);
    const abort = new AbortController();
    const timer = progress && setInterval(() => report(new Int32Array(cells), progress, abort), PROGRESS_INTERVAL);
    const { port1: life, port2 } = new MessageChannel();
    const over = once(life, 'close');
    try {
      const task: BuildTask<Name> = { name, setup: setupOf(reader, cells), input, life: port2 };
      return unwrap(await this.running.start().run(task, { name: 'build', signal: abort.signal, transferList: [port2] }));
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
export class Threads {
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
export function threadPool(
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

export function unwrap<T>(result: JobResult<T>): T {
  if (result.ok) return result.value;
  throw new ApiError(result.code, result.message);
}
