import fs from 'node:fs';
import { type EngineInstance, privateInstance } from '../engine/instance.js';

let module: WebAssembly.Module | undefined;

/** An instance of the built engine for tests; PEREGRINE_ENGINE names another file than the built one. */
export function loadPlainEngine(): EngineInstance {
  module ??= new WebAssembly.Module(fs.readFileSync(process.env.PEREGRINE_ENGINE ?? 'dist/engine/peregrine.plain.wasm'));
  return privateInstance(module);
}
