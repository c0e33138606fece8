/**
 * Milliseconds on a monotonic clock that all threads of the process share. `performance.now()` plus an origin per thread would
 * not do: the origin is wrong by the time for which the thread was suspended while computing it, and by any change of the date.
 */
export function threadClock(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
