import fs from 'node:fs';

/** Enough for the end of a batch and what the store itself writes when it is opened anew. */
const RESERVE_BYTES = 8 << 20;

/**
 * Room on the disk that is kept for the end of a batch: a task that fails because the disk is full must still be able to say so.
 * It is a file of zeros that is deleted when the room is needed, and made again when there is room once more.
 */
export class DiskReserve {
  #held: boolean;

  /** A file that the last process left is room, too. */
  constructor(readonly file: string) {
    this.#held = fs.statSync(file, { throwIfNoEntry: false })?.size === RESERVE_BYTES;
  }

  /** Takes the room if there is enough of it. */
  hold(): void {
    if (this.#held) return;
    try {
      fs.writeFileSync(this.file, Buffer.alloc(RESERVE_BYTES));
      this.#held = true;
    } catch {
      // no room now: the next time something was written will tell
      fs.rmSync(this.file, { force: true });
    }
  }

  /** Gives the room free; false when there was none. */
  release(): boolean {
    if (!this.#held) return false;
    fs.rmSync(this.file, { force: true });
    this.#held = false;
    return true;
  }
}
