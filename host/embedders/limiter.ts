/** Concurrent requests to one provider. */
const PARALLEL = 40;

/**
 * Limits the concurrent requests to one provider, and sends none while the provider has asked for a pause. A refusal lowers the
 * limit, each success raises it by one. Requests for searches go before requests for documents.
 */
export class Limiter {
  #running = 0;
  #allowed = PARALLEL;
  #pausedUntil = 0;
  readonly #waiting: (() => void)[] = [];
  /** Requests for searches that wait. */
  #urgent = 0;
  #timer: NodeJS.Timeout | null = null;

  /** Runs a request when the limit allows it. */
  async run<T>(request: () => Promise<T>, signal: AbortSignal, isUrgent = false): Promise<T> {
    if (isUrgent) this.#urgent++;
    try {
      await this.#acquire(signal, isUrgent);
    } finally {
      if (isUrgent) {
        this.#urgent--;
        // Its end may let others run.
        this.#wake();
      }
    }
    try {
      return await request();
    } finally {
      this.#running--;
      this.#wake();
    }
  }

  /** The provider refused a request: sends nothing for `pauseMs` milliseconds. */
  refused(pauseMs: number): void {
    this.#allowed = Math.max(1, Math.floor(this.#allowed / 2));
    this.#pausedUntil = Math.max(this.#pausedUntil, Date.now() + pauseMs);
  }

  succeeded(): void {
    this.#allowed = Math.min(PARALLEL, this.#allowed + 1);
  }

  async #acquire(signal: AbortSignal, isUrgent: boolean): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const pause = this.#pausedUntil - Date.now();
      if (pause <= 0 && this.#running < this.#allowed && (isUrgent || this.#urgent === 0)) {
        this.#running++;
        return;
      }
      await this.#woken(pause, signal);
    }
  }

  /** Resolves when another request has ended, the pause is over or the signal is aborted; the caller then checks again. */
  #woken(pause: number, signal: AbortSignal): Promise<void> {
    if (pause > 0) {
      this.#timer ??= setTimeout(() => {
        this.#timer = null;
        this.#wake();
      }, pause);
    }
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake);
        resolve();
      };
      signal.addEventListener('abort', wake, { once: true });
      this.#waiting.push(wake);
    });
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
