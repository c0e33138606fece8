import type { LedgerWrite } from '../storage/ledger/ledger.js';
import type { IndexRecord } from './record.js';

/**
 * A change that is prepared but not committed. Reading {@link record} or {@link writes} settles it against the committed state of
 * that moment; it must then be published or discarded before another draft of the same index is settled.
 */
export interface Draft {
  readonly uid: string;
  /** null: the index is deleted. */
  readonly record: IndexRecord | null;
  readonly writes: LedgerWrite[];
  /**
   * To be called when the ledger holds the writes: readers see the new state, and the resources of the old one are released when
   * no reader needs them.
   */
  publish(): void;
  /**
   * Frees what was made for the change. @param keepFiles whether the ledger may still refer to its segment files; the next start
   * decides
   */
  discard(keepFiles?: boolean): void;
}
