/** Alignment and granularity in bytes: multiples of SIMD lanes and cache lines. */
const GRANULARITY = 64;

interface Run {
  start: number;
  end: number;
}

/**
 * Allocates byte ranges of [start, limit): first fit over a list of free runs; neighbouring runs are merged when they are freed.
 */
export class Allocator {
  readonly #free: Run[] = [];
  readonly #used = new Map<number, number>();

  constructor(start: number, limit: number) {
    const first = roundUp(start);
    const end = limit - (limit % GRANULARITY);
    if (first < end) this.#free.push({ start: first, end });
  }

  /** Address of a free range of `bytes` bytes, or null when no run is long enough. */
  reserve(bytes: number): number | null {
    const length = roundUp(Math.max(bytes, 1));
    const index = this.#free.findIndex((run) => run.end - run.start >= length);
    const run = this.#free[index];
    if (!run) return null;
    const at = run.start;
    run.start += length;
    if (run.start === run.end) this.#free.splice(index, 1);
    this.#used.set(at, length);
    return at;
  }

  /** Frees a range returned by {@link reserve}. */
  release(at: number): void {
    const length = this.#used.get(at);
    if (length === undefined) throw new Error(`nothing is reserved at ${at}`);
    this.#used.delete(at);
    const end = at + length;
    let next = this.#free.findIndex((run) => run.start > at);
    if (next < 0) next = this.#free.length;
    const before = this.#free[next - 1];
    const after = this.#free[next];
    if (before && before.end === at) {
      before.end = end;
      if (after && after.start === end) {
        before.end = after.end;
        this.#free.splice(next, 1);
      }
    } else if (after && after.start === end) {
      after.start = at;
    } else {
      this.#free.splice(next, 0, { start: at, end });
    }
  }

  /** Bytes allocated. */
  get used(): number {
    let sum = 0;
    for (const length of this.#used.values()) sum += length;
    return sum;
  }

  /** The free runs, ascending and not adjacent. */
  get free(): readonly Readonly<Run>[] {
    return this.#free;
  }
}

function roundUp(bytes: number): number {
  return Math.ceil(bytes / GRANULARITY) * GRANULARITY;
}
