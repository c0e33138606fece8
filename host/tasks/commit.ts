import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Draft } from '../index/types.js';
import { DoubtfulWrite } from '../storage/errors.js';
import type { Ledger, LedgerWrite } from '../storage/ledger.js';

/** Pause before what the ledger could not do is tried again. */
export const RETRY_MS = 10_000;

/** Resolves after so many milliseconds, unless the process ends before. */
export type Pause = (milliseconds: number) => Promise<unknown>;

export const unreferenced: Pause = (milliseconds) => delay(milliseconds, null, { ref: false });

/** Makes drafts of indexes durable and visible, or discards them. */
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

  /** From now on nobody waits for a ledger that cannot tell what it has stored. */
  close(): void {
    this.#closed = true;
    this.#close();
  }

  /** Makes drafts durable, together with what `end` writes, and visible; discards them when that fails. */
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
   * Asks the ledger whether a write that was in doubt was applied, until it can tell. To run the batch again would end its tasks a second
   * time, without the payloads that their end has removed. null: closed before that, and the next start finds out.
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
