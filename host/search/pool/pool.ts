import type { Piscina } from 'piscina';
import type { IndexStore } from '../../index/index-store.js';
import type { ThreadContextOptions } from '../../index/memory/thread-context.js';
import type { ViewReaders, ViewUpdate } from '../../index/memory/views.js';
import { threadClock } from '../../time/thread-clock.js';
import type { SearchAnswer } from '../answer.js';
import type { SearchCall } from '../call.js';
import { EncodedRequest } from '../request-bytes.js';
import { SearchUsage } from '../usage.js';
import { ConcurrentSearches } from './concurrent-searches.js';
import { ExpectedCosts } from './expected-costs.js';
import { levelOf, type QueueLimits, SearchQueue } from './queue.js';
import { RunningSlots } from './running-slots.js';
import { startThreads } from './worker-threads.js';

export interface SearchPoolOptions {
  threads: number;
  queue: Omit<QueueLimits, 'threads'>;
  /**
   * Milliseconds after which a request is abandoned and its worker replaced: a bug or a hostile request, never just a slow
   * search.
   */
  giveUpAfter: number;
  readerContext: Omit<ThreadContextOptions, 'reader'>;
  /** Threads that were started before, as many as `threads`: see {@link startThreads}. They are started now by default. */
  started?: Piscina;
  /** URL of the module whose `HANDLERS` answer the requests, for threads that are started now. */
  handlers?: string;
  /** The state that a new worker starts with. */
  snapshot: () => ViewUpdate;
  onFault: (message: string) => void;
}

/** Milliseconds after which a search counts as hung. */
const GIVE_UP_AFTER = 60_000;
/** Kinds of requests that the feature `disableDocumentsFetchQueue` exempts from the queue limit. */
const FETCHES: ReadonlySet<string> = new Set(['documents', 'document']);

/** Answers searches by the search threads: who waits for a slot, in which order, and which requests may use several. */
export class SearchPool implements ViewReaders {
  readonly #options: SearchPoolOptions;
  readonly #slots: RunningSlots;
  readonly #queue: SearchQueue;
  /** By slot: the level with which it was acquired. */
  readonly #levels: number[];
  /** By slot: the multi-search that will run its next query there when the slot becomes free. */
  readonly #searches: (ConcurrentSearches | null)[];
  readonly #costs = new ExpectedCosts();
  readonly usage = new SearchUsage();
  #closed = false;

  private constructor(options: SearchPoolOptions) {
    this.#options = options;
    const { threads, queue } = options;
    this.#queue = new SearchQueue({ ...queue, threads });
    this.#levels = new Array(queue.parallel).fill(0);
    this.#searches = new Array(queue.parallel).fill(null);
    this.#slots = new RunningSlots({
      slots: queue.parallel,
      threads,
      started: options.started ?? startThreads(threads, options.handlers),
      giveUpAfter: options.giveUpAfter,
      setup: (worker) => ({
        readerContext: { ...options.readerContext, reader: worker },
        snapshot: options.snapshot(),
        usage: this.usage.buffer,
      }),
      onFree: (slot, request, took) => this.#free(slot, request, took),
      onFault: options.onFault,
    });
  }

  /** Starts the threads; resolves when all of them serve. */
  static async start(options: SearchPoolOptions): Promise<SearchPool> {
    const pool = new SearchPool(options);
    await pool.#slots.start(options.snapshot().version);
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
   * @param client the connection that it came on: its last requests predict how long this one will take
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
    const searches: ConcurrentSearches = new ConcurrentSearches(uids.length, encode, client);
    searches.level = level;
    for (let slot: number | null = first; slot !== null; slot = this.#hasIdleThread ? this.#queue.acquireSpare(level) : null) {
      this.#enter(slot, searches);
      if (!searches.waits) break;
    }
    return searches.answers;
  }

  #enter(slot: number, searches: ConcurrentSearches): void {
    searches.slots++;
    this.#begin(slot, searches);
  }

  /** Waits for a slot again, among all requests: a request with five searches waits as often as five requests with one. */
  async #waitForSlot(searches: ConcurrentSearches): Promise<void> {
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
    return new Promise((resolve) => this.#slots.run(slot, request, resolve));
  }

  #begin(slot: number, searches: ConcurrentSearches): void {
    this.#searches[slot] = searches;
    this.#levels[slot] = searches.level;
    const { request, settle } = searches.next();
    this.#slots.run(slot, request, settle);
  }

  get #hasIdleThread(): boolean {
    return this.running < this.threads;
  }

  /** Posts a new state to every worker and announces it. */
  publish(update: ViewUpdate): void {
    this.#slots.publish(update);
  }

  /** The oldest version that a worker is reading; Infinity when none is. */
  oldestReader(): number {
    return this.#slots.oldestReader();
  }

  /** Requests that wait for a slot. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Requests that workers have. */
  get running(): number {
    return this.#slots.running;
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
    await this.#slots.close();
  }

  #free(slot: number, request: EncodedRequest, took: number): void {
    const level = this.#levels[slot] as number;
    this.#costs.learn(request, took);
    this.#queue.charge(level, took);
    const searches = this.#searches[slot];
    if (searches) {
      const mayKeep = this.#levelOf(searches.client) === level && this.#queue.mayKeep(level);
      if (searches.waits && mayKeep && (searches.slots === 1 || this.#hasIdleThread)) {
        this.#begin(slot, searches);
        return;
      }
      this.#searches[slot] = null;
      searches.slots--;
    }
    this.#queue.release(slot, level);
    if (searches?.waits && searches.slots === 0) void this.#waitForSlot(searches);
  }
}
