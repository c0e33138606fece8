import fs from 'node:fs';
import os from 'node:os';

/** The threads that Node.js starts first, for V8: one that delays tasks, and four that run them. Their ids follow that of the process. */
const V8_THREADS = 5;

/**
 * Gives the threads on which V8 compiles the lowest priority. Linux leaves a thread that answers a search waiting for up to 4 ms behind
 * one that compiles, even while another processor is idle: docs/decisions/how-v8-is-run.md. Other systems have no priority of a thread.
 */
export function lowerCompilerThreads(): void {
  if (process.platform !== 'linux') return;
  try {
    const threads = fs.readdirSync('/proc/self/task').map(Number);
    threads.sort((a, b) => a - b);
    for (const thread of threads.slice(1, 1 + V8_THREADS)) os.setPriority(thread, os.constants.priority.PRIORITY_LOW);
  } catch {
    // A sandbox may forbid it; searches then take longer while code is cold.
  }
}
