import type { HostRing } from './host-ring.js';

/** Milliseconds for which the host looks for answers by itself, and how many of them before it sees to other events. */
const LOOKING_TIME = 2;
const LOOKING_TURN = 0.05;
/**
 * Milliseconds in which a worker that looks for requests or was woken claims one. When it does not, it waits for a processor: for the
 * host's, which sleeps then, or for one that something else has taken, and then a worker that sleeps is woken in its place.
 */
const CLAIMING_TIME = 0.1;

/**
 * The host's look for answers at the end of a turn of the event loop, so that nobody has to notify of those that are there by then;
 * while a processor is idle also at the end of each turn that follows, for a while: a notification takes longer than a short search.
 */
export class AnswerPoller {
  /** The host looks for answers by itself. */
  isLooking = false;
  #since = 0;

  /** @param running how many requests workers have; @param collect takes the answers that are there */
  constructor(
    readonly ring: HostRing,
    readonly running: () => number,
    readonly collect: () => void,
  ) {}

  /** To be called when a request was submitted. */
  start(): void {
    if (this.isLooking) return;
    this.isLooking = true;
    this.ring.look(true);
    this.#since = performance.now();
    setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    const pause = performance.now() + LOOKING_TURN;
    while (!this.ring.glance() && this.#hasProcessorToSpare() && performance.now() < pause);
    this.collect();
    if (this.running() > 0 && this.#hasProcessorToSpare() && this.#mayLook(performance.now() - this.#since)) {
      setImmediate(this.#turn);
      return;
    }
    this.isLooking = false;
    this.ring.look(false);
    if (this.ring.hasUnclaimed) this.ring.wakeOne();
    // what ended before workers knew that they have to notify
    this.collect();
  };

  /** May the host look on, after so many milliseconds of it? */
  #mayLook(elapsed: number): boolean {
    return elapsed < CLAIMING_TIME || (elapsed < LOOKING_TIME && !this.ring.hasUnclaimed);
  }

  #hasProcessorToSpare(): boolean {
    return this.running() < this.ring.shape.processors;
  }
}
