/**
 * Milliseconds on a clock that the threads of the process share. It has no date: nobody sets it, so that what is measured with it neither
 * jumps nor runs backwards, and a thread that began after the date was set agrees with the others. It is read from the system each time:
 * an origin that each thread worked out for itself would be wrong by as long as the thread was kept from running meanwhile.
 */
export function threadClock(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

const HALF = 0x4000_0000;

/** Milliseconds on that clock, as a positive i32 that begins anew after 24 days. */
export function wrappedClock(): number {
  return Math.floor(threadClock() % (2 * HALF));
}

/** Milliseconds between two readings of {@link wrappedClock}, less than 12 days; none when `from` is the later one. */
export function wrappedSpan(from: number, to: number): number {
  const span = (to - from) & (2 * HALF - 1);
  return span < HALF ? span : 0;
}
