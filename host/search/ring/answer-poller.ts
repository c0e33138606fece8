import type { HostRing } from './host-ring.js';

/** Milliseconds for which the host polls for answers, over many turns of the event loop. */
const POLLING_TIME = 2;
/** Milliseconds for which it polls within one turn; then it handles other events. */
const POLLING_TURN = 0.05;
/**
 * Milliseconds within which a worker that was woken should claim a request. If it does not, it is waiting for a core:
 * the host then sleeps to free its own, or wakes another sleeping worker.
 */
const CLAIMING_TIME = 0.1;

/**
 * Polls for answers at the end of each turn of the event loop, so that workers need not notify the host of answers that are ready
 * by then. While a core is idle it keeps polling in the following turns for a short time, because a notification takes longer
 * than a short search.
 */
export class AnswerPoller {
  /** Whether the host is polling. */
  isPolling = false;
  #since = 0;

  /**
   * @param processors number of cores
   * @param running number of requests that workers have
   * @param collect takes the answers that are ready
   */
  constructor(
    readonly ring: HostRing,
    readonly processors: number,
    readonly running: () => number,
    readonly collect: () => void,
  ) {}

  /** Must be called after a request was submitted. */
  start(): void {
    if (this.isPolling) return;
    this.isPolling = true;
    this.ring.setPolling(true);
    this.#since = performance.now();
    setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    const pause = performance.now() + POLLING_TURN;
    while (!this.ring.pollBriefly() && this.#hasProcessorToSpare() && performance.now() < pause);
    this.collect();
    if (this.running() > 0 && this.#hasProcessorToSpare() && this.#mayPoll(performance.now() - this.#since)) {
      setImmediate(this.#turn);
      return;
    }
    this.isPolling = false;
    this.ring.setPolling(false);
    if (this.ring.slots.hasUnclaimed) this.ring.workers.wakeOne();
    // Collects answers that were finished before workers saw that they must notify.
    this.collect();
  };

  /** Whether polling may go on after `elapsed` milliseconds. */
  #mayPoll(elapsed: number): boolean {
    return elapsed < CLAIMING_TIME || (elapsed < POLLING_TIME && !this.ring.slots.hasUnclaimed);
  }

  #hasProcessorToSpare(): boolean {
    return this.running() < this.processors;
  }
}
