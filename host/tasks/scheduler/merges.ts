import type { FastifyBaseLogger } from 'fastify';
import type { Draft } from '../../index/draft.js';
import type { IndexStore } from '../../index/index-store.js';

/** Merges segments in the background, one index at a time. Finished merges are committed by the scheduler between two batches. */
export class BackgroundMerges {
  readonly #waiting = new Set<string>();
  readonly #ready: Draft[] = [];
  /** Indexes with a merge that is built but not committed: another one would take the same segments. */
  readonly #unsettled = new Set<string>();
  #busy = false;
  #closed = false;

  constructor(
    private readonly indexStore: IndexStore,
    private readonly log: FastifyBaseLogger,
    private readonly onReady: () => void,
  ) {}

  /** Considers indexes for a merge because they have new or outdated segments. */
  consider(uids: Iterable<string>): void {
    for (const uid of uids) this.#waiting.add(uid);
    if (!this.#busy) this.#work();
  }

  /** A draft that can be committed, or null. Must be followed by {@link settled}. */
  next(): Draft | null {
    return this.#ready.shift() ?? null;
  }

  /** The draft of an index was committed or discarded. */
  settled(uid: string): void {
    this.#unsettled.delete(uid);
  }

  /** Starts no further merge; the failure of a running one is not reported. */
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
