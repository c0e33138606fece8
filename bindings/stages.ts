const UNITS: readonly [name: string, milliseconds: number][] = [
  ['s', 1000],
  ['ms', 1],
  ['µs', 0.001],
];

/** Durations of a request and of its stages, by their path (`search`, `search > format`). */
export class Stages {
  readonly #before = new Map<string, number>();
  /** Of stages, by their names. */
  readonly #durations = new Map<string, number>();
  readonly #start: number;
  /** Somebody will ask for the report: else stages are not timed. */
  isWanted = false;

  /** @param whole the path of the request itself, which begins now */
  constructor(
    readonly whole: string,
    readonly now: () => number,
  ) {
    this.#start = now();
  }

  /** Runs a job as a stage, or as one more part of it. */
  run<T>(name: string, job: () => T): T {
    if (!this.isWanted) return job();
    const start = this.now();
    try {
      return job();
    } finally {
      this.#durations.set(name, (this.#durations.get(name) ?? 0) + this.now() - start);
    }
  }

  /** A duration that was taken elsewhere, before the request itself. */
  note(path: string, duration: number): void {
    this.#before.set(path, duration);
  }

  /** Path -> duration with two decimals and a unit: before the request, of the request so far, and of the stages that ended. */
  report(): Record<string, string> {
    const stages = [...this.#durations].map(([name, duration]): [string, number] => [`${this.whole} > ${name}`, duration]);
    const durations: [string, number][] = [...this.#before, [this.whole, this.now() - this.#start], ...stages];
    return Object.fromEntries(durations.map(([path, duration]) => [path, durationText(duration)]));
  }
}

/** A duration in the largest unit in which it is at least 1: `1.23ms`. */
function durationText(milliseconds: number): string {
  const [name, size] = UNITS.find(([, unit]) => milliseconds >= unit) ?? ['ns', 0.000001];
  return `${(milliseconds / size).toFixed(2)}${name}`;
}
