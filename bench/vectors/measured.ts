import type { Recall } from './truth.js';

/** What an index of vectors takes. Times are of the processor, so that other work on the machine counts little. */
export interface Measured extends Recall {
  buildSeconds: number;
  secondsPerSearch: number;
  bytesPerVector: number;
}

const ROUNDS = 3;
const MICROSECONDS = 1e6;

/** Runs a job and says what it has cost. */
export function cpuSeconds<T>(job: () => T): [result: T, seconds: number] {
  const before = process.cpuUsage();
  const result = job();
  const { user, system } = process.cpuUsage(before);
  return [result, (user + system) / MICROSECONDS];
}

/** Seconds a search: the best of some rounds over all queries, the first of which warms up. */
export function searchSeconds(queries: readonly Float32Array[], search: (query: Float32Array) => unknown): number {
  const round = () => cpuSeconds(() => queries.forEach(search))[1] / queries.length;
  round();
  return Math.min(...Array.from({ length: ROUNDS }, round));
}
