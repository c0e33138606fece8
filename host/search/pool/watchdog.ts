/** Milliseconds between two checks for hung requests. */
const INTERVAL = 250;

/** Looks for hung requests now and then, as long as any are running. */
export class Watchdog {
  #timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly isNeeded: () => boolean,
    private readonly check: () => void,
  ) {}

  begin(): void {
    if (this.#timer) return;
    this.#timer = setInterval(() => {
      this.check();
      if (!this.isNeeded()) this.end();
    }, INTERVAL);
    this.#timer.unref();
  }

  end(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }
}
