import { SLOT_CELLS, Slots } from './slots.js';
import { WORKER_CELLS, Workers } from './workers.js';

/**
 * Requests and answers in shared memory. The host writes a request into a free slot and wakes a worker that sleeps in
 * `Atomics.wait`. It always wakes the sleeping worker with the lowest number, so that under low load the same few workers answer,
 * with warm caches. The worker claims the slot that was queued first, and writes the answer where the host reads it.
 *
 *   control (i32)  | WORK | ANSWERS | NOTIFIED | STOP | VERSION | cells of each worker | cells of slot 0 | …
 *   data           | slot 0: request area, answer area | slot 1 | …
 */
export interface RingShape {
  slots: number;
  workers: number;
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
const FIRST_WORKER = 5;

export function controlCells({ slots, workers }: RingShape): number {
  return FIRST_WORKER + workers * WORKER_CELLS + slots * SLOT_CELLS;
}

/** What both sides share. */
export class Ring {
  readonly slots: Slots;
  readonly workers: Workers;
  protected readonly control: Int32Array;
  protected readonly requests: Buffer[] = [];
  protected readonly answers: Uint8Array[] = [];

  constructor(readonly buffers: RingBuffers) {
    this.control = new Int32Array(buffers.control);
    const { slots, workers, requestBytes, answerBytes } = buffers.shape;
    this.workers = new Workers(this.control, FIRST_WORKER, workers);
    this.slots = new Slots(this.control, FIRST_WORKER + workers * WORKER_CELLS, slots);
    for (let slot = 0; slot < slots; slot++) {
      const start = slot * (requestBytes + answerBytes);
      this.requests.push(Buffer.from(buffers.data, start, requestBytes));
      this.answers.push(new Uint8Array(buffers.data, start + requestBytes, answerBytes));
    }
  }
}
