/** Looked up once: the clock is read several times a search. */
const clock = performance;

/** Milliseconds of a monotonic clock. */
export const now = (): number => clock.now();
