import { type ApiError, apiError } from '../../../bindings/errors.js';

export interface QueueLimits {
  /** Requests that may run, or wait in the ring, at once. */
  parallel: number;
  /** Search threads. */
  threads: number;
  /** Further requests that may wait. */
  capacity: number;
  /** Milliseconds after which a waiting request is refused. */
  maxWait: number;
}

/**
 * The least thread time of the requests of each level, in milliseconds. Most requests take less than the second value; the last
 * level is for requests that come near their time limit.
 */
const LEVELS_FROM_MS = [0, 32, 256];
/** Milliseconds for which a thread is kept free for cheap requests after one came. */
const KEPT_FREE_MS = 1000;

/** The level of requests that take this long. */
export function levelOf(milliseconds: number): number {
  let level = LEVELS_FROM_MS.length - 1;
  while (milliseconds < LEVELS_FROM_MS[level]!) level--;
  return level;
}

interface Waiter {
  since: number;
  /** Never refused: neither when the list is full, nor after a long wait. */
  exempt: boolean;
  admit: (slot: number) => void;
  refuse: (error: ApiError) => void;
}

/** The requests of one level. */
class CostLevel {
  readonly waiting: Waiter[] = [];
  running = 0;
  /** Thread time that each of its requests has had so far, in milliseconds. The level with the least is served next. */
  threadTime = 0;
  /** When its newest request arrived, in milliseconds. */
  newest = Number.NEGATIVE_INFINITY;

  get requests(): number {
    return this.waiting.length + this.running;
  }

  take(place: number): Waiter {
    const waiter = this.waiting[place] as Waiter;
    const last = this.waiting.pop() as Waiter;
    if (last !== waiter) this.waiting[place] = last;
    return waiter;
  }
}

/**
 * Admission control for searches: numbered slots, and a bounded waiting list. When the list is full, a random waiter is refused
 * in favour of the newcomer, and a slot that becomes free goes to a random waiter: under overload some requests are answered
 * quickly instead of all of them late.
 *
 * Requests wait by their level of cost. The time of threads is divided between levels by the number of their requests, so that requests of
 * 100 ms slow those of 1 ms by their share and not by a hundred times as much; and while cheaper ones come, expensive ones leave a thread
 * to them.
 */
export class SearchQueue {
  readonly #free: number[];
  readonly #costLevels = LEVELS_FROM_MS.map(() => new CostLevel());
  #waiting = 0;
  #exempt = 0;

  constructor(
    readonly limits: QueueLimits,
    readonly random: () => number = Math.random,
    /** Milliseconds, monotonic. */
    readonly now: () => number = () => performance.now(),
  ) {
    this.#free = Array.from({ length: limits.parallel }, (_, index) => limits.parallel - 1 - index);
  }

  /**
   * Acquires a free slot, now or later.
   * @param level of its expected cost
   * @param exempt the request waits outside the bounded list for as long as necessary
   * @throws {ApiError} too_many_search_requests
   */
  acquire(level = 0, exempt = false): number | Promise<number> {
    const costLevel = this.#costLevels[level]!;
    const now = this.now();
    costLevel.newest = now;
    if (costLevel.requests === 0) costLevel.threadTime = Math.max(costLevel.threadTime, this.#leastThreadTime());
    const slot = this.#freeSlot(level);
    if (slot !== null) return slot;
    if (!exempt) this.#makeRoom();
    else this.#exempt++;
    this.#waiting++;
    return new Promise((admit, refuse) => costLevel.waiting.push({ since: now, exempt, admit, refuse }));
  }

  /** Acquires a further slot for a request that has one, unless others wait for it. */
  acquireSpare(level = 0): number | null {
    return this.#freeSlot(level);
  }

  /** Whether a request may keep its slot for its next search: no waiting request could use it. */
  mayKeep(level: number): boolean {
    if (this.#waiting === 0) return true;
    return this.#costLevels.every(({ waiting }, other) => waiting.length === 0 || (other > level && !this.#mayBegin(other)));
  }

  /** Counts time of a thread that a request took. */
  charge(level: number, milliseconds: number): void {
    const costLevel = this.#costLevels[level]!;
    costLevel.threadTime += milliseconds / Math.max(1, costLevel.requests);
  }

  /** Frees a slot. @param level that it was acquired with */
  release(slot: number, level = 0): void {
    this.#costLevels[level]!.running--;
    this.#free.push(slot);
    while (this.#waiting > 0 && this.#free.length > 0) {
      const costLevel = this.#nextLevel();
      if (costLevel === null) return;
      const waiter = this.#take(costLevel, this.#randomBelow(costLevel.waiting.length));
      if (waiter.exempt || this.now() - waiter.since <= this.limits.maxWait) {
        costLevel.running++;
        waiter.admit(this.#free.pop()!);
      } else waiter.refuse(this.#refusal());
    }
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** A slot for a request of this level; null when none is free, or others of this level wait for it. */
  #freeSlot(level: number): number | null {
    const costLevel = this.#costLevels[level]!;
    if (this.#free.length === 0 || costLevel.waiting.length > 0 || !this.#mayBegin(level)) return null;
    costLevel.running++;
    return this.#free.pop()!;
  }

  /**
   * Whether another request of this level may take a free slot. Expensive requests leave a thread to each cheaper level that is
   * in use. They also enter the ring only when a thread can begin them at once, because the ring keeps the order of arrival.
   */
  #mayBegin(level: number): boolean {
    if (level === 0 || this.limits.capacity === 0) return true;
    const recent = this.now() - KEPT_FREE_MS;
    let threads = this.limits.threads;
    for (let from = 1; from <= level; from++) {
      const { requests, newest } = this.#costLevels[from - 1]!;
      if (requests > 0 || newest > recent) threads = Math.max(1, threads - 1);
      if (this.#runningFrom(from) >= threads) return false;
    }
    return true;
  }

  #runningFrom(level: number): number {
    let running = 0;
    for (let other = level; other < this.#costLevels.length; other++) running += this.#costLevels[other]!.running;
    return running;
  }

  /** Of the levels with waiting requests, the one that has had the least thread time. */
  #nextLevel(): CostLevel | null {
    let next: CostLevel | null = null;
    for (const [level, costLevel] of this.#costLevels.entries()) {
      if (costLevel.waiting.length > 0 && (next === null || costLevel.threadTime < next.threadTime) && this.#mayBegin(level))
        next = costLevel;
    }
    return next;
  }

  /**
   * The least thread time of the levels with requests: a level that was empty starts from it, so that it gets no credit for the
   * time when it was empty.
   */
  #leastThreadTime(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const { requests, threadTime } of this.#costLevels) if (requests > 0 && threadTime < least) least = threadTime;
    return least === Number.POSITIVE_INFINITY ? 0 : least;
  }

  /** Refuses a random waiter if the list is full. @throws {ApiError} too_many_search_requests */
  #makeRoom(): void {
    const { capacity } = this.limits;
    if (capacity === 0) throw this.#refusal();
    if (this.#waiting - this.#exempt < capacity) return;
    let place = this.#randomBelow(this.#waiting - this.#exempt);
    for (const costLevel of this.#costLevels) {
      for (const [at, { exempt }] of costLevel.waiting.entries()) {
        if (exempt || place-- > 0) continue;
        this.#take(costLevel, at).refuse(this.#refusal());
        return;
      }
    }
  }

  #take(costLevel: CostLevel, place: number): Waiter {
    const waiter = costLevel.take(place);
    this.#waiting--;
    if (waiter.exempt) this.#exempt--;
    return waiter;
  }

  #randomBelow(count: number): number {
    return Math.floor(this.random() * count);
  }

  #refusal(): ApiError {
    return apiError('too_many_search_requests', 'queue', { capacity: this.limits.capacity });
  }
}
