/** Milliseconds for which a worker polls at least: waking a thread takes as long as a short search. */
const MIN_POLLING_TIME = 0.2;
/** Milliseconds for which it polls at most: a thread that polls uses up its share of a busy core. */
const MAX_POLLING_TIME = 0.35;
const POLLING_PER_REQUEST = 2;

/**
 * For how long a worker polls for the next request before it sleeps: twice as long as its last requests took. While code is cold they take
 * longer, and so does the host between them: with the shortest time the worker would fall asleep before each of them.
 */
export class PollingTime {
  /** In milliseconds. */
  milliseconds = MIN_POLLING_TIME;
  #last = 0;

  /** Takes note of a request that took so many milliseconds. */
  learn(took: number): void {
    // Of two requests the shorter one counts: the worker may have been suspended in the other one.
    const shorter = Math.min(took, this.#last);
    this.#last = took;
    this.milliseconds = Math.min(Math.max(MIN_POLLING_TIME, shorter * POLLING_PER_REQUEST), MAX_POLLING_TIME);
  }
}
