/**
 * Milliseconds on a monotonic clock that all threads of the process share. `performance.now()` plus an origin per thread would
 * not do: the origin is wrong by the time for which the thread was suspended while computing it, and by any change of the date.
 */
export function threadClock(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

const HALF = 0x4000_0000;

/** The clock as a positive i32, which wraps around after 24 days. */
export function wrappedClock(): number {
  return Math.floor(threadClock() % (2 * HALF));
}

/** Milliseconds between two readings of {@link wrappedClock}, if less than 12 days; 0 when `from` is the later one. */
export function wrappedSpan(from: number, to: number): number {
  const span = (to - from) & (2 * HALF - 1);
  return span < HALF ? span : 0;
}
