import fs from 'node:fs/promises';
import { HEADER_BYTES } from '../payloads/payload.js';
import { spent } from './spent-bodies.js';

/** Bytes that are buffered before they are written. */
const WRITE_BYTES = 1 << 20;

/**
 * Writes a body to a file as it arrives, buffering one write. The body is stored at the offset of a payload's text, so that a
 * JSON payload is completed by adding its header and its table.
 */
export class PayloadSpool {
  #pieces: Buffer[] = [];
  #gathered = 0;
  #length = 0;

  private constructor(
    readonly file: string,
    private readonly handle: fs.FileHandle,
  ) {}

  static async create(file: string): Promise<PayloadSpool> {
    return new PayloadSpool(file, await fs.open(file, 'w'));
  }

  /** Bytes of the body so far. */
  get length(): number {
    return this.#length;
  }

  async add(piece: Buffer): Promise<void> {
    this.#pieces.push(piece);
    this.#gathered += piece.length;
    this.#length += piece.length;
    if (this.#gathered < WRITE_BYTES) return;
    await this.#write();
    spent(WRITE_BYTES);
  }

  async end(): Promise<void> {
    await this.#write();
    await this.handle.close();
  }

  /** Deletes the file. */
  async discard(): Promise<void> {
    await this.handle.close().catch(() => {});
    await fs.rm(this.file, { force: true });
  }

  async #write(): Promise<void> {
    const [pieces, gathered] = [this.#pieces, this.#gathered];
    this.#pieces = [];
    this.#gathered = 0;
    let at = HEADER_BYTES + this.#length - gathered;
    for (const piece of pieces) {
      for (let done = 0; done < piece.length; ) {
        const { bytesWritten } = await this.handle.write(piece, done, piece.length - done, at);
        done += bytesWritten;
        at += bytesWritten;
      }
    }
  }
}
