/**
 * Requests and answers in shared memory. The host writes a request into a free slot and wakes a worker; the worker waits with
 * `Atomics.wait`, claims the oldest queued slot and writes the answer where the host reads it.
 *
 *   control (i32)  | WORK | TOLD | STOP | VERSION | LOAD | cells of each worker | cells of slot 0 | cells of slot 1 | …
 *   data           | slot 0: request area, answer area | slot 1 | …
 *
 *   state of a slot:  FREE -host-> QUEUED (any worker) or TARGETED + w (only worker w)
 *                     -worker w-> RUNNING + w -worker w-> DONE -host-> FREE
 *                     RUNNING + w -host-> GIVEN_UP -host, when the worker is gone-> FREE
 *
 * Every transition is one compare-and-exchange, so a worker that dies leaves nothing half done but its own slot.
 */
export interface RingShape {
  slots: number;
  workers: number;
  /** Processors of the machine. */
  processors: number;
  /** Bytes of a slot's request area; larger requests travel in a buffer of their own. */
  requestBytes: number;
  /** The same for answers. */
  answerBytes: number;
}

export interface RingBuffers {
  shape: RingShape;
  control: SharedArrayBuffer;
  data: SharedArrayBuffer;
}

/** Counts requests: what workers wait on. */
const WORK = 0;
/** 1: the host has been told that answers are there and did not look yet, or looks by itself. */
const TOLD = 1;
const STOP = 2;
/** Version of the newest view that was posted to the workers. */
const VERSION = 3;
/** Requests in the ring when the newest one came, itself among them. */
const LOAD = 4;
const FIRST_WORKER = 5;

/** Version of the views that the worker reads. */
const EPOCH = 0;
/** 1: the worker looks for work on its own and need not be woken. */
const LOOKING = 1;
const WORKER_CELLS = 2;

const STATE = 0;
const REQUEST_LENGTH = 1;
const ANSWER_LENGTH = 2;
const STATUS = 3;
const SEQUENCE = 4;
const STARTED = 5;
const CELLS = 8;

const FREE = 0;
const QUEUED = 1;
const DONE = 2;
const GIVEN_UP = 3;
const RUNNING = 1 << 16;
const TARGETED = 1 << 20;

/** ANSWER_LENGTH or REQUEST_LENGTH of what travels in a buffer of its own. */
const APART = -1;

/** Of a worker that reads no view. */
export const IDLE_EPOCH = 0;

/**
 * Milliseconds for which a worker looks for the next request before it sleeps, while there are processors to spare: waking a thread
 * takes as long as a short search.
 */
const LOOKING_TIME = 0.2;

/** Milliseconds on a clock that threads share, as a positive i32. */
function clock(): number {
  return Date.now() & 0x7fffffff;
}

/** What both sides do. */
class Ring {
  protected readonly control: Int32Array;
  readonly shape: RingShape;
  protected readonly requests: Uint8Array[] = [];
  protected readonly answers: Uint8Array[] = [];

  constructor(readonly buffers: RingBuffers) {
    this.shape = buffers.shape;
    this.control = new Int32Array(buffers.control);
    const { slots, requestBytes, answerBytes } = buffers.shape;
    for (let slot = 0; slot < slots; slot++) {
      const start = slot * (requestBytes + answerBytes);
      this.requests.push(new Uint8Array(buffers.data, start, requestBytes));
      this.answers.push(new Uint8Array(buffers.data, start + requestBytes, answerBytes));
    }
  }

  protected cell(slot: number, field: number): number {
    return FIRST_WORKER + this.shape.workers * WORKER_CELLS + slot * CELLS + field;
  }

  protected workerCell(worker: number, field: number): number {
    return FIRST_WORKER + worker * WORKER_CELLS + field;
  }

  protected move(slot: number, from: number, to: number): boolean {
    return Atomics.compareExchange(this.control, this.cell(slot, STATE), from, to) === from;
  }
}

export type RequestWriter = (area: Uint8Array) => number;

export interface FinishedSlot {
  slot: number;
  status: number;
  /** A view of the slot: copy it before {@link HostRing.release}. null: the answer came apart. */
  answer: Uint8Array | null;
}

/** The host's side: one thread. */
export class HostRing extends Ring {
  #sequence = 0;

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
    if (!this.#isLookedFor()) Atomics.notify(this.control, WORK, 1);
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
    Atomics.notify(this.control, WORK);
  }

  #queue(slot: number, length: number, state: number): void {
    this.#sequence = (this.#sequence + 1) & 0x7fffffff;
    Atomics.store(this.control, this.cell(slot, REQUEST_LENGTH), length);
    Atomics.store(this.control, this.cell(slot, SEQUENCE), this.#sequence);
    Atomics.store(this.control, this.cell(slot, STATE), state);
    Atomics.add(this.control, WORK, 1);
  }

  /** Whether the host looks for answers by itself: workers need not tell it meanwhile. */
  look(looks: boolean): void {
    Atomics.store(this.control, TOLD, looks ? 1 : 0);
  }

  /** Slots whose answers are there. */
  *collect(): Generator<FinishedSlot> {
    for (let slot = 0; slot < this.shape.slots; slot++) {
      if (Atomics.load(this.control, this.cell(slot, STATE)) !== DONE) continue;
      const length = Atomics.load(this.control, this.cell(slot, ANSWER_LENGTH));
      yield {
        slot,
        status: Atomics.load(this.control, this.cell(slot, STATUS)),
        answer: length === APART ? null : (this.answers[slot] as Uint8Array).subarray(0, length),
      };
    }
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
    return { worker: state - RUNNING, elapsed: (clock() - started) & 0x7fffffff };
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
  bury(worker: number): void {
    Atomics.store(this.control, this.workerCell(worker, EPOCH), IDLE_EPOCH);
    Atomics.store(this.control, this.workerCell(worker, LOOKING), 0);
  }

  /** Makes every worker leave its loop once it has answered. */
  stop(): void {
    Atomics.store(this.control, STOP, 1);
    Atomics.add(this.control, WORK, 1);
    Atomics.notify(this.control, WORK);
  }
}

/** A worker's side. */
export class WorkerRing extends Ring {
  constructor(
    buffers: RingBuffers,
    readonly worker: number,
  ) {
    super(buffers);
  }

  /** Waits for a request and claims it; null when the ring is stopped. */
  take(): { slot: number; request: Uint8Array | null } | null {
    for (;;) {
      const seen = Atomics.load(this.control, WORK);
      if (Atomics.load(this.control, STOP)) return null;
      const slot = this.#claim();
      if (slot >= 0) {
        // the host may have counted on this worker alone for several requests
        Atomics.notify(this.control, WORK, 1);
        const length = Atomics.load(this.control, this.cell(slot, REQUEST_LENGTH));
        return { slot, request: length === APART ? null : (this.requests[slot] as Uint8Array).subarray(0, length) };
      }
      if (!this.#look(seen)) Atomics.wait(this.control, WORK, seen);
    }
  }

  /** Looks for a request for a while, if there is a processor to spare; false when none came. */
  #look(seen: number): boolean {
    if (Atomics.load(this.control, LOAD) >= this.shape.processors) return false;
    const cell = this.workerCell(this.worker, LOOKING);
    Atomics.store(this.control, cell, 1);
    const end = performance.now() + LOOKING_TIME;
    let came = false;
    do came = Atomics.load(this.control, WORK) !== seen;
    while (!came && performance.now() < end);
    Atomics.store(this.control, cell, 0);
    return came;
  }

  /** Claims the slot that was queued first, or -1. */
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
      Atomics.store(this.control, this.cell(oldest, STARTED), clock());
      if (this.move(oldest, oldestState, RUNNING + this.worker)) return oldest;
    }
  }

  /** Where the answer to a claimed slot goes. */
  answerArea(slot: number): Uint8Array {
    return this.answers[slot] as Uint8Array;
  }

  /**
   * Hands the answer over; `length` null when it was posted apart. False when the host has given the slot up.
   * `tell` is called when the host must be woken.
   */
  finish(slot: number, status: number, length: number | null, tell: () => void): boolean {
    Atomics.store(this.control, this.cell(slot, STATUS), status);
    Atomics.store(this.control, this.cell(slot, ANSWER_LENGTH), length ?? APART);
    if (!this.move(slot, RUNNING + this.worker, DONE)) return false;
    if (Atomics.exchange(this.control, TOLD, 1) === 0) tell();
    return true;
  }

  /**
   * Publishes the version that this worker is going to read, after `catchUp` has taken in what the host posted. The host frees
   * what version v left behind when no worker publishes one below v, so the version is published first and then read again.
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
