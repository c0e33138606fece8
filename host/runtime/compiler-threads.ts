import fs from 'node:fs';
import os from 'node:os';

/** How many threads Node.js gives V8 to compile on, unless told otherwise. */
const DEFAULT_COMPILERS = 4;

/**
 * Gives the threads on which V8 compiles the lowest priority. Linux leaves a thread that answers a search waiting for up to 4 ms behind
 * one that compiles, even while another processor is idle: docs/decisions/how-v8-is-run.md. Other systems have no priority of a thread.
 */
export function lowerCompilerThreads(): void {
  if (process.platform !== 'linux') return;
  try {
    const threads = fs.readdirSync('/proc/self/task').map(Number);
    threads.sort((a, b) => a - b);
    // Node.js starts a thread that delays tasks first, then those that run them. Their ids follow that of the process.
    const [, ...others] = threads;
    for (const thread of others.slice(0, 1 + compilers())) os.setPriority(thread, os.constants.priority.PRIORITY_LOW);
  } catch {
    // A sandbox may forbid it; searches then take longer while code is cold.
  }
}

/** How many threads V8 compiles on: docs/decisions/how-v8-is-run.md says why `npm start` chooses it. */
function compilers(): number {
  const options = [...(process.env.NODE_OPTIONS ?? '').split(/\s+/), ...process.execArgv];
  const sizes = options.map((option) => /^--v8-pool-size=(\d+)$/.exec(option)?.[1]).filter((size) => size !== undefined);
  const size = Number(sizes.at(-1) ?? DEFAULT_COMPILERS);
  // 0 leaves the number to Node.js.
  return size === 0 ? Math.max(1, os.availableParallelism() - 1) : size;
}
