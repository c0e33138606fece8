import { type EventLoopUtilization, performance } from 'node:perf_hooks';

const INTERVAL_MS = 1000;

/** Writes a JSON line per second with the CPU use of the process since the previous line, and optionally its memory. */
export class ResourceSamples {
  readonly #timer: NodeJS.Timeout;
  #cpu = process.cpuUsage();
  #loop: EventLoopUtilization = performance.eventLoopUtilization();

  constructor(memory: boolean, write: (line: string) => void) {
    this.#timer = setInterval(() => write(`${JSON.stringify(this.#sample(memory))}\n`), INTERVAL_MS).unref();
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #sample(memory: boolean): Record<string, unknown> {
    const cpu = process.cpuUsage(this.#cpu);
    const loop = performance.eventLoopUtilization(this.#loop);
    this.#cpu = process.cpuUsage();
    this.#loop = performance.eventLoopUtilization();
    return {
      time: new Date().toISOString(),
      cpu: { userMs: cpu.user / 1000, systemMs: cpu.system / 1000 },
      mainThread: { utilization: loop.utilization },
      ...(memory ? { memory: process.memoryUsage() } : {}),
    };
  }
}
