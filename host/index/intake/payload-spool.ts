import fs from 'node:fs/promises';
import { HEADER_BYTES } from '../payloads/payload-format.js';
import { reportBodyGarbage } from './body-garbage.js';

/** Bytes that are buffered before they are written. */
const WRITE_BYTES = 1 << 20;

/**
 * Writes a body to a file as it arrives, buffering one write. The body is stored at the offset of a payload's text, so that a
 * JSON payload is completed by adding its header and its table.
 */
export class PayloadSpool {
  readonly #buffer = Buffer.allocUnsafeSlow(WRITE_BYTES);
  #buffered = 0;
  #written = 0;

  private constructor(
    readonly file: string,
    private readonly handle: fs.FileHandle,
  ) {}

  static async create(file: string): Promise<PayloadSpool> {
    return new PayloadSpool(file, await fs.open(file, 'w'));
  }

  /** Bytes of the body so far. */
  get length(): number {
    return this.#written + this.#buffered;
  }

  /** Bytes of the body that are in the file. */
  get written(): number {
    return this.#written;
  }

  async add(piece: Buffer): Promise<void> {
    for (let done = 0; done < piece.length; ) {
      const copied = piece.copy(this.#buffer, this.#buffered, done);
      this.#buffered += copied;
      done += copied;
      if (this.#buffered < WRITE_BYTES) return;
      await this.#write();
      reportBodyGarbage(WRITE_BYTES);
    }
  }

  /** Writes what is still buffered. */
  end(): Promise<void> {
    return this.#write();
  }

  /** Has the disk write the body, while other work goes on. */
  sync(): Promise<void> {
    return this.handle.datasync();
  }

  /** Writes what follows the body, then the header that makes it a payload; it is durable afterwards. @returns bytes of the file */
  async complete(header: Uint8Array, rest: readonly Uint8Array[]): Promise<number> {
    let at = HEADER_BYTES + this.#written;
    for (const part of rest) {
      await this.#put(part, at);
      at += part.length;
    }
    await this.#put(header, 0);
    await this.handle.sync();
    return at;
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  async #write(): Promise<void> {
    await this.#put(this.#buffer.subarray(0, this.#buffered), HEADER_BYTES + this.#written);
    this.#written += this.#buffered;
    this.#buffered = 0;
  }

  async #put(bytes: Uint8Array, at: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.handle.write(bytes, done, bytes.length - done, at + done);
      done += bytesWritten;
    }
  }
}
