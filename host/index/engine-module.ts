import fs from 'node:fs';
import v8 from 'node:v8';

const ENGINE_FOLDER = new URL('../../engine/', import.meta.url);

/** V8 flags that compile a module completely with the optimising compiler, and the flags to restore afterwards. */
const AT_ONCE = ['--no-wasm-lazy-compilation', '--no-liftoff'];
const AS_USED = ['--wasm-lazy-compilation', '--liftoff'];

function bytesOf(target: 'plain' | 'shared'): Uint8Array<ArrayBuffer> {
  return new Uint8Array(fs.readFileSync(new URL(`peregrine.${target}.wasm`, ENGINE_FOLDER)));
}

/** The `plain` build, for work that calls few functions: they are compiled lazily and optimised when hot. */
export function compilePlain(): WebAssembly.Module {
  return new WebAssembly.Module(bytesOf('plain'));
}

/**
 * The `shared` build, for searching and building, compiled completely by the optimising compiler, which takes a quarter of a second of
 * CPU. With V8's default, lazy tiering, the first searches and documents would be several times slower, and the compiler would compete
 * with them for the CPU.
 */
export function compileShared(): WebAssembly.Module {
  const bytes = bytesOf('shared');
  for (const flag of AT_ONCE) v8.setFlagsFromString(flag);
  try {
    return new WebAssembly.Module(bytes);
  } finally {
    for (const flag of AS_USED) v8.setFlagsFromString(flag);
  }
}
