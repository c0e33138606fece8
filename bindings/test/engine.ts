import fs from 'node:fs';
import path from 'node:path';
import { type KernelFunctions, kernelFunctions } from '../engine/exports.js';
import { type EngineInstance, privateInstance } from '../engine/instance.js';

/** The engine that tests run: PEREGRINE_ENGINE names another build than the plain one, as the debug one, which checks itself. */
export const ENGINE_FILE = path.resolve(process.env.PEREGRINE_ENGINE ?? 'dist/engine/peregrine.plain.wasm');

let module: WebAssembly.Module | undefined;

/** The compiled engine. */
export function plainModule(): WebAssembly.Module {
  module ??= new WebAssembly.Module(fs.readFileSync(ENGINE_FILE));
  return module;
}

let kernels: WebAssembly.Module | undefined;

/** The debug build, which exports parts of the engine for tests and checks itself. */
export function kernelModule(): WebAssembly.Module {
  kernels ??= new WebAssembly.Module(fs.readFileSync('dist/engine/peregrine.debug.wasm'));
  return kernels;
}

export type KernelInstance = EngineInstance<KernelFunctions>;

/** An instance of it over a memory of its own. */
export function loadKernels(): KernelInstance {
  return privateInstance(kernelModule(), undefined, kernelFunctions);
}

/** An instance of it over a memory of its own. */
export function loadPlainEngine(): EngineInstance {
  return privateInstance(plainModule());
}
