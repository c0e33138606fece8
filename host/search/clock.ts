/** What the monotonic clock of the machine showed, in milliseconds, when that of this thread began. */
const ORIGIN = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/**
 * Milliseconds, to the microsecond, on a clock that the threads of the process share. It has no date: nobody sets it, so that what is
 * measured with it neither jumps nor runs backwards, and a thread that began after the date was set agrees with the others.
 */
export function threadClock(): number {
  return ORIGIN + performance.now();
}

/** Milliseconds on that clock, as a positive i32 that begins anew after 24 days. */
export function wrappedClock(): number {
  return Math.floor(threadClock() % 0x8000_0000);
}
