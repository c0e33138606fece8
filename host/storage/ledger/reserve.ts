import fs from 'node:fs';

/** RocksDB writes what it has in memory to a file when it has this much: the ledger is small. */
export const WRITE_BUFFER_BYTES = 2 << 20;

/** Bytes that suffice for the end of a batch and for what RocksDB writes when it is reopened: two of its buffers may be waiting. */
const RESERVE_BYTES = 2 * WRITE_BUFFER_BYTES;

/**
 * Disk space reserved for the end of a batch: a task that fails because the disk is full must still be recorded as failed. A file
 * of zeros, deleted when the space is needed and recreated when there is space again.
 */
export class DiskReserve {
  #held: boolean;

  /** A file left by the previous process counts as reserved. */
  constructor(readonly file: string) {
    this.#held = fs.statSync(file, { throwIfNoEntry: false })?.size === RESERVE_BYTES;
  }

  /** Reserves the space if there is enough. */
  hold(): void {
    if (this.#held) return;
    try {
      fs.writeFileSync(this.file, Buffer.alloc(RESERVE_BYTES));
      this.#held = true;
    } catch {
      // No space now: tried again after a later write.
      fs.rmSync(this.file, { force: true });
    }
  }

  /** Releases the space; false when none was reserved. */
  release(): boolean {
    if (!this.#held) return false;
    fs.rmSync(this.file, { force: true });
    this.#held = false;
    return true;
  }
}
