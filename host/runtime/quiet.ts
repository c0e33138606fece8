import { performance } from 'node:perf_hooks';

const WINDOW_MS = 1_000;
/** Share of a window in which the thread may have worked for the window to count as quiet. */
const MAX_WORK = 0.1;
/** Quiet windows in a row: in a single one, a process that is still starting may just be waiting. */
const IN_A_ROW = 2;
/** Windows after which the work is done whatever the load. */
const MAX_WINDOWS = 60;

/**
 * Does work that can wait: after the first two seconds in which this thread was nearly idle, or after a minute. So it takes no
 * processor time from requests. Waiting for it does not keep the process running.
 * @returns gives up waiting
 */
export function whenQuiet(work: () => void): () => void {
  let before = performance.eventLoopUtilization();
  let [windows, quiet] = [0, 0];
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    quiet = utilization > MAX_WORK ? 0 : quiet + 1;
    if (++windows < MAX_WINDOWS && quiet < IN_A_ROW) return;
    clearInterval(timer);
    work();
  }, WINDOW_MS).unref();
  return () => clearInterval(timer);
}
