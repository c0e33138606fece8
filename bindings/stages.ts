const UNITS: readonly [name: string, milliseconds: number][] = [
  ['s', 1000],
  ['ms', 1],
  ['µs', 0.001],
];

/** Durations of the stages of a request, by their path (`search > format`). */
export class Stages {
  readonly #durations = new Map<string, number>();

  constructor(readonly now: () => number) {}

  /** Runs a job as a stage. */
  run<T>(path: string, job: () => T): T {
    const start = this.now();
    try {
      return job();
    } finally {
      this.#durations.set(path, this.now() - start);
    }
  }

  /** Path -> duration with two decimals and a unit; the stages that ended so far. */
  report(): Record<string, string> {
    return Object.fromEntries([...this.#durations].map(([path, duration]) => [path, durationText(duration)]));
  }
}

/** A duration in the largest unit in which it is at least 1: `1.23ms`. */
function durationText(milliseconds: number): string {
  const [name, size] = UNITS.find(([, unit]) => milliseconds >= unit) ?? ['ns', 0.000001];
  return `${(milliseconds / size).toFixed(2)}${name}`;
}
