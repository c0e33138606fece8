import fs from 'node:fs';
import v8 from 'node:v8';

const ENGINE_FOLDER = new URL('../../engine/', import.meta.url);

/** Flags of V8 that make it compile a module at once and well, and those that it has else. */
const AT_ONCE = ['--no-wasm-lazy-compilation', '--no-liftoff'];
const AS_USED = ['--wasm-lazy-compilation', '--liftoff'];

/**
 * Compiles a target of the engine with the optimizing compiler, which takes a fifth of a second. By default functions are compiled
 * when they are first called, fast and badly, and once more when they have been called often: the first searches would be several
 * times slower, and the compiler would take their processors.
 */
export function compileEngine(target: 'plain' | 'shared'): WebAssembly.Module {
  const bytes = fs.readFileSync(new URL(`peregrine.${target}.wasm`, ENGINE_FOLDER));
  for (const flag of AT_ONCE) v8.setFlagsFromString(flag);
  try {
    return new WebAssembly.Module(bytes);
  } finally {
    for (const flag of AS_USED) v8.setFlagsFromString(flag);
  }
}
