import type { LedgerWrite } from './store.js';

/** Bytes of values at which a group is closed; RocksDB's own groups have the same bound. */
const MAX_BYTES = 1 << 20;

interface WaitingWrite {
  operations: LedgerWrite[];
  sync: boolean;
  bytes: number;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Writes one group after the other: those that arrive while a group is written become the next one, and share its sync.
 *
 * RocksDB would group concurrent writes too. But when a write fails, it gives the sequence numbers of that write to the next one; if
 * both are found in its log when it is opened again, entries of the first are hidden until later writes have used up their numbers. So
 * no write may begin before the failure of the last one has been handled.
 */
export class WriteGroups {
  #waiting: WaitingWrite[] = [];
  #running: Promise<void> | null = null;

  /** @param apply applies all operations or none, in order */
  constructor(private readonly apply: (operations: LedgerWrite[], sync: boolean) => Promise<void>) {}

  /** Resolves or rejects as the group of these operations does. */
  add(operations: LedgerWrite[], sync: boolean): Promise<void> {
    const bytes = operations.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operations, sync, bytes, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing is written and nothing waits. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#nextGroup();
      const operations = group.length === 1 ? group[0]!.operations : group.flatMap((write) => write.operations);
      try {
        await this.apply(
          operations,
          group.some(({ sync }) => sync),
        );
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#running = null;
  }

  #nextGroup(): WaitingWrite[] {
    let bytes = 0;
    let end = 0;
    while (end < this.#waiting.length && bytes < MAX_BYTES) bytes += this.#waiting[end++]!.bytes;
    return this.#waiting.splice(0, end);
  }
}
