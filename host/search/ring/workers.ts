// Cells of a worker.

/** Version of the views that the worker is reading. */
const EPOCH = 0;
/** 1: the worker sleeps. The cell that `Atomics.wait` waits on. */
export const SLEEPING = 1;
export const WORKER_CELLS = 2;

/** Epoch of a worker that reads no view. */
const IDLE_EPOCH = 0;

/** What the workers of the ring announce of themselves, and waking them. */
export class Workers {
  /** @param first the first cell of the workers in `control` */
  constructor(
    readonly control: Int32Array,
    readonly first: number,
    readonly count: number,
  ) {}

  /** Where a cell of a worker is in `control`. */
  cell(worker: number, cell: number): number {
    return this.first + worker * WORKER_CELLS + cell;
  }

  #load(worker: number, cell: number): number {
    return Atomics.load(this.control, this.cell(worker, cell));
  }

  #store(worker: number, cell: number, value: number): void {
    Atomics.store(this.control, this.cell(worker, cell), value);
  }

  /** Announces which version a worker reads. */
  setEpoch(worker: number, version: number): void {
    this.#store(worker, EPOCH, version);
  }

  /** Announces that a worker reads no view. */
  setIdle(worker: number): void {
    this.#store(worker, EPOCH, IDLE_EPOCH);
  }

  /** The oldest version that a worker is reading; Infinity when all are idle. */
  oldestEpoch(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (let worker = 0; worker < this.count; worker++) {
      const epoch = this.#load(worker, EPOCH);
      if (epoch !== IDLE_EPOCH) oldest = Math.min(oldest, epoch);
    }
    return oldest;
  }

  /** Number of workers that do not sleep: they run a request, or look for one before they sleep. */
  get awake(): number {
    let awake = 0;
    for (let worker = 0; worker < this.count; worker++) if (this.#load(worker, SLEEPING) === 0) awake++;
    return awake;
  }

  /** Sleeps until the host wakes the worker. @param mayStill whether it may, after it has announced that it does */
  sleep(worker: number, mayStill: () => boolean): void {
    this.#store(worker, SLEEPING, 1);
    if (mayStill()) Atomics.wait(this.control, this.cell(worker, SLEEPING), 1);
    this.#store(worker, SLEEPING, 0);
  }

  /** Wakes a worker; false when it does not sleep. */
  wake(worker: number): boolean {
    const cell = this.cell(worker, SLEEPING);
    if (Atomics.compareExchange(this.control, cell, 1, 0) === 0) return false;
    Atomics.notify(this.control, cell);
    return true;
  }

  /** Wakes the first sleeping worker. If none sleeps, each of them will look for requests before it does. */
  wakeOne(): void {
    for (let worker = 0; worker < this.count; worker++) if (this.wake(worker)) return;
  }

  wakeAll(): void {
    for (let worker = 0; worker < this.count; worker++) this.wake(worker);
  }

  /** Clears the cells of a worker that has ended. */
  retire(worker: number): void {
    this.setIdle(worker);
    this.#store(worker, SLEEPING, 0);
  }
}
