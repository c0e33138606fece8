import { type EngineInstance, unsharedInstance } from '../../bindings/engine/instance.js';
import { ApiError } from '../../bindings/errors.js';

/** Bytes of the persistent arena: hardly used, because nothing outlives a job. */
const PERSISTENT_BYTES = 64 << 10;

/** An engine instance on the main thread, for work that is shorter than a hop to another thread and back. */
export class MainEngine {
  #instance: EngineInstance | null = null;

  /** @param module the `shared` build of the engine */
  constructor(private readonly module: WebAssembly.Module) {}

  run<T>(job: (instance: EngineInstance) => T): T {
    const instance = this.#instance ?? unsharedInstance(this.module, PERSISTENT_BYTES);
    // After a trap the state of the engine is undefined.
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
