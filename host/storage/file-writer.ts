import fs from 'node:fs';

/** Bytes that are collected before they are written. */
const CHUNK_BYTES = 1 << 20;

/** A file that is written from its beginning to its end. It is not synced. */
export class FileWriter {
  readonly #fd: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(readonly file: string) {
    this.#fd = fs.openSync(file, 'w');
  }

  /** @param pieces are written later: their bytes must stay as they are */
  add(...pieces: Uint8Array[]): void {
    for (const piece of pieces) this.#bytes += piece.length;
    this.#pieces.push(...pieces);
    if (this.#bytes >= CHUNK_BYTES) this.#flush();
  }

  /** @param head replaces the first bytes of the file */
  finish(head?: Uint8Array): void {
    this.#flush();
    if (head) writeAll(this.#fd, head, 0);
    fs.closeSync(this.#fd);
  }

  /** Deletes the file. */
  discard(): void {
    fs.closeSync(this.#fd);
    fs.rmSync(this.file, { force: true });
  }

  #flush(): void {
    writeAll(this.#fd, Buffer.concat(this.#pieces));
    this.#pieces = [];
    this.#bytes = 0;
  }
}

/** Writes all bytes: one system call may write fewer. @param position offset in the file; by default after the last write */
export function writeAll(fd: number, bytes: Uint8Array, position?: number): void {
  for (let done = 0; done < bytes.length; ) {
    const at = position === undefined ? null : position + done;
    done += fs.writeSync(fd, bytes, done, bytes.length - done, at);
  }
}
