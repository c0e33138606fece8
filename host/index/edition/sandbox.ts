import fs from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type {
  QuickJSContext,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSSyncVariant,
  QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { type ApiError, apiError } from '../../../bindings/errors.js';
import { CpuBudget } from '../../runtime/cpu.js';
import { MemoryImage } from './memory-image.js';

/** What the script made of a document. */
export type ScriptOutcome = { kind: 'unchanged' } | { kind: 'deleted' } | { kind: 'replaced'; json: string };

/** Jumps and calls between two checks of the limits; a constant of the interpreter. */
const OPERATIONS_PER_TICK = 10_000;
const MAX_OPERATIONS = 1_000_000;
const MAX_CPU_MS = 100;
const MAX_MEMORY_BYTES = 64 << 20;
/** Bytes of stack: enough for 1,000 levels of plain calls, and less than the thread's own stack can hold. */
const MAX_STACK_BYTES = 400 << 10;
const MAX_MESSAGE_LENGTH = 500;

const INTERPRETER = '@jitl/quickjs-wasmfile-release-sync/wasm';
/** Compiled once per thread. */
let interpreter: Promise<WebAssembly.Module> | null = null;

/** Excludes clocks; randomness is removed by SETUP. Modules and timers do not exist unless the host provides them. */
const INTRINSICS = {
  BaseObjects: true,
  Date: false,
  Eval: true,
  StringNormalize: true,
  RegExp: true,
  RegExpCompiler: true,
  JSON: true,
  Proxy: true,
  MapSet: true,
  TypedArrays: true,
  Promise: true,
  BigInt: true,
} as const;

/**
 * Wraps the script in a function, and returns a function that runs it for one document: JSON text in; JSON text, `true`
 * (unchanged), `null` (deleted) or `false` (not an object) out. Captures the built-ins before the script can replace them.
 */
const SETUP = `var doc;
delete Math.random;
(({ parse, stringify }, { isArray }) => (script) => (text) => {
  doc = parse(text);
  const before = stringify(doc);
  script();
  if (doc === null || doc === undefined) return null;
  if (typeof doc !== 'object' || isArray(doc)) return false;
  const after = stringify(doc);
  if (after === before) return true;
  return typeof after === 'string' && after[0] === '{' ? after : false;
})(JSON, Array)`;

/**
 * Runs scripts of clients, one document at a time, in an interpreter without access to anything outside, within the limits above.
 */
export class Sandbox {
  readonly #budget = new CpuBudget(MAX_CPU_MS);
  #ticks = 0;
  #spent = false;
  #image: MemoryImage | null = null;
  #run: QuickJSHandle | null = null;

  private constructor(
    private readonly engine: QuickJSWASMModule,
    runtime: QuickJSRuntime,
    private readonly context: QuickJSContext,
  ) {
    runtime.setInterruptHandler(() => this.#exhausted());
  }

  /** A new interpreter. Its packages are loaded on demand: every index thread has this module, and few run scripts. */
  private static async empty(): Promise<Sandbox> {
    const { default: variantModule } = await import('@jitl/quickjs-wasmfile-release-sync');
    const { newQuickJSWASMModuleFromVariant, newVariant } = await import('quickjs-emscripten-core');
    // The package exports the types of its CommonJS build, but the ES module is loaded.
    const variant = variantModule as unknown as QuickJSSyncVariant;
    interpreter ??= WebAssembly.compile(await fs.readFile(fileURLToPath(import.meta.resolve(INTERPRETER))));
    const engine = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule: await interpreter }));
    const runtime = engine.newRuntime({ memoryLimitBytes: MAX_MEMORY_BYTES, maxStackSizeBytes: MAX_STACK_BYTES });
    return new Sandbox(engine, runtime, runtime.newContext({ intrinsics: INTRINSICS }));
  }

  /** @throws {ApiError} bad_request: the script does not compile */
  static async check(script: string): Promise<void> {
    compilable(await Sandbox.empty(), script);
  }

  /**
   * @throws {ApiError} bad_request when the script does not compile; edit_documents_by_function_error when it exceeds the limits
   * while loading
   */
  static async open(script: string, context: Record<string, unknown> | null): Promise<Sandbox> {
    const sandbox = await Sandbox.empty();
    const source = compilable(sandbox, script);
    sandbox.#load(source, context);
    return sandbox;
  }

  /** Runs the script for one document. @throws {ApiError} edit_documents_by_function_error */
  run(json: string): ScriptOutcome {
    this.#ticks = 0;
    this.#budget.reset();
    const text = this.context.newString(json);
    const result = this.#guarded(() => this.context.callFunction(this.#run!, this.context.undefined, text));
    const value = this.context.dump(result);
    // Restores the interpreter, so that nothing the script left behind reaches the next document.
    this.#image!.restore();
    if (value === true) return { kind: 'unchanged' };
    if (value === null) return { kind: 'deleted' };
    if (value === false) throw failure('leaves something in `doc` that is no object');
    return { kind: 'replaced', json: value };
  }

  /** Parses a script without running it. @returns null when it compiles, else the error */
  compileError(source: string): string | null {
    const compiled = this.context.evalCode(source, 'script', { compileOnly: true });
    if (!compiled.error) {
      compiled.value.dispose();
      return null;
    }
    const message = this.#messageOf(compiled.error);
    compiled.error.dispose();
    return message;
  }

  #load(source: string, context: Record<string, unknown> | null): void {
    if (context) this.#evaluate(`const context = JSON.parse(${JSON.stringify(JSON.stringify(context))})`);
    const maker = this.#evaluate(SETUP);
    const script = this.#evaluate(source);
    this.#run = this.#guarded(() => this.context.callFunction(maker, this.context.undefined, script));
    this.#image = new MemoryImage(this.engine.getWasmMemory());
  }

  #evaluate(source: string): QuickJSHandle {
    return this.#guarded(() => this.context.evalCode(source, 'script'));
  }

  /** @throws {ApiError} after which the sandbox must not be used again */
  #guarded(work: () => ReturnType<QuickJSContext['evalCode']>): QuickJSHandle {
    let result: ReturnType<QuickJSContext['evalCode']>;
    try {
      result = work();
    } catch (error) {
      if (error instanceof RangeError) throw failure('calls itself too deeply');
      throw error;
    }
    if (!result.error) return result.value;
    if (this.#spent) throw failure(`takes more than ${MAX_OPERATIONS} operations or ${MAX_CPU_MS} ms`);
    throw failure(`fails: ${this.#messageOf(result.error)}`);
  }

  #messageOf(handle: QuickJSHandle): string {
    const thrown: unknown = this.context.dump(handle);
    const { name, message } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as Record<string, unknown>;
    const text =
      typeof message === 'string' ? `${name}: ${message}` : typeof thrown === 'string' ? thrown : JSON.stringify(thrown);
    return String(text).slice(0, MAX_MESSAGE_LENGTH);
  }

  #exhausted(): boolean {
    this.#spent = ++this.#ticks * OPERATIONS_PER_TICK >= MAX_OPERATIONS || this.#budget.spent();
    return this.#spent;
  }
}

/** Scripts written for Rhai delete a document by `doc = ()`, which stands for `doc = null`. */
const UNIT = /\bdoc\s*=\s*\(\s*\)(?!\s*=>)/g;

const asFunction = (script: string) => `(function () {${script}\n})`;

/** The source of the script as a function. @throws {ApiError} bad_request */
function compilable(sandbox: Sandbox, script: string): string {
  const sources = [script, script.replace(UNIT, 'doc = null')].map(asFunction);
  let problem: string | null = null;
  for (const source of new Set(sources)) {
    const error = compiled(sandbox, source);
    if (error === null) return source;
    problem ??= error;
  }
  throw apiError('bad_request', 'script', { problem });
}

function compiled(sandbox: Sandbox, source: string): string | null {
  try {
    return sandbox.compileError(source);
  } catch (error) {
    if (error instanceof RangeError) return 'it is nested too deeply';
    throw error;
  }
}

function failure(problem: string): ApiError {
  return apiError('edit_documents_by_function_error', 'function', { problem });
}
