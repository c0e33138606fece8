/** Thrown when a batch is stopped: its tasks stay in the queue. */
export class Stopped extends Error {}

/** Requests a running batch to stop. Work that cannot be interrupted is abandoned, and its results are discarded. */
export class StopSignal {
  #requested = false;
  readonly #abort = new AbortController();
  #reject: (error: Stopped) => void = () => {};
  readonly #stopped: Promise<never>;

  constructor() {
    this.#stopped = new Promise((_resolve, reject) => {
      this.#reject = reject;
    });
    // Nobody may be listening when it is rejected.
    this.#stopped.catch(() => {});
  }

  request(): void {
    this.#requested = true;
    this.#abort.abort(new Stopped());
    this.#reject(new Stopped());
  }

  /** For work that takes an AbortSignal. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** @throws Stopped when the batch is to stop */
  check(): void {
    if (this.#requested) throw new Stopped();
  }

  /** Waits for `work` or the signal; a result that arrives too late is passed to `abandon`. */
  async guard<T>(work: Promise<T>, abandon: (result: T) => void): Promise<T> {
    try {
      const result = await Promise.race([work, this.#stopped]);
      this.check();
      return result;
    } catch (error) {
      if (error instanceof Stopped) work.then(abandon, () => {});
      throw error;
    }
  }
}
