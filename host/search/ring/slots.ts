/**
 * The slots of the ring: what each contains, and every change of its state. Each is one compare-and-exchange, so a worker that ends can
 * leave only its own slot unfinished.
 *
 *   FREE -host-> QUEUED (any worker) or TARGETED + w (only worker w)
 *        -worker w-> RUNNING + w -worker w-> DONE -host-> FREE
 *   RUNNING + w or TARGETED + w -host-> GIVEN_UP -host, when the worker has ended-> FREE
 */
const FREE = 0;
const QUEUED = 1;
const DONE = 2;
const GIVEN_UP = 3;
const RUNNING = 1 << 16;
const TARGETED = 1 << 20;

/** Cells of a slot. */
const STATE = 0;
const REQUEST_LENGTH = 1;
const ANSWER_LENGTH = 2;
const STATUS = 3;
/** Number of the request, in the order in which requests were queued. */
const SEQUENCE = 4;
/** Microseconds for which a worker ran it. */
const TOOK = 5;
export const SLOT_CELLS = 6;

/** As a length: sent as a message. */
const AS_MESSAGE = -1;
/** Numbers of requests wrap around here. */
const SEQUENCE_MASK = 0x7fffffff;

export class Slots {
  #sequence = 0;
  /** Whether more requests waited when this side claimed one. */
  hadMore = false;

  /** @param first the first cell of the slots in `control` */
  constructor(
    readonly control: Int32Array,
    readonly first: number,
    readonly count: number,
  ) {}

  #load(slot: number, cell: number): number {
    return Atomics.load(this.control, this.first + slot * SLOT_CELLS + cell);
  }

  #store(slot: number, cell: number, value: number): void {
    Atomics.store(this.control, this.first + slot * SLOT_CELLS + cell, value);
  }

  #move(slot: number, from: number, to: number): boolean {
    return Atomics.compareExchange(this.control, this.first + slot * SLOT_CELLS + STATE, from, to) === from;
  }

  // The side of the host.

  /** Queues a request of so many bytes for any worker. */
  queue(slot: number, length: number): void {
    this.#queue(slot, length, QUEUED);
  }

  /** Queues a request that was posted to one worker as a message. */
  queueMessage(slot: number, worker: number): void {
    this.#queue(slot, AS_MESSAGE, TARGETED + worker);
  }

  #queue(slot: number, length: number, state: number): void {
    this.#sequence = (this.#sequence + 1) & SEQUENCE_MASK;
    this.#store(slot, REQUEST_LENGTH, length);
    this.#store(slot, SEQUENCE, this.#sequence);
    this.#store(slot, STATE, state);
  }

  /** Whether requests wait that no worker has claimed. */
  get hasUnclaimed(): boolean {
    const { control, first, count } = this;
    for (let slot = 0, at = first; slot < count; slot++, at += SLOT_CELLS) {
      const state = Atomics.load(control, at + STATE);
      if (state === QUEUED || state >= TARGETED) return true;
    }
    return false;
  }

  isDone(slot: number): boolean {
    return this.#load(slot, STATE) === DONE;
  }

  status(slot: number): number {
    return this.#load(slot, STATUS);
  }

  /** Milliseconds for which a worker ran the answered request in a slot. */
  took(slot: number): number {
    return this.#load(slot, TOOK) / 1000;
  }

  /** Length of the answer in a slot; null when it was sent as a message. */
  answerLength(slot: number): number | null {
    const length = this.#load(slot, ANSWER_LENGTH);
    return length === AS_MESSAGE ? null : length;
  }

  /** Frees a slot. */
  release(slot: number): void {
    this.#store(slot, STATE, FREE);
  }

  /** The worker that runs the request in a slot; null when none does. */
  workerOf(slot: number): number | null {
    const state = this.#load(slot, STATE);
    return state < RUNNING || state >= TARGETED ? null : state - RUNNING;
  }

  /** Takes a slot away from the worker that runs it, or that it was addressed to; false when it is already answered. */
  giveUp(slot: number, worker: number): boolean {
    return this.#move(slot, RUNNING + worker, GIVEN_UP) || this.#move(slot, TARGETED + worker, GIVEN_UP);
  }

  /** The slots that a worker which has ended was running, or that were addressed to it. */
  heldBy(worker: number): number[] {
    const held: number[] = [];
    for (let slot = 0; slot < this.count; slot++) {
      const state = this.#load(slot, STATE);
      if (state === RUNNING + worker || state === TARGETED + worker) held.push(slot);
    }
    return held;
  }

  // The side of a worker.

  /** Claims the slot that was queued first; -1 when there is none. @param newest reads the number of requests so far */
  claim(worker: number, newest: () => number): number {
    const { control, first, count } = this;
    for (;;) {
      this.hadMore = false;
      let oldest = -1;
      let oldestState = FREE;
      let oldestAge = -1;
      const now = newest();
      for (let slot = 0, at = first; slot < count; slot++, at += SLOT_CELLS) {
        const state = Atomics.load(control, at + STATE);
        if (state !== QUEUED && state !== TARGETED + worker) continue;
        if (oldest >= 0) this.hadMore = true;
        const age = (now - Atomics.load(control, at + SEQUENCE)) & SEQUENCE_MASK;
        if (age > oldestAge) {
          oldest = slot;
          oldestState = state;
          oldestAge = age;
        }
      }
      if (oldest < 0) return -1;
      if (this.#move(oldest, oldestState, RUNNING + worker)) return oldest;
    }
  }

  /** Length of the request in a claimed slot; null when it was sent as a message. */
  requestLength(slot: number): number | null {
    const length = this.#load(slot, REQUEST_LENGTH);
    return length === AS_MESSAGE ? null : length;
  }

  /**
   * Hands an answer over; false when the host has given the slot up. @param length null when it was sent as a message
   * @param took milliseconds
   */
  finish(slot: number, worker: number, status: number, length: number | null, took: number): boolean {
    this.#store(slot, STATUS, status);
    this.#store(slot, ANSWER_LENGTH, length ?? AS_MESSAGE);
    this.#store(slot, TOOK, Math.round(took * 1000));
    return this.#move(slot, RUNNING + worker, DONE);
  }
}
