import { type ApiError, apiError } from '../../../bindings/errors.js';

export interface QueueLimits {
  /** Requests that may run, or wait in the ring, at once. */
  parallel: number;
  /** Search threads. */
  threads: number;
  /** Further requests that may wait. */
  capacity: number;
  /** Milliseconds after which a waiting request is refused. */
  patience: number;
}

/**
 * Milliseconds of a thread from which on requests belong to each level: most take less than the second value; the last is that of requests
 * that are about to meet their time limit.
 */
export const LEVELS_FROM_MS = [0, 32, 256];
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
  /** It is never refused, neither for lack of room nor for having waited long. */
  patient: boolean;
  admit: (slot: number) => void;
  refuse: (error: ApiError) => void;
}

/** The requests of one level. */
class Lane {
  readonly waiting: Waiter[] = [];
  running = 0;
  /** Milliseconds of a thread that each of its requests has had, since all that have requests are compared. */
  had = 0;
  /** When its newest request came. */
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
  readonly #lanes = LEVELS_FROM_MS.map(() => new Lane());
  #waiting = 0;
  #patient = 0;

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
   * @param patient the request waits outside the bounded list for as long as necessary
   * @throws {ApiError} too_many_search_requests
   */
  acquire(level = 0, patient = false): number | Promise<number> {
    const lane = this.#lanes[level]!;
    const now = this.now();
    lane.newest = now;
    if (lane.requests === 0) lane.had = Math.max(lane.had, this.#leastHad());
    const slot = this.#freeSlot(level);
    if (slot !== null) return slot;
    if (!patient) this.#makeRoom();
    else this.#patient++;
    this.#waiting++;
    return new Promise((admit, refuse) => lane.waiting.push({ since: now, patient, admit, refuse }));
  }

  /** Acquires a further slot for a request that has one, unless others wait for it. */
  acquireSpare(level = 0): number | null {
    return this.#freeSlot(level);
  }

  /** Whether a request may use its slot for its next search: nobody waits who could have it. */
  mayKeep(level: number): boolean {
    if (this.#waiting === 0) return true;
    return this.#lanes.every(({ waiting }, other) => waiting.length === 0 || (other > level && !this.#mayBegin(other)));
  }

  /** Counts time of a thread that a request took. */
  charge(level: number, milliseconds: number): void {
    const lane = this.#lanes[level]!;
    lane.had += milliseconds / Math.max(1, lane.requests);
  }

  /** Frees a slot. @param level that it was acquired with */
  release(slot: number, level = 0): void {
    this.#lanes[level]!.running--;
    this.#free.push(slot);
    while (this.#waiting > 0 && this.#free.length > 0) {
      const lane = this.#nextLane();
      if (lane === null) return;
      const waiter = this.#take(lane, this.#randomBelow(lane.waiting.length));
      if (waiter.patient || this.now() - waiter.since <= this.limits.patience) {
        lane.running++;
        waiter.admit(this.#free.pop()!);
      } else waiter.refuse(this.#refusal());
    }
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** A slot for a request of this level; null when none is free, or others wait for it. Those who wait for other levels could not have it. */
  #freeSlot(level: number): number | null {
    const lane = this.#lanes[level]!;
    if (this.#free.length === 0 || lane.waiting.length > 0 || !this.#mayBegin(level)) return null;
    lane.running++;
    return this.#free.pop()!;
  }

  /**
   * Whether another request of this level may run where a slot is free: expensive ones leave a thread to each cheaper level of which requests
   * come, and enter the ring, which keeps the order of arrival, only when a thread can begin them at once.
   */
  #mayBegin(level: number): boolean {
    if (level === 0 || this.limits.capacity === 0) return true;
    const recent = this.now() - KEPT_FREE_MS;
    let threads = this.limits.threads;
    for (let from = 1; from <= level; from++) {
      const { requests, newest } = this.#lanes[from - 1]!;
      if (requests > 0 || newest > recent) threads = Math.max(1, threads - 1);
      if (this.#runningFrom(from) >= threads) return false;
    }
    return true;
  }

  #runningFrom(level: number): number {
    let running = 0;
    for (let other = level; other < this.#lanes.length; other++) running += this.#lanes[other]!.running;
    return running;
  }

  /** The level whose requests wait and have had the least. */
  #nextLane(): Lane | null {
    let next: Lane | null = null;
    for (const [level, lane] of this.#lanes.entries()) {
      if (lane.waiting.length > 0 && (next === null || lane.had < next.had) && this.#mayBegin(level)) next = lane;
    }
    return next;
  }

  /** What the requests of the level have had that have had the least. */
  #leastHad(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const { requests, had } of this.#lanes) if (requests > 0 && had < least) least = had;
    return least === Number.POSITIVE_INFINITY ? 0 : least;
  }

  /** Refuses a random waiter if the list is full. @throws {ApiError} too_many_search_requests */
  #makeRoom(): void {
    const { capacity } = this.limits;
    if (capacity === 0) throw this.#refusal();
    if (this.#waiting - this.#patient < capacity) return;
    let place = this.#randomBelow(this.#waiting - this.#patient);
    for (const lane of this.#lanes) {
      for (const [at, { patient }] of lane.waiting.entries()) {
        if (patient || place-- > 0) continue;
        this.#take(lane, at).refuse(this.#refusal());
        return;
      }
    }
  }

  #take(lane: Lane, place: number): Waiter {
    const waiter = lane.take(place);
    this.#waiting--;
    if (waiter.patient) this.#patient--;
    return waiter;
  }

  #randomBelow(count: number): number {
    return Math.floor(this.random() * count);
  }

  #refusal(): ApiError {
    return apiError('too_many_search_requests', 'queue', { capacity: this.limits.capacity });
  }
}
