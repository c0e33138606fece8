import { wrappedClock, wrappedSpan } from '../../time/thread-clock.js';
import {
  ANSWER_LENGTH,
  ANSWERS,
  APART,
  CELLS,
  DONE,
  EPOCH,
  FIRST_WORKER,
  FREE,
  GIVEN_UP,
  IDLE_EPOCH,
  LOAD,
  NOTIFIED,
  POLLING,
  POLLS_PER_READING,
  QUEUED,
  REQUEST_LENGTH,
  Ring,
  type RingShape,
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
  WORKER_CELLS,
} from './ring.js';

export type RequestWriter = (area: Uint8Array) => number;

/** The host's side of the ring, used by one thread. */
export class HostRing extends Ring {
  #sequence = 0;
  /** The counter of answers when the host last looked. */
  #seen = 0;

  static create(shape: RingShape): HostRing {
    const cells = FIRST_WORKER + shape.workers * WORKER_CELLS + shape.slots * CELLS;
    return new HostRing({
      shape,
      control: new SharedArrayBuffer(cells * Int32Array.BYTES_PER_ELEMENT),
      data: new SharedArrayBuffer(shape.slots * (shape.requestBytes + shape.answerBytes)),
    });
  }

  /**
   * Queues the request that `write` puts into the request area of a free slot; `load`: number of requests in the ring, including
   * this one.
   */
  submit(slot: number, load: number, write: RequestWriter): void {
    Atomics.store(this.control, LOAD, load);
    this.#queue(slot, write(this.requests[slot] as Uint8Array), QUEUED);
    if (!this.#hasPollingWorker()) this.wakeOne();
  }

  /** Whether a worker is polling for requests. A worker checks once more after it has announced that it stops. */
  #hasPollingWorker(): boolean {
    for (let worker = 0; worker < this.shape.workers; worker++) {
      if (Atomics.load(this.control, this.workerCell(worker, POLLING)) === 1) return true;
    }
    return false;
  }

  /** Queues a request that was posted to one worker as a message, under the number of the slot. */
  submitApart(slot: number, worker: number): void {
    this.#queue(slot, APART, TARGETED + worker);
    this.wake(worker);
  }

  #queue(slot: number, length: number, state: number): void {
    this.#sequence = (this.#sequence + 1) & 0x7fffffff;
    Atomics.store(this.control, this.cell(slot, REQUEST_LENGTH), length);
    Atomics.store(this.control, this.cell(slot, SEQUENCE), this.#sequence);
    Atomics.store(this.control, this.cell(slot, STATE), state);
    Atomics.add(this.control, WORK, 1);
  }

  /** Announces whether the host polls for answers, so that workers need not notify it. */
  setPolling(isPolling: boolean): void {
    Atomics.store(this.control, NOTIFIED, isPolling ? 1 : 0);
  }

  /** Polls briefly for answers that came since the last {@link collect}. */
  pollBriefly(): boolean {
    for (let left = POLLS_PER_READING; left > 0; left--) if (Atomics.load(this.control, ANSWERS) !== this.#seen) return true;
    return false;
  }

  /** Whether requests wait that no worker has claimed. */
  get hasUnclaimed(): boolean {
    for (let slot = 0; slot < this.shape.slots; slot++) {
      const state = Atomics.load(this.control, this.cell(slot, STATE));
      if (state === QUEUED || state >= TARGETED) return true;
    }
    return false;
  }

  /** Calls `take` for every slot with a finished answer. */
  collect(take: (slot: number) => void): void {
    this.#seen = Atomics.load(this.control, ANSWERS);
    for (let slot = 0; slot < this.shape.slots; slot++) {
      if (Atomics.load(this.control, this.cell(slot, STATE)) === DONE) take(slot);
    }
  }

  status(slot: number): number {
    return Atomics.load(this.control, this.cell(slot, STATUS));
  }

  /** Milliseconds for which a worker ran the answered request in a slot. */
  took(slot: number): number {
    return Atomics.load(this.control, this.cell(slot, TOOK)) / 1000;
  }

  /** The answer in a slot, to be copied before {@link release}; null when it was sent as a message. */
  answer(slot: number): Uint8Array | null {
    const length = Atomics.load(this.control, this.cell(slot, ANSWER_LENGTH));
    return length === APART ? null : (this.answers[slot] as Uint8Array).subarray(0, length);
  }

  /** Frees a slot. */
  release(slot: number): void {
    Atomics.store(this.control, this.cell(slot, STATE), FREE);
  }

  /** The worker that runs the request in a slot, and for how many milliseconds; null when none does. */
  running(slot: number): { worker: number; elapsed: number } | null {
    const state = Atomics.load(this.control, this.cell(slot, STATE));
    if (state < RUNNING || state >= TARGETED) return null;
    const started = Atomics.load(this.control, this.cell(slot, STARTED));
    return { worker: state - RUNNING, elapsed: wrappedSpan(started, wrappedClock()) };
  }

  /** Takes a slot away from the worker that runs it, or that it was addressed to; false when it is already answered. */
  giveUp(slot: number, worker: number): boolean {
    return this.move(slot, RUNNING + worker, GIVEN_UP) || this.move(slot, TARGETED + worker, GIVEN_UP);
  }

  /** The slots that a dead worker holds, or that were addressed to it. */
  heldBy(worker: number): number[] {
    const held: number[] = [];
    for (let slot = 0; slot < this.shape.slots; slot++) {
      const state = Atomics.load(this.control, this.cell(slot, STATE));
      if (state === RUNNING + worker || state === TARGETED + worker) held.push(slot);
    }
    return held;
  }

  get version(): number {
    return Atomics.load(this.control, VERSION);
  }

  /** Announces views that were posted before; workers apply them before their next request. */
  announce(version: number): void {
    Atomics.store(this.control, VERSION, version);
  }

  /** The oldest version that a worker is reading; Infinity when all are idle. */
  oldestEpoch(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (let worker = 0; worker < this.shape.workers; worker++) {
      const epoch = Atomics.load(this.control, this.workerCell(worker, EPOCH));
      if (epoch !== IDLE_EPOCH) oldest = Math.min(oldest, epoch);
    }
    return oldest;
  }

  /** Clears the cells of a dead worker. */
  retire(worker: number): void {
    Atomics.store(this.control, this.workerCell(worker, EPOCH), IDLE_EPOCH);
    Atomics.store(this.control, this.workerCell(worker, POLLING), 0);
    Atomics.store(this.control, this.workerCell(worker, SLEEPING), 0);
  }

  /** Makes every worker leave its loop after its current request. */
  stop(): void {
    Atomics.store(this.control, STOP, 1);
    Atomics.add(this.control, WORK, 1);
    for (let worker = 0; worker < this.shape.workers; worker++) this.wake(worker);
  }
}
