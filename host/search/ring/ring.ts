/**
 * Requests and answers in shared memory. The host writes a request into a free slot and wakes a worker that sleeps in
 * `Atomics.wait`. It always wakes the sleeping worker with the lowest number, so that under low load the same few workers answer,
 * with warm caches. The worker claims the slot that was queued first, and writes the answer where the host reads it.
 *
 *   control (i32)  | WORK | ANSWERS | NOTIFIED | STOP | VERSION | LOAD | cells of each worker | cells of slot 0 | …
 *   data           | slot 0: request area, answer area | slot 1 | …
 *
 *   state of a slot:  FREE -host-> QUEUED (any worker) or TARGETED + w (only worker w)
 *                     -worker w-> RUNNING + w -worker w-> DONE -host-> FREE
 *                     RUNNING + w -host-> GIVEN_UP -host, when the worker is gone-> FREE
 *
 * Every transition is one compare-and-exchange, so a worker that dies can leave only its own slot unfinished.
 */
export interface RingShape {
  slots: number;
  workers: number;
  /** Number of cores. */
  processors: number;
  /** Bytes of a slot's request area; longer requests are sent as messages. */
  requestBytes: number;
  /** Bytes of a slot's answer area; longer answers are sent as messages. */
  answerBytes: number;
}

export interface RingBuffers {
  shape: RingShape;
  control: SharedArrayBuffer;
  data: SharedArrayBuffer;
}

/** Counter of requests. */
export const WORK = 0;
/** Counter of answers. */
export const ANSWERS = 1;
/** 1: the host has been notified of answers and has not looked yet, or is polling. */
export const NOTIFIED = 2;
export const STOP = 3;
/** Version of the newest view posted to the workers. */
export const VERSION = 4;
/** Number of requests in the ring when the newest one arrived, including it. */
export const LOAD = 5;
export const FIRST_WORKER = 6;

/** Version of the views that the worker is reading. */
export const EPOCH = 0;
/** 1: the worker is polling for requests and need not be woken. */
export const POLLING = 1;
/** 1: the worker sleeps. The cell that `Atomics.wait` waits on. */
export const SLEEPING = 2;
export const WORKER_CELLS = 3;

export const STATE = 0;
export const REQUEST_LENGTH = 1;
export const ANSWER_LENGTH = 2;
export const STATUS = 3;
export const SEQUENCE = 4;
export const STARTED = 5;
/** Microseconds for which a worker ran it. */
export const TOOK = 6;
export const CELLS = 8;

export const FREE = 0;
export const QUEUED = 1;
export const DONE = 2;
export const GIVEN_UP = 3;
export const RUNNING = 1 << 16;
export const TARGETED = 1 << 20;

/** As ANSWER_LENGTH or REQUEST_LENGTH: sent as a message. */
export const APART = -1;

/** Epoch of a worker that reads no view. */
export const IDLE_EPOCH = 0;

/** Polls between two readings of the clock, which allocate. So many polls take a few microseconds. */
export const POLLS_PER_READING = 512;

/** What both sides share. */
export class Ring {
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

  /** Wakes a worker; false when it does not sleep. */
  protected wake(worker: number): boolean {
    const cell = this.workerCell(worker, SLEEPING);
    if (Atomics.compareExchange(this.control, cell, 1, 0) === 0) return false;
    Atomics.notify(this.control, cell);
    return true;
  }

  /** Wakes the first sleeping worker. If none sleeps, each of them will look for requests before it does. */
  wakeOne(): void {
    for (let worker = 0; worker < this.shape.workers; worker++) if (this.wake(worker)) return;
  }

  protected move(slot: number, from: number, to: number): boolean {
    return Atomics.compareExchange(this.control, this.cell(slot, STATE), from, to) === from;
  }
}
