import type { Recall } from './truth.js';

/** Costs of an index of vectors. Times are CPU times, which other work on the machine affects less. */
export interface Measured extends Recall {
  buildSeconds: number;
  secondsPerSearch: number;
  bytesPerVector: number;
}

const ROUNDS = 3;
const MICROSECONDS = 1e6;

/** Runs a job and measures its CPU time. */
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
