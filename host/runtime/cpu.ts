import fs from 'node:fs';

const STATISTICS = '/proc/thread-self/schedstat';
const measured = fs.existsSync(STATISTICS);

/** CPU time of this thread in milliseconds; wall time where the system does not report it. */
export function cpuTime(): number {
  return measured ? Number(fs.readFileSync(STATISTICS, 'latin1').split(' ')[0]) / 1e6 : performance.now();
}

/**
 * A budget of CPU time rather than wall time, so that a loaded machine does not make scripts fail. Counting starts with the first
 * call after a reset.
 */
export class CpuBudget {
  #since: number | null = null;

  constructor(readonly milliseconds: number) {}

  reset(): void {
    this.#since = null;
  }

  spent(): boolean {
    const time = cpuTime();
    this.#since ??= time;
    return time - this.#since > this.milliseconds;
  }
}
