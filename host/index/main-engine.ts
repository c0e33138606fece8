import { type EngineInstance, privateInstance } from '../../bindings/engine/instance.js';
import { ApiError } from '../../bindings/errors.js';

/** Nothing outlives a job. */
const PERSISTENT_BYTES = 64 << 10;

/** An engine for the main thread: for work that takes less than the way to another thread and back. */
export class MainEngine {
  #instance: EngineInstance | null = null;

  /** @param plain the `plain` target */
  constructor(private readonly plain: WebAssembly.Module) {}

  run<T>(job: (instance: EngineInstance) => T): T {
    const instance = this.#instance ?? privateInstance(this.plain, PERSISTENT_BYTES);
    // after a trap the state of the engine is unknown
    this.#instance = null;
    try {
      const result = instance.scoped(() => job(instance));
      this.#instance = instance;
      return result;
    } catch (error) {
      if (error instanceof ApiError) this.#instance = instance;
      throw error;
    }
  }
}
