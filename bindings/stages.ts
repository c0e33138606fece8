const UNITS: readonly [name: string, milliseconds: number][] = [
  ['s', 1000],
  ['ms', 1],
  ['µs', 0.001],
];

/** Durations of a request and its stages by path (`search`, `search > format`). */
export class Stages {
  readonly #before = new Map<string, number>();
  /** By name of the stage. */
  readonly #durations = new Map<string, number>();

  /** @param whole path of the request itself, which began at `start` */
  constructor(
    readonly whole: string,
    readonly now: () => number,
    readonly start = now(),
  ) {}

  /** Runs a job as a stage, or adds it to the stage's duration. */
  run<T>(name: string, job: () => T): T {
    const start = this.now();
    try {
      return job();
    } finally {
      this.#durations.set(name, (this.#durations.get(name) ?? 0) + this.now() - start);
    }
  }

  /** Records a duration from before the request, measured elsewhere. */
  note(path: string, duration: number): void {
    this.#before.set(path, duration);
  }

  /**
   * Path -> duration with two decimals and a unit: what came before the request, the request so far, and the stages that ended.
   */
  report(): Record<string, string> {
    const stages = [...this.#durations].map(([name, duration]): [string, number] => [`${this.whole} > ${name}`, duration]);
    const durations: [string, number][] = [...this.#before, [this.whole, this.now() - this.start], ...stages];
    return Object.fromEntries(durations.map(([path, duration]) => [path, durationText(duration)]));
  }
}

/** A duration in the largest unit that gives at least 1: `1.23ms`. */
function durationText(milliseconds: number): string {
  const [name, size] = UNITS.find(([, unit]) => milliseconds >= unit) ?? ['ns', 0.000001];
  return `${(milliseconds / size).toFixed(2)}${name}`;
}
