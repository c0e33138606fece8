import { wrappedClock } from '../../time/thread-clock.js';
import {
  ANSWER_LENGTH,
  ANSWERS,
  APART,
  DONE,
  EPOCH,
  FREE,
  IDLE_EPOCH,
  LOAD,
  NOTIFIED,
  POLLING,
  POLLS_PER_READING,
  QUEUED,
  REQUEST_LENGTH,
  Ring,
  type RingBuffers,
  RUNNING,
  SEQUENCE,
  SLEEPING,
  STARTED,
  STATE,
  STATUS,
  STOP,
  TARGETED,
  TOOK,
  VERSION,
  WORK,
} from './ring.js';

/**
 * Milliseconds for which a worker polls for the next request before it sleeps, while cores are idle: waking a thread takes as
 * long as a short search.
 */
const POLLING_TIME = 0.2;

/** A worker's side of the ring. */
export class WorkerRing extends Ring {
  /** When it claimed its present request. */
  #claimed = 0;

  constructor(
    buffers: RingBuffers,
    readonly worker: number,
  ) {
    super(buffers);
  }

  /** Waits for a request and claims it; null when the ring was stopped. */
  take(): { slot: number; request: Uint8Array | null } | null {
    for (;;) {
      const seen = Atomics.load(this.control, WORK);
      if (Atomics.load(this.control, STOP)) return null;
      const slot = this.#claim();
      if (slot >= 0) {
        // The host may have woken only this worker for several requests.
        if (this.#isQueued()) this.wakeOne();
        const length = Atomics.load(this.control, this.cell(slot, REQUEST_LENGTH));
        return { slot, request: length === APART ? null : (this.requests[slot] as Uint8Array).subarray(0, length) };
      }
      if (!this.#poll(seen)) this.#sleep(seen);
    }
  }

  /** Sleeps until the host wakes it, unless a request arrived since `seen`. */
  #sleep(seen: number): void {
    const cell = this.workerCell(this.worker, SLEEPING);
    Atomics.store(this.control, cell, 1);
    if (Atomics.load(this.control, WORK) === seen) Atomics.wait(this.control, cell, 1);
    Atomics.store(this.control, cell, 0);
  }

  #isQueued(): boolean {
    for (let slot = 0; slot < this.shape.slots; slot++) {
      if (Atomics.load(this.control, this.cell(slot, STATE)) === QUEUED) return true;
    }
    return false;
  }

  /** Polls for a request while a core is idle; false when none came. */
  #poll(seen: number): boolean {
    if (!this.mayPoll()) return false;
    const cell = this.workerCell(this.worker, POLLING);
    Atomics.store(this.control, cell, 1);
    const end = performance.now() + POLLING_TIME;
    let came = false;
    do {
      for (let left = POLLS_PER_READING; left > 0 && !came; left--) came = Atomics.load(this.control, WORK) !== seen;
    } while (!came && this.mayPoll() && performance.now() < end);
    Atomics.store(this.control, cell, 0);
    return came;
  }

  /** Whether a core is idle, after those for the host, for running searches and for polling workers with lower numbers. */
  mayPoll(): boolean {
    const load = Atomics.load(this.control, LOAD);
    const { processors } = this.shape;
    if (load >= processors) return false;
    let spare = Math.max(1, processors - load - 1);
    for (let before = 0; before < this.worker; before++) spare -= Atomics.load(this.control, this.workerCell(before, POLLING));
    return spare > 0;
  }

  /** Claims the slot that was queued first; -1 when there is none. */
  #claim(): number {
    for (;;) {
      let oldest = -1;
      let oldestState = FREE;
      let oldestAge = -1;
      const now = Atomics.load(this.control, WORK);
      for (let slot = 0; slot < this.shape.slots; slot++) {
        const state = Atomics.load(this.control, this.cell(slot, STATE));
        if (state !== QUEUED && state !== TARGETED + this.worker) continue;
        const age = (now - Atomics.load(this.control, this.cell(slot, SEQUENCE))) & 0x7fffffff;
        if (age > oldestAge) {
          oldest = slot;
          oldestState = state;
          oldestAge = age;
        }
      }
      if (oldest < 0) return -1;
      Atomics.store(this.control, this.cell(oldest, STARTED), wrappedClock());
      this.#claimed = performance.now();
      if (this.move(oldest, oldestState, RUNNING + this.worker)) return oldest;
    }
  }

  /** The answer area of a claimed slot. */
  answerArea(slot: number): Uint8Array {
    return this.answers[slot] as Uint8Array;
  }

  /**
   * Hands the answer over; `length` is null when it was sent as a message. False when the host has given the slot up. `notify` is
   * called when the host must be woken.
   */
  finish(slot: number, status: number, length: number | null, notify: () => void): boolean {
    Atomics.store(this.control, this.cell(slot, STATUS), status);
    Atomics.store(this.control, this.cell(slot, ANSWER_LENGTH), length ?? APART);
    Atomics.store(this.control, this.cell(slot, TOOK), Math.round((performance.now() - this.#claimed) * 1000));
    if (!this.move(slot, RUNNING + this.worker, DONE)) return false;
    Atomics.add(this.control, ANSWERS, 1);
    if (Atomics.exchange(this.control, NOTIFIED, 1) === 0) notify();
    return true;
  }

  /**
   * Publishes the version that this worker is about to read; `catchUp` applies the views that the host posted. The host releases
   * the resources of version v when no worker publishes an older version, so the version is published first and then checked
   * again.
   */
  enter(catchUp: (version: number) => void): void {
    for (;;) {
      const version = Atomics.load(this.control, VERSION);
      Atomics.store(this.control, this.workerCell(this.worker, EPOCH), version);
      if (Atomics.load(this.control, VERSION) !== version) continue;
      catchUp(version);
      return;
    }
  }

  leave(): void {
    Atomics.store(this.control, this.workerCell(this.worker, EPOCH), IDLE_EPOCH);
  }
}
