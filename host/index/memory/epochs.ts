/** How often what waits for readers is looked at again, in milliseconds. */
const SWEEP_INTERVAL = 50;

/**
 * Frees what old versions left behind once nobody reads them: search workers, which publish the version they read in the ring,
 * and jobs of index workers, which are pinned here for as long as they run.
 */
export class Epochs {
  readonly #retired: { version: number; release: () => void }[] = [];
  readonly #pins = new Set<{ version: number }>();
  #timer: NodeJS.Timeout | null = null;

  /** `oldestReader`: the oldest version that a search worker reads, Infinity when none reads. */
  constructor(readonly oldestReader: () => number) {}

  /** Keeps all that a version needs until the returned function is called. */
  pin(version: number): () => void {
    const pin = { version };
    this.#pins.add(pin);
    return () => {
      this.#pins.delete(pin);
      this.sweep();
    };
  }

  /** Calls `release` once every reader is at `version`, the first that does not need the thing, or later. */
  retire(version: number, release: () => void): void {
    this.#retired.push({ version, release });
  }

  /** Releases what can be released now; what is left is tried again by and by. */
  sweep(): void {
    let oldest = this.oldestReader();
    for (const pin of this.#pins) oldest = Math.min(oldest, pin.version);
    while (this.#retired[0] && this.#retired[0].version <= oldest) this.#retired.shift()?.release();
    if (this.#retired.length && !this.#timer) {
      this.#timer = setTimeout(() => {
        this.#timer = null;
        this.sweep();
      }, SWEEP_INTERVAL);
      this.#timer.unref();
    }
  }

  /** Things that wait for readers. */
  get waiting(): number {
    return this.#retired.length;
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }
}
