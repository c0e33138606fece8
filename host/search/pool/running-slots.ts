import { availableParallelism } from 'node:os';
import type { Piscina } from 'piscina';
import type { ViewUpdate } from '../../index/memory/views.js';
import type { SearchAnswer } from '../answer.js';
import type { EncodedRequest } from '../request-bytes.js';
import { AnswerBuffers } from '../ring/answer-buffers.js';
import { AnswerPoller } from '../ring/answer-poller.js';
import { HostRing } from '../ring/host-ring.js';
import { LongAnswers } from '../ring/long-answers.js';
import type { FromWorker, SearchWorkerSetup, ToWorker } from '../ring/messages.js';
import { internalError, unshared } from './internal-answers.js';
import { Watchdog } from './watchdog.js';
import { type WorkerThread, WorkerThreads } from './worker-threads.js';

export interface RunningSlotsOptions {
  slots: number;
  threads: number;
  /** The threads themselves, as many as `threads`. */
  started: Piscina;
  /** Milliseconds after which a request is abandoned and its worker replaced. */
  giveUpAfter: number;
  /** What a worker starts with, besides its port and the ring. */
  setup(worker: number): Omit<SearchWorkerSetup, 'worker' | 'port' | 'ring'>;
  /** Called when a slot is free again. @param took milliseconds for which a thread ran the request */
  onFree(slot: number, request: EncodedRequest, took: number): void;
  onFault(message: string): void;
}

/** Bytes of the request and answer areas of a slot; longer ones are sent as messages. */
const REQUEST_BYTES = 64 << 10;
const ANSWER_BYTES = 1 << 20;

/**
 * The requests that search threads have, by the slot of the ring that each occupies. When a thread traps, crashes or hangs, the
 * request it was running is answered with an `internal` error.
 */
export class RunningSlots {
  readonly #options: RunningSlotsOptions;
  readonly #threads: WorkerThreads;
  readonly #ring: HostRing;
  readonly #poller: AnswerPoller;
  readonly #pending: (((answer: SearchAnswer) => void) | null)[];
  readonly #requests: (EncodedRequest | null)[];
  /** By slot: when its request was first found running, in milliseconds; null: not yet. */
  readonly #foundRunning: (number | null)[];
  readonly #long = new LongAnswers();
  readonly #buffers = new AnswerBuffers();
  readonly #watchdog = new Watchdog(
    () => this.#running > 0,
    () => this.#giveUpHung(),
  );
  #running = 0;
  #collecting = false;
  /** More answers were announced while some were being collected. */
  #answeredAgain = false;

  constructor(options: RunningSlotsOptions) {
    this.#options = options;
    const { slots, threads, started, setup, onFault } = options;
    this.#pending = new Array(slots).fill(null);
    this.#requests = new Array(slots).fill(null);
    this.#foundRunning = new Array(slots).fill(null);
    this.#ring = HostRing.create({ slots, workers: threads, requestBytes: REQUEST_BYTES, answerBytes: ANSWER_BYTES });
    this.#poller = new AnswerPoller(
      this.#ring,
      availableParallelism(),
      () => this.#running,
      () => this.#collect(),
    );
    this.#threads = new WorkerThreads({
      count: threads,
      started,
      setup: (worker) => ({ ring: this.#ring.buffers, ...setup(worker) }),
      onMessage: (thread, message) => this.#onMessage(thread, message),
      onEnd: (worker, thread) => this.#onEnd(worker, thread),
      onFault,
    });
  }

  /** Starts the threads; resolves when all of them serve. @param version of the state that they start with */
  async start(version: number): Promise<void> {
    this.#ring.announce(version);
    await this.#threads.start();
  }

  /** Hands a request to the threads. @param settle receives the answer, before its slot is free */
  run(slot: number, request: EncodedRequest, settle: (answer: SearchAnswer) => void): void {
    this.#pending[slot] = settle;
    this.#requests[slot] = request;
    this.#running++;
    this.#watchdog.begin();
    if (request.length <= REQUEST_BYTES) this.#ring.submit(slot, this.#running, (area) => request.write(area));
    else this.#submitMessage(slot, request);
    this.#poller.start();
  }

  /** Requests that threads have. */
  get running(): number {
    return this.#running;
  }

  /** Posts a new state to every worker and announces it. */
  publish(update: ViewUpdate): void {
    this.#threads.post(update satisfies ToWorker);
    this.#ring.announce(update.version);
  }

  /** The oldest version that a worker is reading; Infinity when none is. */
  oldestReader(): number {
    return this.#ring.workers.oldestEpoch();
  }

  /** Lets running requests finish, then ends the threads. */
  async close(): Promise<void> {
    this.#watchdog.end();
    this.#ring.stop();
    await this.#threads.close();
    for (let slot = 0; slot < this.#pending.length; slot++) this.#settle(slot, internalError('shuttingDown'));
  }

  #onMessage(thread: WorkerThread, message: FromWorker): void {
    switch (message.type) {
      case 'answered':
        this.#collect();
        return;
      case 'answer':
        this.#long.keep(message.slot, message.bytes);
        return;
      case 'fault':
        this.#options.onFault(message.message);
        if (message.broken) thread.abort.abort();
    }
  }

  #collect(): void {
    if (!this.#poller.isPolling) this.#ring.setPolling(false);
    // Reading an answer sent as a message also receives other messages, possibly this one: a slot must not be collected twice.
    this.#answeredAgain = true;
    if (this.#collecting) return;
    this.#collecting = true;
    while (this.#answeredAgain) {
      this.#answeredAgain = false;
      this.#ring.collect(this.#take);
    }
    this.#collecting = false;
  }

  readonly #take = (slot: number): void => {
    const status = this.#ring.slots.status(slot);
    const answer = this.#ring.answer(slot);
    this.#settle(slot, answer ? this.#buffers.answer(status, answer) : unshared(status, this.#longAnswer(slot)));
    this.#free(slot, this.#ring.slots.took(slot));
  };

  #longAnswer(slot: number): Uint8Array {
    return this.#long.take(slot, this.#threads.ports, (message, worker) => this.#onMessage(this.#threads.of(worker), message));
  }

  #submitMessage(slot: number, request: EncodedRequest): void {
    const bytes = Buffer.alloc(request.length);
    request.write(bytes);
    const worker = this.#threads.firstRunning;
    this.#threads.of(worker).port.postMessage({ type: 'request', slot, bytes } satisfies ToWorker, [bytes.buffer]);
    this.#ring.submitMessage(slot, worker);
  }

  #settle(slot: number, answer: SearchAnswer): void {
    const resolve = this.#pending[slot];
    this.#pending[slot] = null;
    resolve?.(answer);
  }

  #free(slot: number, took: number): void {
    const request = this.#requests[slot] as EncodedRequest;
    this.#requests[slot] = null;
    this.#foundRunning[slot] = null;
    this.#running--;
    this.#long.drop(slot);
    this.#ring.slots.release(slot);
    this.#options.onFree(slot, request, took);
  }

  #giveUpHung(): void {
    const now = performance.now();
    for (let slot = 0; slot < this.#pending.length; slot++) {
      const worker = this.#ring.slots.workerOf(slot);
      if (worker === null) continue;
      const since = this.#foundRunning[slot] ?? now;
      this.#foundRunning[slot] = since;
      const elapsed = now - since;
      if (elapsed < this.#options.giveUpAfter || !this.#ring.slots.giveUp(slot, worker)) continue;
      const thread = this.#threads.of(worker);
      this.#options.onFault(`a request ran for ${Math.round(elapsed)} ms and was given up`);
      thread.lost.push(slot);
      this.#settle(slot, internalError('gaveUp'));
      thread.abort.abort();
    }
  }

  #onEnd(worker: number, thread: WorkerThread): void {
    // Answers that it had finished but not announced.
    this.#collect();
    this.#ring.workers.retire(worker);
    for (const slot of this.#ring.slots.heldBy(worker)) {
      if (!this.#ring.slots.giveUp(slot, worker)) continue;
      this.#settle(slot, internalError('threadEnded'));
      thread.lost.push(slot);
    }
    for (const slot of thread.lost) this.#free(slot, this.#options.giveUpAfter);
  }
}
