import fs from 'node:fs';
import v8 from 'node:v8';

const ENGINE_FOLDER = new URL('../../engine/', import.meta.url);

/** Flags of V8 that make it compile a module at once and well, and those that it has else. */
const AT_ONCE = ['--no-wasm-lazy-compilation', '--no-liftoff'];
const AS_USED = ['--wasm-lazy-compilation', '--liftoff'];

function bytesOf(target: 'plain' | 'shared'): Uint8Array<ArrayBuffer> {
  return new Uint8Array(fs.readFileSync(new URL(`peregrine.${target}.wasm`, ENGINE_FOLDER)));
}

/**
 * The target that builds segments. Its functions are compiled when they are first called, and well when they have been called often: who
 * builds calls few of them, and those for long. To compile all of them at once took half a second of a processor at each start.
 */
export function compileBuilder(): WebAssembly.Module {
  return new WebAssembly.Module(bytesOf('plain'));
}

/**
 * The target that searches, compiled by the optimizing compiler, which takes half a second of a processor. By default functions are
 * compiled when they are first called, fast and badly, and once more when they have been called often: the first searches would be several
 * times slower, and the compiler would take their processors.
 */
export function compileSearcher(): WebAssembly.Module {
  const bytes = bytesOf('shared');
  for (const flag of AT_ONCE) v8.setFlagsFromString(flag);
  try {
    return new WebAssembly.Module(bytes);
  } finally {
    for (const flag of AS_USED) v8.setFlagsFromString(flag);
  }
}
