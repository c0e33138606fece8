import fs from 'node:fs';

const STATISTICS = '/proc/thread-self/schedstat';
const measured = fs.existsSync(STATISTICS);

/** Milliseconds that this thread has had a processor; where the system does not tell, those on the clock. */
function cpuTime(): number {
  return measured ? Number(fs.readFileSync(STATISTICS, 'latin1').split(' ')[0]) / 1e6 : performance.now();
}

/** Time of a processor, so that a loaded machine fails no work. It counts from the first question after a reset. */
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
