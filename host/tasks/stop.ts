/** Thrown where a batch is given up: its tasks stay in the queue. */
export class Stopped extends Error {}

/** Tells a running batch to stop. Work that cannot be interrupted is left behind, and what it makes is thrown away. */
export class StopSignal {
  #requested = false;
  readonly #abort = new AbortController();
  #reject: (error: Stopped) => void = () => {};
  readonly #stopped: Promise<never>;

  constructor() {
    this.#stopped = new Promise((_resolve, reject) => {
      this.#reject = reject;
    });
    // Nobody may be listening when it comes.
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

  /** @throws Stopped when it has been asked for. */
  check(): void {
    if (this.#requested) throw new Stopped();
  }

  /** Waits for `work` or for the signal; what comes too late is given to `abandon`. */
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
