import { availableParallelism } from 'node:os';
import type { IndexStore } from '../index/index-store.js';
import type { ThreadContextOptions } from '../index/memory/thread-context.js';
import type { ViewReaders, ViewUpdate } from '../index/memory/views.js';
import { AnswerBuffers } from './answer-buffers.js';
import { AnswerPoller } from './answer-poller.js';
import { threadClock } from './clock.js';
import { ExpectedCosts } from './expected-costs.js';
import { HangWatch } from './hang-watch.js';
import { HostRing } from './host-ring.js';
import { internalError, unshared } from './internal-answers.js';
import { LongAnswers } from './long-answers.js';
import type { FromWorker, ToWorker } from './messages.js';
import { levelOf, type QueueLimits, SearchQueue } from './queue.js';
import { EncodedRequest } from './request-bytes.js';
import { SideBySide } from './side-by-side.js';
import type { SearchAnswer, SearchCall } from './types.js';
import { SearchUsage } from './usage.js';
import { type WorkerThread, WorkerThreads } from './worker-threads.js';

export interface SearchPoolOptions {
  threads: number;
  queue: Omit<QueueLimits, 'threads'>;
  /**
   * Milliseconds after which a request is abandoned and its worker replaced: a bug or a hostile request, never just a slow
   * search.
   */
  giveUpAfter: number;
  readerContext: Omit<ThreadContextOptions, 'reader'>;
  /** URL of the module whose `HANDLERS` answer the requests. */
  handlers?: string;
  /** The state that a new worker starts with. */
  snapshot: () => ViewUpdate;
  onFault: (message: string) => void;
}

/** Milliseconds after which a search counts as hung. */
const GIVE_UP_AFTER = 60_000;
/** Kinds of requests that the feature `disableDocumentsFetchQueue` exempts from the queue limit. */
const FETCHES: ReadonlySet<string> = new Set(['documents', 'document']);
/** Bytes of the request and answer areas of a slot; longer ones are sent as messages. */
const REQUEST_BYTES = 64 << 10;
const ANSWER_BYTES = 1 << 20;

/**
 * Answers searches by the search threads, over the ring that they serve. When a thread traps, crashes or hangs, the request it was running
 * is answered with an `internal` error.
 */
export class SearchPool implements ViewReaders {
  readonly #options: SearchPoolOptions;
  readonly #threads: WorkerThreads;
  readonly #ring: HostRing;
  readonly #poller: AnswerPoller;
  readonly #queue: SearchQueue;
  readonly #pending: (((answer: SearchAnswer) => void) | null)[];
  /** By slot: the request, and the level with which the slot was acquired. */
  readonly #requests: (EncodedRequest | null)[];
  readonly #levels: number[];
  /** By slot: the multi-search that will use it for its next query when it becomes free. */
  readonly #searches: (SideBySide | null)[];
  readonly #costs = new ExpectedCosts();
  readonly #long = new LongAnswers();
  readonly #buffers = new AnswerBuffers();
  readonly #watch = new HangWatch(
    () => this.#running > 0,
    () => this.#giveUpHung(),
  );
  #running = 0;
  readonly usage = new SearchUsage();
  #collecting = false;
  /** More answers were announced while some were being collected. */
  #answeredAgain = false;
  #closed = false;

  private constructor(options: SearchPoolOptions) {
    this.#options = options;
    const { threads, queue } = options;
    this.#queue = new SearchQueue({ ...queue, threads });
    this.#pending = new Array(queue.parallel).fill(null);
    this.#requests = new Array(queue.parallel).fill(null);
    this.#levels = new Array(queue.parallel).fill(0);
    this.#searches = new Array(queue.parallel).fill(null);
    const processors = availableParallelism();
    const areas = { requestBytes: REQUEST_BYTES, answerBytes: ANSWER_BYTES };
    const shape = { slots: queue.parallel, workers: threads, processors, ...areas };
    this.#ring = HostRing.create(shape);
    this.#poller = new AnswerPoller(
      this.#ring,
      () => this.#running,
      () => this.#collect(),
    );
    this.#threads = new WorkerThreads({
      count: threads,
      setup: (worker) => ({
        ring: this.#ring.buffers,
        readerContext: { ...options.readerContext, reader: worker },
        snapshot: options.snapshot(),
        usage: this.usage.buffer,
        handlers: options.handlers ?? new URL('./handlers.js', import.meta.url).href,
      }),
      onMessage: (thread, message) => this.#onMessage(thread, message),
      onEnd: (worker, thread) => this.#onEnd(worker, thread),
      onFault: options.onFault,
    });
  }

  /** Starts the threads; resolves when all of them serve. */
  static async start(options: SearchPoolOptions): Promise<SearchPool> {
    const pool = new SearchPool(options);
    pool.#ring.announce(options.snapshot().version);
    await pool.#threads.start();
    return pool;
  }

  /** Starts the threads over the indexes of a store, which publishes new versions to them from now on. */
  static async over(
    indexStore: IndexStore,
    options: Omit<SearchPoolOptions, 'readerContext' | 'snapshot' | 'giveUpAfter'>,
  ): Promise<SearchPool> {
    const pool = await SearchPool.start({
      ...options,
      giveUpAfter: GIVE_UP_AFTER,
      readerContext: indexStore.readerContext,
      snapshot: () => indexStore.snapshot(),
    });
    indexStore.attach(pool);
    return pool;
  }

  /**
   * Has a worker answer a request.
   * @param client the connection that it came on: one whose requests take long waits among its like
   * @throws {ApiError} too_many_search_requests
   */
  search(kind: string, uid: string, call: SearchCall, client?: object): Promise<SearchAnswer> {
    if (this.#closed) throw new Error('the search pool is closed');
    const request = new EncodedRequest({ kind, uid, call, since: threadClock() }, client);
    const level = levelOf(this.#costs.of(request));
    const slot = this.#queue.acquire(level, call.features?.disableDocumentsFetchQueue === true && FETCHES.has(kind));
    return typeof slot === 'number'
      ? this.#answer(slot, level, request)
      : slot.then((free) => this.#answer(free, level, request));
  }

  /**
   * Has workers answer the searches of one request concurrently. The request waits for one slot like any other, and uses further
   * slots only while threads are idle.
   * @param callOf the search at a position; `begun`: start of the first search, on the clock shared by threads
   * @param client the connection that the request came on
   * @throws {ApiError} too_many_search_requests
   */
  async searchAll(
    kind: string,
    uids: readonly string[],
    callOf: (position: number, begun: number) => SearchCall,
    client?: object,
  ): Promise<SearchAnswer[]> {
    if (this.#closed) throw new Error('the search pool is closed');
    if (uids.length === 0) return [];
    const since = threadClock();
    const level = this.#levelOf(client);
    const first = await this.#queue.acquire(level);
    const begun = threadClock();
    const encode = (position: number) => {
      const call = callOf(position, begun + searches.waited);
      return new EncodedRequest({ kind, uid: uids[position] as string, call, since }, client);
    };
    const searches: SideBySide = new SideBySide(uids.length, encode, client);
    searches.level = level;
    for (let slot: number | null = first; slot !== null; slot = this.#hasIdleThread ? this.#queue.acquireSpare(level) : null) {
      this.#enter(slot, searches);
      if (!searches.waits) break;
    }
    return searches.answers;
  }

  #enter(slot: number, searches: SideBySide): void {
    searches.places++;
    this.#begin(slot, searches);
  }

  /** Waits for a slot again, among all requests: with five searches in it a request takes turns like five with one. */
  async #goOn(searches: SideBySide): Promise<void> {
    const since = threadClock();
    searches.level = this.#levelOf(searches.client);
    const slot = await this.#queue.acquire(searches.level, true);
    searches.waited += threadClock() - since;
    this.#enter(slot, searches);
  }

  #levelOf(client: object | undefined): number {
    return levelOf(this.#costs.ofClient(client));
  }

  #answer(slot: number, level: number, request: EncodedRequest): Promise<SearchAnswer> {
    this.#levels[slot] = level;
    return new Promise((resolve) => this.#run(slot, request, resolve));
  }

  #begin(slot: number, searches: SideBySide): void {
    this.#searches[slot] = searches;
    this.#levels[slot] = searches.level;
    const { request, settle } = searches.next();
    this.#run(slot, request, settle);
  }

  #run(slot: number, request: EncodedRequest, settle: (answer: SearchAnswer) => void): void {
    this.#pending[slot] = settle;
    this.#requests[slot] = request;
    this.#running++;
    this.#watch.begin();
    if (request.length <= REQUEST_BYTES) this.#ring.submit(slot, this.#running, (area) => request.write(area));
    else this.#submitApart(slot, request);
    this.#poller.start();
  }

  get #hasIdleThread(): boolean {
    return this.#running < this.threads;
  }

  /** Posts a new state to every worker and announces it. */
  publish(update: ViewUpdate): void {
    this.#threads.post(update satisfies ToWorker);
    this.#ring.announce(update.version);
  }

  /** The oldest version that a worker is reading; Infinity when none is. */
  oldestReader(): number {
    return this.#ring.oldestEpoch();
  }

  /** Requests that wait for a slot. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Requests that workers have. */
  get running(): number {
    return this.#running;
  }

  get threads(): number {
    return this.#options.threads;
  }

  /** Requests that may run at once; others wait or are refused. */
  get slots(): number {
    return this.#options.queue.parallel;
  }

  /** Lets running requests finish, then ends the threads. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#watch.end();
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
    if (!this.#poller.isLooking) this.#ring.look(false);
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
    const status = this.#ring.status(slot);
    const answer = this.#ring.answer(slot);
    this.#settle(slot, answer ? this.#buffers.answer(status, answer) : unshared(status, this.#longAnswer(slot)));
    this.#free(slot, this.#ring.took(slot));
  };

  #longAnswer(slot: number): Uint8Array {
    return this.#long.take(slot, this.#threads.ports, (message, worker) => this.#onMessage(this.#threads.of(worker), message));
  }

  #submitApart(slot: number, request: EncodedRequest): void {
    const bytes = new Uint8Array(request.length);
    request.write(bytes);
    const worker = this.#threads.firstRunning;
    this.#threads.of(worker).port.postMessage({ type: 'request', slot, bytes } satisfies ToWorker, [bytes.buffer]);
    this.#ring.submitApart(slot, worker);
  }

  #settle(slot: number, answer: SearchAnswer): void {
    const resolve = this.#pending[slot];
    this.#pending[slot] = null;
    resolve?.(answer);
  }

  /** @param took milliseconds for which a thread ran the request */
  #free(slot: number, took: number): void {
    const level = this.#levels[slot] as number;
    this.#running--;
    this.#long.drop(slot);
    this.#ring.release(slot);
    this.#costs.learn(this.#requests[slot] as EncodedRequest, took);
    this.#requests[slot] = null;
    this.#queue.charge(level, took);
    const searches = this.#searches[slot];
    if (searches) {
      const mayKeep = this.#levelOf(searches.client) === level && this.#queue.mayKeep(level);
      if (searches.waits && mayKeep && (searches.places === 1 || this.#hasIdleThread)) {
        this.#begin(slot, searches);
        return;
      }
      this.#searches[slot] = null;
      searches.places--;
    }
    this.#queue.release(slot, level);
    if (searches?.waits && searches.places === 0) void this.#goOn(searches);
  }

  #giveUpHung(): void {
    for (let slot = 0; slot < this.#pending.length; slot++) {
      const run = this.#ring.running(slot);
      if (!run || run.elapsed < this.#options.giveUpAfter) continue;
      const thread = this.#threads.of(run.worker);
      if (!this.#ring.giveUp(slot, run.worker)) continue;
      this.#options.onFault(`a request ran for ${run.elapsed} ms and was given up`);
      thread.lost.push(slot);
      this.#settle(slot, internalError('gaveUp'));
      thread.abort.abort();
    }
  }

  #onEnd(worker: number, thread: WorkerThread): void {
    // Answers that it had finished but not announced.
    this.#collect();
    this.#ring.retire(worker);
    for (const slot of this.#ring.heldBy(worker)) {
      if (!this.#ring.giveUp(slot, worker)) continue;
      this.#settle(slot, internalError('threadEnded'));
      thread.lost.push(slot);
    }
    for (const slot of thread.lost) this.#free(slot, this.#options.giveUpAfter);
  }
}
