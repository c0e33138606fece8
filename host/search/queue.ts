import { type ApiError, apiError } from '../../bindings/errors.js';

export interface QueueLimits {
  /** Requests that may run, or wait in the ring, at once. */
  parallel: number;
  /** Further requests that may wait. */
  capacity: number;
  /** Milliseconds after which a waiting request is refused. */
  patience: number;
}

interface Waiter {
  since: number;
  /** It is never refused, neither for lack of room nor for having waited long. */
  patient: boolean;
  admit: (slot: number) => void;
  refuse: (error: ApiError) => void;
}

/**
 * Admission control for searches: numbered slots, and a bounded waiting list. When the list is full, a random waiter is refused
 * in favour of the newcomer, and a slot that becomes free goes to a random waiter: under overload some requests are answered
 * quickly instead of all of them late.
 */
export class SearchQueue {
  readonly #free: number[];
  readonly #waiting: Waiter[] = [];
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
   * @param patient the request waits outside the bounded list for as long as necessary
   * @throws {ApiError} too_many_search_requests
   */
  acquire(patient = false): number | Promise<number> {
    const slot = this.#waiting.length ? undefined : this.#free.pop();
    if (slot !== undefined) return slot;
    if (!patient) this.#makeRoom();
    else this.#patient++;
    return new Promise((admit, refuse) => this.#waiting.push({ since: this.now(), patient, admit, refuse }));
  }

  /** Refuses a random waiter if the list is full. @throws {ApiError} too_many_search_requests */
  #makeRoom(): void {
    const { capacity } = this.limits;
    if (capacity === 0) throw this.#refusal();
    if (this.#waiting.length - this.#patient < capacity) return;
    let place = this.#place();
    while (this.#waiting[place]!.patient) place = (place + 1) % this.#waiting.length;
    this.#take(place).refuse(this.#refusal());
  }

  /** Acquires a further slot for a request that has one, unless others wait. */
  acquireSpare(): number | null {
    return this.#waiting.length > 0 ? null : (this.#free.pop() ?? null);
  }

  /** Frees a slot. */
  release(slot: number): void {
    while (this.#waiting.length) {
      const waiter = this.#take(this.#place());
      if (waiter.patient || this.now() - waiter.since <= this.limits.patience) {
        waiter.admit(slot);
        return;
      }
      waiter.refuse(this.#refusal());
    }
    this.#free.push(slot);
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Index of a random waiter. */
  #place(): number {
    return Math.floor(this.random() * this.#waiting.length);
  }

  #take(place: number): Waiter {
    const waiter = this.#waiting[place] as Waiter;
    const last = this.#waiting.pop() as Waiter;
    if (last !== waiter) this.#waiting[place] = last;
    if (waiter.patient) this.#patient--;
    return waiter;
  }

  #refusal(): ApiError {
    return apiError('too_many_search_requests', 'queue', { capacity: this.limits.capacity });
  }
}
