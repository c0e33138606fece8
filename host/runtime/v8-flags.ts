import v8 from 'node:v8';

/** How V8 is to collect garbage in a server: docs/decisions/how-v8-is-run.md says what it is worth. */
const FLAGS = [
  // nothing a request makes outlives it: where it was made first, before anybody else searched, says nothing
  '--no-allocation-site-pretenuring',
  // collections are shared neither among threads that other work keeps waiting, nor is the little that they leave to be done
  '--no-parallel-scavenge',
  '--no-concurrent-array-buffer-sweeping',
  // major collections (V8's mark-compact): when as much again is in use, not after a few megabytes
  '--heap-growing-percent=100',
  // and not every hundred seconds, in the midst of searches, to make a small heap smaller
  '--no-memory-reducer',
  // megabytes for young objects: a collection a few hundred requests, of a quarter of a millisecond
  '--min-semi-space-size=8',
  '--max-semi-space-size=8',
];

/** To be called before threads are started. */
export function tuneRuntime(): void {
  for (const flag of FLAGS) v8.setFlagsFromString(flag);
}
