import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
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

/** How far it searches is given beforehand: the first of these that has the recall asked for is measured. */
const EXPANSIONS = [64, 128, 256, 512, 1024, 2048];

export interface PeerMeasured extends Measured {
  expansion: number;
}

/** null: it is not installed. `recall`: what has to be reached, where it can be. */
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
  const keys = BigUint64Array.from({ length: set.count }, (_, vector) => BigInt(vector));
  const built = open(EXPANSIONS[0] as number);
  const [, buildSeconds] = cpuSeconds(() => built.add(keys, set.vectors, 1));
  const file = path.join(os.tmpdir(), `peregrine-bench-${process.pid}.usearch`);
  try {
    built.save(file);
    const bytesPerVector = fs.statSync(file).size / set.count;
    let last: PeerMeasured | null = null;
    for (const expansion of EXPANSIONS) {
      const index = open(expansion);
      index.load(file);
      const search = (query: Float32Array) => [...index.search(query, NEIGHBOURS, 1).keys].map(Number);
      const found = truth.recall(set.queries.slice(0, truth.queries).map(search));
      const secondsPerSearch = searchSeconds(set.queries, search);
      last = { expansion, buildSeconds, secondsPerSearch, bytesPerVector, ...found };
      if (found.mean >= recall) break;
    }
    return last;
  } finally {
    fs.rmSync(file, { force: true });
  }
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
