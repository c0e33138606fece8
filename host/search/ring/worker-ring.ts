import { ANSWERS, NOTIFIED, Ring, type RingBuffers, STOP, VERSION, WORK } from './ring.js';

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
      const seen = this.#work();
      if (Atomics.load(this.control, STOP)) return null;
      const slot = this.slots.claim(this.worker, this.#work);
      if (slot >= 0) {
        this.#claimed = performance.now();
        // The host may have woken only this worker for several requests.
        if (this.slots.hadMore) this.workers.wakeOne();
        const length = this.slots.requestLength(slot);
        return { slot, request: length === null ? null : (this.requests[slot] as Uint8Array).subarray(0, length) };
      }
      this.workers.sleep(this.worker, () => this.#work() === seen);
    }
  }

  /** Counter of requests. */
  readonly #work = (): number => Atomics.load(this.control, WORK);

  /** The answer area of a claimed slot. */
  answerArea(slot: number): Uint8Array {
    return this.answers[slot] as Uint8Array;
  }

  /**
   * Hands the answer over; `length` is null when it was sent as a message. False when the host has given the slot up. `notify` is
   * called when the host must be woken.
   */
  finish(slot: number, status: number, length: number | null, notify: () => void): boolean {
    const took = performance.now() - this.#claimed;
    if (!this.slots.finish(slot, this.worker, status, length, took)) return false;
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
      this.workers.setEpoch(this.worker, version);
      if (Atomics.load(this.control, VERSION) !== version) continue;
      catchUp(version);
      return;
    }
  }

  leave(): void {
    this.workers.setIdle(this.worker);
  }
}
