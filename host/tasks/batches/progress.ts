import { formatDuration } from '../../time/moments.js';

interface Step {
  name: string;
  finished: number;
  total: number;
  began: number;
  /** Whether the remaining time is shown. */
  isTimed: boolean;
}

export interface ProgressView {
  steps: { currentStep: string; finished: number; total: number }[];
  percentage: number;
  /** ISO 8601: estimated remaining time of the innermost step; absent when it cannot be estimated. */
  timeLeft?: string;
}

/** The progress of the running batch: a stack of steps, outermost first, and the duration of each. */
export class BatchProgress {
  readonly #steps: Step[] = [];
  readonly #times = new Map<string, number>();
  #ended: ProgressView | null = null;

  /** Replaces the step at `depth` (0 is the outermost) and ends those below it. @param timed the step may take hours */
  enter(depth: number, name: string, finished: number, total: number, timed?: 'timed'): void {
    const current = this.#steps[depth];
    if (current?.name === name) {
      current.finished = finished;
      current.total = total;
      return;
    }
    this.#leave(depth);
    this.#steps.push({ name, finished, total, began: performance.now(), isTimed: timed !== undefined });
  }

  /** Ends every step. @returns the trace of the batch: path of steps -> duration */
  end(): Record<string, string> {
    // The last state is shown until the end of the batch is stored.
    this.#ended = this.view();
    this.#leave(0);
    return this.trace();
  }

  trace(): Record<string, string> {
    return Object.fromEntries([...this.#times].map(([path, ms]) => [path, formatTime(ms)]));
  }

  view(): ProgressView {
    if (this.#ended) return this.#ended;
    let share = 0;
    let parts = 1;
    for (const { finished, total } of this.#steps) {
      parts *= Math.max(total, 1);
      share += finished / parts;
    }
    return {
      steps: this.#steps.map(({ name, finished, total }) => ({ currentStep: name, finished, total })),
      percentage: Math.min(100, 100 * share),
      ...timeLeft(this.#steps.at(-1)),
    };
  }

  #leave(depth: number): void {
    while (this.#steps.length > depth) {
      const path = this.#steps.map(({ name }) => name).join(' > ');
      const { began } = this.#steps.pop()!;
      this.#times.set(path, (this.#times.get(path) ?? 0) + performance.now() - began);
    }
  }
}

function timeLeft(step: Step | undefined): Pick<ProgressView, 'timeLeft'> {
  if (!step?.isTimed || step.finished === 0) return {};
  const milliseconds = ((performance.now() - step.began) * (step.total - step.finished)) / step.finished;
  const left = formatDuration(0, Math.round(milliseconds) * 1000);
  return left === null ? {} : { timeLeft: left };
}

const UNITS: [string, number][] = [
  ['s', 1000],
  ['ms', 1],
  ['µs', 0.001],
  ['ns', 0.000001],
];

/** A duration with two decimals, in the largest unit that gives at least 1. */
function formatTime(ms: number): string {
  const [unit, size] = UNITS.find(([, factor]) => ms >= factor) ?? UNITS.at(-1)!;
  return `${(ms / size).toFixed(2)}${unit}`;
}
