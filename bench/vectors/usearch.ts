import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { collectAll } from '../../host/runtime/collect.js';
import { cpuSeconds, type Measured, searchSeconds } from './measured.js';
import type { VectorSet } from './sets.js';
import { NEIGHBOURS, type Truth } from './truth.js';

/** usearch (https://github.com/unum-cloud/usearch), a library of the same kind of graph in C++, over f32. */

interface UsearchIndex {
  add(keys: BigUint64Array, vectors: Float32Array, threads: number): void;
  search(vector: Float32Array, count: number, threads: number): { keys: BigUint64Array };
  save(file: string): void;
  load(file: string): void;
}

type Usearch = { Index: new (options: Record<string, unknown>) => UsearchIndex };

/** Its expansions: the first one with the required recall is measured. */
const EXPANSIONS = [64, 128, 256, 512, 1024, 2048];
/** Vectors that are added between two lines on the progress. */
const ADDED_AT_ONCE = 50_000;

export interface PeerMeasured extends Measured {
  expansion: number;
}

/** @param recall required, if any expansion reaches it. @returns null: usearch is not installed */
export function measureUsearch(set: VectorSet, truth: Truth, recall: number): PeerMeasured | null {
  const usearch = loadUsearch();
  if (!usearch) return null;
  const open = (expansion: number) =>
    new usearch.Index({
      metric: 'cos',
      quantization: 'f32',
      dimensions: set.dimensions,
      connectivity: 16,
      expansion_search: expansion,
    });
  const file = path.join(os.tmpdir(), `peregrine-bench-${process.pid}.usearch`);
  try {
    const built = open(EXPANSIONS[0] as number);
    const buildSeconds = addAll(built, set);
    built.save(file);
    const bytesPerVector = fs.statSync(file).size / set.count;
    let last: PeerMeasured | null = null;
    for (const expansion of EXPANSIONS) {
      const index = expansion === EXPANSIONS[0] ? built : open(expansion);
      if (index !== built) index.load(file);
      const search = (query: Float32Array) => [...index.search(query, NEIGHBOURS, 1).keys].map(Number);
      const found = truth.recall(set.queries.slice(0, truth.queries).map(search));
      const secondsPerSearch = searchSeconds(set.queries, search);
      last = { expansion, buildSeconds, secondsPerSearch, bytesPerVector, ...found };
      console.error(
        `usearch, expansion ${expansion}: recall ${found.mean.toFixed(3)}, ${(1 / secondsPerSearch).toFixed(0)} searches/s`,
      );
      if (found.mean >= recall) break;
      // V8 does not count the memory of an index
      collectAll();
    }
    return last;
  } finally {
    fs.rmSync(file, { force: true });
  }
}

/** Seconds that adding all vectors takes. */
function addAll(index: UsearchIndex, { count, dimensions, vectors }: VectorSet): number {
  let seconds = 0;
  for (let from = 0; from < count; from += ADDED_AT_ONCE) {
    const end = Math.min(count, from + ADDED_AT_ONCE);
    const keys = BigUint64Array.from({ length: end - from }, (_, i) => BigInt(from + i));
    const values = vectors.subarray(from * dimensions, end * dimensions);
    seconds += cpuSeconds(() => index.add(keys, values, 1))[1];
    if (end < count) console.error(`usearch: ${end} of ${count} vectors added in ${seconds.toFixed(1)} s`);
  }
  return seconds;
}

function loadUsearch(): Usearch | null {
  const require = createRequire(new URL('../../../bench/package.json', import.meta.url));
  try {
    return require('usearch') as Usearch;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}
