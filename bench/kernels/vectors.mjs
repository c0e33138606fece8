#!/usr/bin/env node
/**
 * How fast vectors are compared: the engine's kernels against the same in C (`vectors.c`, SSE 4.2, by `gcc -O3`), on one thread.
 *
 *   node scripts/build.mjs && node bench/kernels/vectors.mjs [components]
 *
 * Each figure is the minimum of several rounds, in nanoseconds per call; the ratio is the time of the engine over that of C. Without gcc
 * nothing is measured.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { kernelFunctions } from '../../dist/bindings/engine/exports.js';
import { privateInstance } from '../../dist/bindings/engine/instance.js';

/** A multiple of 64, at most 4,096, so that all operands of a kernel fit in the L1 cache. */
const COMPONENTS = Number(process.argv[2] ?? 2048);
const ROUNDS = 60;
const CALLS = 4000;

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'peregrine-kernels-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

const twin = path.join(folder, 'vectors');
const compiled = spawnSync('gcc', ['-O3', '-msse4.2', '-o', twin, path.join(root, 'bench/kernels/vectors.c')], {
  encoding: 'utf8',
});
if (compiled.error) {
  console.log('gcc is not there: nothing to compare with');
  process.exit();
}
if (compiled.status !== 0) throw new Error(compiled.stderr);

// only the debug build of the engine exports kernels, and that must not be measured
const module = path.join(folder, 'kernels.wasm');
const asc = path.join(root, 'node_modules/.bin/asc');
const built = spawnSync(asc, ['engine-as/assembly/kernels.ts', '--target', 'plain', '--outFile', module], {
  cwd: root,
  stdio: 'inherit',
});
if (built.status !== 0) throw new Error('the kernels were not compiled');
const engine = privateInstance(new WebAssembly.Module(fs.readFileSync(module)), undefined, kernelFunctions);

let state = 1;
function next(n) {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0;
  return (state >>> 8) % n;
}

const put = (array) => engine.put(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
const floats = () => put(Float32Array.from({ length: COMPONENTS }, () => next(2001) / 1000 - 1));
const [left, right] = [floats(), floats()];
const words = put(Int16Array.from({ length: COMPONENTS }, () => next(8191) - 4095));
const bytes = put(Uint8Array.from({ length: 4 * COMPONENTS }, () => next(256)));
const tables = put(Uint8Array.from({ length: 4 * COMPONENTS }, () => next(64)));
const out = engine.alloc(128);

const { dotF32, dotI16I8, sumMagnitudes, sumNibbles } = engine.exports;
const kernels = {
  dotF32: () => dotF32(left, right, COMPONENTS),
  dotI16I8: () => dotI16I8(words, bytes, COMPONENTS),
  sumMagnitudes: () => sumMagnitudes(left, COMPONENTS),
  sumNibbles: () => sumNibbles(bytes, tables, COMPONENTS / 4, out),
};

function nanoseconds(job) {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.hrtime.bigint();
    for (let call = 0; call < CALLS; call++) job();
    best = Math.min(best, Number(process.hrtime.bigint() - start) / CALLS);
  }
  return best;
}

const run = spawnSync(twin, [COMPONENTS, ROUNDS, CALLS].map(String), { encoding: 'utf8' });
const theirs = new Map(
  run.stdout
    .trim()
    .split('\n')
    .map((line) => line.split(' ')),
);
console.log(`${COMPONENTS} components: nanoseconds a call`);
console.table(
  Object.fromEntries(
    Object.entries(kernels).map(([name, job]) => {
      const [ours, twinTime] = [nanoseconds(job), Number(theirs.get(name))];
      return [name, { engine: Math.round(ours), gcc: Math.round(twinTime), ratio: Number((ours / twinTime).toFixed(2)) }];
    }),
  ),
);
