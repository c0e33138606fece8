import fs from 'node:fs/promises';
import { HEADER_BYTES } from './payload.js';

/** Bytes that are gathered before they are written. */
const WRITE_BYTES = 1 << 20;

/**
 * A body on its way to a file: no more of it is in memory than is written at once. It stands where the text of a payload belongs, so that
 * a payload which is its own text is complete with its header and its table.
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

  /** Bytes of the body. */
  get length(): number {
    return this.#length;
  }

  async add(piece: Buffer): Promise<void> {
    this.#pieces.push(piece);
    this.#gathered += piece.length;
    this.#length += piece.length;
    if (this.#gathered >= WRITE_BYTES) await this.#write();
  }

  async end(): Promise<void> {
    await this.#write();
    await this.handle.close();
  }

  /** Gives the file up. */
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
