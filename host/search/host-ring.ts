import { wrappedClock, wrappedSpan } from './clock.js';
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
  GLANCES,
  IDLE_EPOCH,
  LOAD,
  LOOKING,
  NOTIFIED,
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
  VERSION,
  WORK,
  WORKER_CELLS,
} from './ring.js';

export type RequestWriter = (area: Uint8Array) => number;

/** The host's side: one thread. */
export class HostRing extends Ring {
  #sequence = 0;
  /** Answers that were there when the host last looked. */
  #seen = 0;

  static create(shape: RingShape): HostRing {
    const cells = FIRST_WORKER + shape.workers * WORKER_CELLS + shape.slots * CELLS;
    return new HostRing({
      shape,
      control: new SharedArrayBuffer(cells * Int32Array.BYTES_PER_ELEMENT),
      data: new SharedArrayBuffer(shape.slots * (shape.requestBytes + shape.answerBytes)),
    });
  }

  /** Queues the request that `write` puts into the area of a free slot; `load`: requests in the ring with this one. */
  submit(slot: number, load: number, write: RequestWriter): void {
    Atomics.store(this.control, LOAD, load);
    this.#queue(slot, write(this.requests[slot] as Uint8Array), QUEUED);
    if (!this.#isLookedFor()) this.wakeOne();
  }

  /** Is a worker looking for work? It looks once more after it has said that it stops. */
  #isLookedFor(): boolean {
    for (let worker = 0; worker < this.shape.workers; worker++) {
      if (Atomics.load(this.control, this.workerCell(worker, LOOKING)) === 1) return true;
    }
    return false;
  }

  /** Queues a request that was posted to one worker apart, under the number of the slot. */
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

  /** Whether the host looks for answers by itself: workers need not notify it meanwhile. */
  look(looks: boolean): void {
    Atomics.store(this.control, NOTIFIED, looks ? 1 : 0);
  }

  /** Looks for a moment whether answers have come since {@link collect} was last called. */
  glance(): boolean {
    for (let left = GLANCES; left > 0; left--) if (Atomics.load(this.control, ANSWERS) !== this.#seen) return true;
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

  /** Calls `take` for every slot whose answer is there. */
  collect(take: (slot: number) => void): void {
    this.#seen = Atomics.load(this.control, ANSWERS);
    for (let slot = 0; slot < this.shape.slots; slot++) {
      if (Atomics.load(this.control, this.cell(slot, STATE)) === DONE) take(slot);
    }
  }

  status(slot: number): number {
    return Atomics.load(this.control, this.cell(slot, STATUS));
  }

  /** The answer in a slot, to be copied before {@link release}; null when it came apart. */
  answer(slot: number): Uint8Array | null {
    const length = Atomics.load(this.control, this.cell(slot, ANSWER_LENGTH));
    return length === APART ? null : (this.answers[slot] as Uint8Array).subarray(0, length);
  }

  /** The slot may be used again. */
  release(slot: number): void {
    Atomics.store(this.control, this.cell(slot, STATE), FREE);
  }

  /** The worker at work on a slot and since how many milliseconds, or null. */
  running(slot: number): { worker: number; elapsed: number } | null {
    const state = Atomics.load(this.control, this.cell(slot, STATE));
    if (state < RUNNING || state >= TARGETED) return null;
    const started = Atomics.load(this.control, this.cell(slot, STARTED));
    return { worker: state - RUNNING, elapsed: wrappedSpan(started, wrappedClock()) };
  }

  /** Takes a slot away from the worker that runs it or that it was meant for; false when its answer is already there. */
  giveUp(slot: number, worker: number): boolean {
    return this.move(slot, RUNNING + worker, GIVEN_UP) || this.move(slot, TARGETED + worker, GIVEN_UP);
  }

  /** Slots that a worker which is gone holds or was to serve. */
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

  /** Announces the views posted before; workers read them before the next request. */
  announce(version: number): void {
    Atomics.store(this.control, VERSION, version);
  }

  /** The oldest version that a worker reads now; Infinity when all are idle. */
  oldestEpoch(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (let worker = 0; worker < this.shape.workers; worker++) {
      const epoch = Atomics.load(this.control, this.workerCell(worker, EPOCH));
      if (epoch !== IDLE_EPOCH) oldest = Math.min(oldest, epoch);
    }
    return oldest;
  }

  /** A dead worker reads nothing and looks for nothing. */
  retire(worker: number): void {
    Atomics.store(this.control, this.workerCell(worker, EPOCH), IDLE_EPOCH);
    Atomics.store(this.control, this.workerCell(worker, LOOKING), 0);
    Atomics.store(this.control, this.workerCell(worker, SLEEPING), 0);
  }

  /** Makes every worker leave its loop once it has answered. */
  stop(): void {
    Atomics.store(this.control, STOP, 1);
    Atomics.add(this.control, WORK, 1);
    for (let worker = 0; worker < this.shape.workers; worker++) this.wake(worker);
  }
}
