/** Requests that may be under way to one provider. */
const PARALLEL = 40;

/**
 * Lets requests to one provider through: so many at a time, and none while it has asked for a pause. After a refusal fewer go at once,
 * after each success one more again.
 */
export class Limiter {
  #running = 0;
  #allowed = PARALLEL;
  #pausedUntil = 0;
  readonly #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | null = null;

  /** Runs a request when its turn has come. */
  async run<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#turn(signal);
    this.#running++;
    try {
      return await request();
    } finally {
      this.#running--;
      this.#wake();
    }
  }

  /** The provider refused: nothing is sent for so long. */
  refused(pauseMs: number): void {
    this.#allowed = Math.max(1, Math.floor(this.#allowed / 2));
    this.#pausedUntil = Math.max(this.#pausedUntil, Date.now() + pauseMs);
  }

  succeeded(): void {
    this.#allowed = Math.min(PARALLEL, this.#allowed + 1);
  }

  async #turn(signal: AbortSignal): Promise<void> {
    while (this.#running >= this.#allowed || Date.now() < this.#pausedUntil) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        const wake = () => {
          signal.removeEventListener('abort', wake);
          resolve();
        };
        signal.addEventListener('abort', wake, { once: true });
        this.#waiting.push(wake);
        this.#sleep();
      });
    }
    signal.throwIfAborted();
  }

  #sleep(): void {
    const left = this.#pausedUntil - Date.now();
    if (left <= 0 || this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#wake();
    }, left);
  }

  /** Those whose turn has not come wait again. */
  #wake(): void {
    if (Date.now() < this.#pausedUntil) {
      this.#sleep();
      return;
    }
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
