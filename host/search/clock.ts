/** Milliseconds, to the microsecond, on a clock that the threads of the process share. */
export function threadClock(): number {
  return performance.timeOrigin + performance.now();
}

/** Milliseconds on such a clock, as a positive i32 that begins anew after 24 days. */
export function wrappedClock(): number {
  return Date.now() & 0x7fffffff;
}
