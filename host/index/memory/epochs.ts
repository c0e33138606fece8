/** Milliseconds between two checks whether readers have left old versions. */
const SWEEP_INTERVAL = 50;

/**
 * Epoch-based reclamation: releases what old versions used once nobody reads them. Search threads publish the version they read
 * in the ring; jobs of index threads are pinned here while they run.
 */
export class Epochs {
  readonly #retired: { version: number; release: () => void }[] = [];
  readonly #pins = new Set<{ version: number }>();
  #timer: NodeJS.Timeout | null = null;

  /** `oldestReader`: the oldest version that a search thread reads, Infinity when none reads. */
  constructor(readonly oldestReader: () => number) {}

  /** Keeps everything that a version uses until the returned function is called. */
  pin(version: number): () => void {
    const pin = { version };
    this.#pins.add(pin);
    return () => {
      this.#pins.delete(pin);
      this.sweep();
    };
  }

  /**
   * Calls `release` once every reader is at `version` or later, where `version` is the first that no longer uses the resource.
   */
  retire(version: number, release: () => void): void {
    this.#retired.push({ version, release });
  }

  /** Releases what can be released now; the rest is tried again later. */
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

  /** Number of resources that wait for readers. */
  get waiting(): number {
    return this.#retired.length;
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }
}
