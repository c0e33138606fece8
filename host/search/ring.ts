/**
 * Requests and answers in shared memory. The host writes a request into a free slot and wakes a worker that waits with
 * `Atomics.wait`, the first that sleeps: few clients have few of them, and what these have worked out serves them again. The worker
 * claims the oldest queued slot and writes the answer where the host reads it.
 *
 *   control (i32)  | WORK | ANSWERS | NOTIFIED | STOP | VERSION | LOAD | cells of each worker | cells of slot 0 | …
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

/** Counts requests. */
export const WORK = 0;
/** Counts answers. */
export const ANSWERS = 1;
/** 1: the host has been notified that answers are there and did not look yet, or looks by itself. */
export const NOTIFIED = 2;
export const STOP = 3;
/** Version of the newest view that was posted to the workers. */
export const VERSION = 4;
/** Requests in the ring when the newest one came, itself among them. */
export const LOAD = 5;
export const FIRST_WORKER = 6;

/** Version of the views that the worker reads. */
export const EPOCH = 0;
/** 1: the worker looks for work on its own and need not be woken. */
export const LOOKING = 1;
/** 1: the worker sleeps. What it waits on. */
export const SLEEPING = 2;
export const WORKER_CELLS = 3;

export const STATE = 0;
export const REQUEST_LENGTH = 1;
export const ANSWER_LENGTH = 2;
export const STATUS = 3;
export const SEQUENCE = 4;
export const STARTED = 5;
export const CELLS = 8;

export const FREE = 0;
export const QUEUED = 1;
export const DONE = 2;
export const GIVEN_UP = 3;
export const RUNNING = 1 << 16;
export const TARGETED = 1 << 20;

/** ANSWER_LENGTH or REQUEST_LENGTH of what travels in a buffer of its own. */
export const APART = -1;

/** Of a worker that reads no view. */
export const IDLE_EPOCH = 0;

/** Who looks for something looks so often before it reads the clock, which makes garbage: a few microseconds. */
export const GLANCES = 512;

/** What both sides do. */
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

  /** Wakes the first worker that sleeps; if none does, all look for requests before they do. */
  wakeOne(): void {
    for (let worker = 0; worker < this.shape.workers; worker++) if (this.wake(worker)) return;
  }

  protected move(slot: number, from: number, to: number): boolean {
    return Atomics.compareExchange(this.control, this.cell(slot, STATE), from, to) === from;
  }
}
