import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Draft } from '../../index/draft.js';
import { DoubtfulWrite } from '../../storage/errors.js';
import type { Ledger, LedgerWrite } from '../../storage/ledger/ledger.js';

/** Milliseconds before a failed operation of the ledger is tried again. */
export const RETRY_MS = 10_000;

/** Resolves after that many milliseconds, or when the process ends. */
export type Pause = (milliseconds: number) => Promise<unknown>;

export const unreferenced: Pause = (milliseconds) => delay(milliseconds, null, { ref: false });

/** Commits drafts of indexes to the ledger and publishes them, or discards them. */
export class DraftCommits {
  #closed = false;
  #close: () => void = () => {};
  readonly #closing = new Promise<void>((resolve) => {
    this.#close = resolve;
  });

  constructor(
    private readonly ledger: Ledger,
    private readonly log: FastifyBaseLogger,
    private readonly pause: Pause,
  ) {}

  /** Stops waiting for a ledger that cannot report what it has stored. */
  close(): void {
    this.#closed = true;
    this.#close();
  }

  /** Commits drafts together with the writes in `end` and publishes them; discards them when that fails. */
  async commit(drafts: Draft[], end: LedgerWrite[] = []): Promise<void> {
    const writes = discardedOnFailure(drafts, () => drafts.flatMap((draft) => draft.writes));
    const all = [...writes, ...end];
    try {
      await this.ledger.commit(all);
    } catch (error) {
      const stored = error instanceof DoubtfulWrite ? await this.#isStored(all) : false;
      if (stored !== true) {
        discard(drafts, stored === null);
        throw error;
      }
    }
    for (const draft of drafts) draft.publish();
  }

  /**
   * Asks the ledger until it can tell whether a doubtful write was applied. Running the batch again instead would end its tasks a
   * second time, without their payloads, which the first end has removed. null: closed before that; the next start finds out.
   */
  async #isStored(writes: LedgerWrite[]): Promise<boolean | null> {
    while (!this.#closed) {
      try {
        return await this.ledger.holds(writes);
      } catch (error) {
        this.log.error({ err: error }, 'the ledger does not tell whether a batch was stored; asking again');
      }
      await Promise.race([this.pause(RETRY_MS), this.#closing]);
    }
    return null;
  }
}

export function discard(drafts: Draft[], keepFiles = false): void {
  for (const draft of drafts) draft.discard(keepFiles);
}

export function discardedOnFailure<T>(drafts: Draft[], work: () => T): T {
  try {
    return work();
  } catch (error) {
    discard(drafts);
    throw error;
  }
}
