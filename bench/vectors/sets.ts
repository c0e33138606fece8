import fs from 'node:fs';
import path from 'node:path';
import { seededRandom } from '../../bindings/test/random.js';

/** Vectors, concatenated, and queries of the same dimensions. */
export interface VectorSet {
  name: string;
  dimensions: number;
  count: number;
  vectors: Float32Array;
  queries: Float32Array[];
}

const MAX_QUERIES = 200;
/** Similar to embeddings of long texts: groups of vectors around centres. */
const SYNTHETIC = { dimensions: 768, centres: 200, noise: 0.9, seed: 12345 };

/** The first `most` vectors that `embed.ts` wrote to a folder. */
export function embeddedSet(folder: string, most: number): VectorSet {
  const [vectors, queries] = ['vectors.f32', 'queries.f32'].map((name) => readFloats(path.join(folder, name)));
  const dimensions = Number(fs.readFileSync(path.join(folder, 'dimensions'), 'utf8'));
  const count = Math.min(most, (vectors as Float32Array).length / dimensions);
  return {
    name: path.basename(folder),
    dimensions,
    count,
    vectors: (vectors as Float32Array).subarray(0, count * dimensions),
    queries: rows(queries as Float32Array, dimensions).slice(0, MAX_QUERIES),
  };
}

/** Vectors and queries around the same centres. */
export function syntheticSet(count: number): VectorSet {
  const { dimensions, centres, noise, seed } = SYNTHETIC;
  const random = seededRandom(seed);
  const uniform = () => (random.int(2 ** 31) + 1) / (2 ** 31 + 1);
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const middle = Float32Array.from({ length: centres * dimensions }, normal);
  const around = (vectors: number) => {
    const values = new Float32Array(vectors * dimensions);
    for (let at = 0; at < values.length; at += dimensions) {
      const centre = random.int(centres) * dimensions;
      for (let i = 0; i < dimensions; i++) values[at + i] = (middle[centre + i] as number) + noise * normal();
    }
    return values;
  };
  const vectors = around(count);
  return { name: 'synthetic', dimensions, count, vectors, queries: rows(around(MAX_QUERIES), dimensions) };
}

function readFloats(file: string): Float32Array {
  return new Float32Array(new Uint8Array(fs.readFileSync(file)).buffer);
}

function rows(values: Float32Array, dimensions: number): Float32Array[] {
  return Array.from({ length: values.length / dimensions }, (_, i) => values.subarray(i * dimensions, (i + 1) * dimensions));
}
