import type { FastifyBaseLogger } from 'fastify';
import type { EngineRoom } from '../index/engine.js';
import type { Draft } from '../index/types.js';

/**
 * Merges segments beside the batches, one index at a time. What is ready waits for the scheduler, which commits it between two batches.
 */
export class BackgroundMerges {
  readonly #waiting = new Set<string>();
  readonly #ready: Draft[] = [];
  #busy = false;

  constructor(
    private readonly engine: EngineRoom,
    private readonly log: FastifyBaseLogger,
    private readonly onReady: () => void,
  ) {}

  /** These indexes have new segments, or outdated ones. */
  consider(uids: Iterable<string>): void {
    for (const uid of uids) this.#waiting.add(uid);
    if (!this.#busy) this.#work();
  }

  /** Hands over a draft that can be committed; null when there is none. */
  next(): Draft | null {
    return this.#ready.shift() ?? null;
  }

  async #work(): Promise<void> {
    this.#busy = true;
    for (const uid of this.#waiting) {
      this.#waiting.delete(uid);
      if (!this.engine.indexes.has(uid)) continue;
      try {
        const draft = await this.engine.mergeIfWorthwhile(uid);
        if (draft) this.#ready.push(draft);
      } catch (error) {
        this.log.error({ err: error, index: uid }, 'segments could not be merged');
      }
      if (this.#ready.length > 0) this.onReady();
    }
    this.#busy = false;
  }
}
