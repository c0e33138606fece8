import type { FastifyBaseLogger } from 'fastify';
import type { IndexStore } from '../index/index-store.js';
import type { Draft } from '../index/types.js';

/**
 * Merges segments beside the batches, one index at a time. What is ready waits for the scheduler, which commits it between two batches.
 */
export class BackgroundMerges {
  readonly #waiting = new Set<string>();
  readonly #ready: Draft[] = [];
  /** Indexes with a merge that is made and not committed: another one would take the same segments. */
  readonly #unsettled = new Set<string>();
  #busy = false;
  #closed = false;

  constructor(
    private readonly indexStore: IndexStore,
    private readonly log: FastifyBaseLogger,
    private readonly onReady: () => void,
  ) {}

  /** These indexes have new segments, or outdated ones. */
  consider(uids: Iterable<string>): void {
    for (const uid of uids) this.#waiting.add(uid);
    if (!this.#busy) this.#work();
  }

  /** Hands over a draft that can be committed; null when there is none. It is to be {@link settled}. */
  next(): Draft | null {
    return this.#ready.shift() ?? null;
  }

  /** The draft of an index was committed or given up. */
  settled(uid: string): void {
    this.#unsettled.delete(uid);
  }

  /** Begins no further merge, and does not tell of one that is broken off. */
  close(): void {
    this.#closed = true;
  }

  async #work(): Promise<void> {
    this.#busy = true;
    for (const uid of this.#waiting) {
      this.#waiting.delete(uid);
      if (this.#closed || this.#unsettled.has(uid) || !this.indexStore.indexes.has(uid)) continue;
      try {
        const draft = await this.indexStore.merges.mergeIfWorthwhile(uid);
        if (!draft) continue;
        this.#unsettled.add(uid);
        this.#ready.push(draft);
      } catch (error) {
        if (!this.#closed) this.log.error({ err: error, index: uid }, 'segments could not be merged');
      }
      this.onReady();
    }
    this.#busy = false;
  }
}
