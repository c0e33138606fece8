import { ANSWERS, controlCells, NOTIFIED, Ring, type RingShape, STOP, VERSION, WORK } from './ring.js';

/** Polls between two readings of the clock, which allocate. So many polls take a few microseconds. */
const POLLS_PER_READING = 512;

export type RequestWriter = (area: Buffer) => number;

/** The host's side of the ring, used by one thread. */
export class HostRing extends Ring {
  /** The counter of answers when the host last looked. */
  #seen = 0;

  static create(shape: RingShape): HostRing {
    return new HostRing({
      shape,
      control: new SharedArrayBuffer(controlCells(shape) * Int32Array.BYTES_PER_ELEMENT),
      data: new SharedArrayBuffer(shape.slots * (shape.requestBytes + shape.answerBytes)),
    });
  }

  /**
   * Queues the request that `write` puts into the request area of a free slot; `load`: number of requests in the ring, including
   * this one.
   */
  submit(slot: number, load: number, write: RequestWriter): void {
    this.slots.queue(slot, write(this.requests[slot] as Buffer));
    Atomics.add(this.control, WORK, 1);
    // A worker that is awake without a request looks for one before it sleeps.
    if (this.workers.awake < load) this.workers.wakeOne();
  }

  /** Queues a request that was posted to one worker as a message, under the number of the slot. */
  submitMessage(slot: number, worker: number): void {
    this.slots.queueMessage(slot, worker);
    Atomics.add(this.control, WORK, 1);
    this.workers.wake(worker);
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

  /** Calls `take` for every slot with a finished answer. */
  collect(take: (slot: number) => void): void {
    this.#seen = Atomics.load(this.control, ANSWERS);
    for (let slot = 0; slot < this.slots.count; slot++) if (this.slots.isDone(slot)) take(slot);
  }

  /** The answer in a slot, to be copied before the slot is released; null when it was sent as a message. */
  answer(slot: number): Uint8Array | null {
    const length = this.slots.answerLength(slot);
    return length === null ? null : (this.answers[slot] as Uint8Array).subarray(0, length);
  }

  get version(): number {
    return Atomics.load(this.control, VERSION);
  }

  /** Announces views that were posted before; workers apply them before their next request. */
  announce(version: number): void {
    Atomics.store(this.control, VERSION, version);
  }

  /** Makes every worker leave its loop after its current request. */
  stop(): void {
    Atomics.store(this.control, STOP, 1);
    Atomics.add(this.control, WORK, 1);
    this.workers.wakeAll();
  }
}
