import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { THREAD_ARGUMENTS } from '../../runtime/thread-arguments.js';
import { youngGeneration } from '../../runtime/young-generation.js';
import type { FromWorker, SearchWorkerSetup, ToWorker } from '../ring/messages.js';

/** Milliseconds before a worker that ended is restarted, so that one that fails at its start does not occupy a core. */
const RESTART_DELAY = 100;
/** Milliseconds that running requests get when the pool closes. */
const CLOSE_TIMEOUT = 2000;
const WORKER_FILE = fileURLToPath(new URL('../worker/worker.js', import.meta.url));
/** The module whose `HANDLERS` answer the requests. */
const HANDLERS_FILE = new URL('../worker/handlers.js', import.meta.url).href;

/** Semi-space of V8 in each search thread: fixed at what its flags make it begin with. */
const SEMI_SPACE_BYTES = 8 << 20;

/**
 * Starts threads that load their modules, which takes a tenth of a second: the caller opens the indexes meanwhile.
 * @param handlers URL of a module with other `HANDLERS`
 */
export function startThreads(count: number, handlers = HANDLERS_FILE): Piscina {
  return new Piscina({
    filename: WORKER_FILE,
    execArgv: THREAD_ARGUMENTS,
    resourceLimits: youngGeneration(SEMI_SPACE_BYTES),
    workerData: handlers,
    minThreads: count,
    maxThreads: count,
    idleTimeout: Number.POSITIVE_INFINITY,
    atomics: 'disabled',
  });
}

/** One thread of a worker, from its start to its end. */
export interface WorkerThread {
  port: MessagePort;
  abort: AbortController;
  /** Slots given up while this thread held them; they become free when it has ended. */
  lost: number[];
  over: boolean;
  onOver: () => void;
}

export interface WorkerThreadsOptions {
  count: number;
  /** From {@link startThreads}, as many as `count`; they end with this pool. */
  started: Piscina;
  /** What a worker starts with, besides its port. */
  setup(worker: number): Omit<SearchWorkerSetup, 'worker' | 'port'>;
  onMessage(thread: WorkerThread, message: FromWorker): void;
  /** Called when a thread has ended, before its worker is restarted. */
  onEnd(worker: number, thread: WorkerThread): void;
  onFault(message: string): void;
}

/**
 * The search threads, numbered as workers. Piscina owns them; each runs one task that ends with the pool. A thread that ends earlier is
 * replaced.
 */
export class WorkerThreads {
  readonly #options: WorkerThreadsOptions;
  readonly #piscina: Piscina;
  readonly #threads: WorkerThread[] = [];
  #closed = false;

  constructor(options: WorkerThreadsOptions) {
    this.#options = options;
    this.#piscina = options.started;
  }

  /** Starts all threads; resolves when they serve. */
  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.count }, (_, worker) => this.#start(worker)));
  }

  /** The present thread of a worker. */
  of(worker: number): WorkerThread {
    return this.#threads[worker] as WorkerThread;
  }

  /** The first worker whose thread is running; 0 when there is none. */
  get firstRunning(): number {
    return Math.max(
      this.#threads.findIndex(({ over }) => !over),
      0,
    );
  }

  /** The ports of all workers. */
  get ports(): MessagePort[] {
    return this.#threads.map(({ port }) => port);
  }

  /** Posts a message to every worker. */
  post(message: ToWorker): void {
    for (const port of this.ports) port.postMessage(message);
  }

  /** Ends all threads, after giving those that are about to leave their loops {@link CLOSE_TIMEOUT} milliseconds. */
  async close(): Promise<void> {
    this.#closed = true;
    const timeout = new AbortController();
    const left = this.#threads.filter(({ over }) => !over).map(ended);
    await Promise.race([Promise.all(left), delay(CLOSE_TIMEOUT, null, timeout)]);
    timeout.abort();
    await this.#piscina.destroy();
  }

  #start(worker: number): Promise<void> {
    const { onMessage, onFault, setup } = this.#options;
    const { port1, port2 } = new MessageChannel();
    const thread: WorkerThread = { port: port1, abort: new AbortController(), lost: [], over: false, onOver: () => {} };
    this.#threads[worker] = thread;
    const started: SearchWorkerSetup = { worker, port: port2, ...setup(worker) };
    const task = this.#piscina.run(started, { transferList: [port2], signal: thread.abort.signal });
    return new Promise((resolve, reject) => {
      port1.on('message', (message: FromWorker) => {
        if (message.type === 'ready') resolve();
        else onMessage(thread, message);
      });
      port1.on('close', () => this.#onGone(worker, thread));
      port1.unref();
      task.catch((error) => {
        reject(error);
        if (!thread.abort.signal.aborted && !this.#closed) onFault(String(error?.stack ?? error));
      });
    });
  }

  #onGone(worker: number, thread: WorkerThread): void {
    thread.over = true;
    this.#options.onEnd(worker, thread);
    thread.onOver();
    if (this.#closed) return;
    const restart = () => {
      if (!this.#closed) this.#start(worker).catch(() => {});
    };
    setTimeout(restart, thread.abort.signal.aborted ? 0 : RESTART_DELAY);
  }
}

/** Resolves when the thread has ended. */
function ended(thread: WorkerThread): Promise<void> {
  thread.port.ref();
  return new Promise((resolve) => {
    thread.onOver = resolve;
  });
}
