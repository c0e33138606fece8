import v8 from 'node:v8';

/** Settings of V8 for a server; docs/decisions/how-v8-is-run.md has the measurements. */
const FLAGS = [
  // A function records what it meets, and is compiled without optimizations, after about one call instead of eight: an interpreted function
  // without records looks everything up each time.
  '--interrupt-budget-factor-for-feedback-allocation=1',
  // Threads compile all functions of their modules when they load them, while indexes are opened, instead of each function at its first call.
  '--no-lazy',
  // No object of a request outlives it; allocation statistics from before the first requests would suggest otherwise.
  '--no-allocation-site-pretenuring',
  // Each thread collects its own garbage: parallel helper threads may be waiting for a busy core.
  '--no-parallel-scavenge',
  '--no-concurrent-array-buffer-sweeping',
  // Start a major collection when the heap has doubled, not after a few megabytes.
  '--heap-growing-percent=100',
  // No collections every hundred seconds, in the middle of searches, to shrink a small heap.
  '--no-memory-reducer',
  // Megabytes for young objects from the start: one collection, of a quarter of a millisecond, every few hundred requests. Their
  // maximum is a limit of each thread.
  '--min-semi-space-size=8',
];

/** Must be called before threads are started. */
export function tuneRuntime(): void {
  for (const flag of FLAGS) v8.setFlagsFromString(flag);
}
