import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { THREAD_ARGUMENTS } from '../../runtime/thread-arguments.js';
import type { ModelPlace } from './load.js';
import { LocalModelError } from './model.js';

export interface ThreadRequest {
  place: ModelPlace;
  texts: readonly string[];
}

export type ThreadAnswer =
  | { ok: true; dimensions: number; isFast: boolean; values: Float32Array }
  | { ok: false; message: string };

interface Job extends ThreadRequest {
  vectors: Float32Array[];
  signal: AbortSignal;
  resolve(vectors: Float32Array[]): void;
  reject(error: unknown): void;
}

const WORKER_FILE = fileURLToPath(new URL('./worker.js', import.meta.url));
/** Milliseconds without work after which the thread ends and its models are freed. */
const IDLE_MS = 10 * 60_000;
/** Milliseconds that one slice of texts should take: a query waits about as long behind documents. */
const SLICE_MS = 30;
const MAX_SLICE_TEXTS = 256;

/** The thread that runs local models; queries go before documents. */
export class ModelThread {
  #worker: Worker | null = null;
  readonly #queries: Job[] = [];
  readonly #documents: Job[] = [];
  #running = false;
  /** Number of texts that take about {@link SLICE_MS}, by the folder of the model. */
  readonly #slices = new Map<string, number>();
  /** Folders of models that were measured to be fast. */
  readonly #fast = new Set<string>();
  #idle: NodeJS.Timeout | undefined;

  /** The vectors of the texts. @throws {LocalModelError} */
  embed(request: ThreadRequest, isQuery: boolean, signal: AbortSignal): Promise<Float32Array[]> {
    return new Promise((resolve, reject) => {
      const line = isQuery ? this.#queries : this.#documents;
      line.push({ ...request, vectors: [], signal, resolve, reject });
      if (!this.#running) this.#run();
    });
  }

  isFast(folder: string): boolean {
    return this.#fast.has(folder);
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
    this.#worker = null;
  }

  async #run(): Promise<void> {
    this.#running = true;
    clearTimeout(this.#idle);
    for (let line = this.#next(); line; line = this.#next()) {
      const [job] = line as [Job];
      try {
        await this.#advance(job);
        if (job.vectors.length < job.texts.length) continue;
        job.resolve(job.vectors);
      } catch (error) {
        job.reject(error);
      }
      line.shift();
    }
    this.#running = false;
    this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
  }

  #next(): Job[] | null {
    return [this.#queries, this.#documents].find((line) => line.length > 0) ?? null;
  }

  /** Embeds the next slice of a job. */
  async #advance({ place, texts, vectors, signal }: Job): Promise<void> {
    signal.throwIfAborted();
    const size = this.#slices.get(place.folder) ?? 1;
    const some = texts.slice(vectors.length, vectors.length + size);
    const began = performance.now();
    const answer = await this.#ask({ place, texts: some });
    if (!answer.ok) throw new LocalModelError(answer.message);
    const { dimensions, values, isFast } = answer;
    if (isFast) this.#fast.add(place.folder);
    for (let at = 0; at < values.length; at += dimensions) vectors.push(values.subarray(at, at + dimensions));
    const fitting = Math.floor((some.length * SLICE_MS) / Math.max(performance.now() - began, 0.1));
    // The first request includes loading the model.
    this.#slices.set(place.folder, Math.min(MAX_SLICE_TEXTS, size * 4, Math.max(1, fitting)));
  }

  #ask(request: ThreadRequest): Promise<ThreadAnswer> {
    this.#worker ??= new Worker(WORKER_FILE, { execArgv: THREAD_ARGUMENTS });
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      const end = () => {
        worker.off('message', answered).off('error', failed).off('exit', ended);
        worker.unref();
      };
      const answered = (answer: ThreadAnswer) => {
        end();
        resolve(answer);
      };
      const failed = (error: Error) => {
        end();
        this.#worker = null;
        reject(new LocalModelError(`the thread of models has ended: ${error.message}.`));
      };
      const ended = (code: number) => failed(new Error(`exit ${code}`));
      worker.on('message', answered).on('error', failed).on('exit', ended);
      worker.ref();
      worker.postMessage(request);
    });
  }
}
