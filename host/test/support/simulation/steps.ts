import type { SeededRandom } from '../../../../bindings/test/random.js';

interface Step {
  run(): void;
  /** What it leaves on disk if the process ends before it. */
  atKill: (() => void) | undefined;
}

/** Operations of a process on its environment that are pending: a seed decides which completes next. */
export class Steps {
  #waiting: Step[] = [];

  constructor(private readonly random: SeededRandom) {}

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves or rejects as `effect` does, when it is its turn. */
  take<T>(effect: () => T, atKill?: () => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = () => {
        try {
          resolve(effect());
        } catch (error) {
          reject(error);
        }
      };
      this.#waiting.push({ run, atKill });
    });
  }

  /** Takes one step; false when nothing waits. */
  next(): boolean {
    if (this.#waiting.length === 0) return false;
    this.#waiting.splice(this.random.int(this.#waiting.length), 1)[0]!.run();
    return true;
  }

  /** No pending operation completes; each may have left on disk what it was about to write. */
  kill(): void {
    for (const { atKill } of this.#waiting) if (this.random.int(2) === 0) atKill?.();
    this.#waiting = [];
  }
}

/** Waits until all that follows from the last step has happened. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
