import fs from 'node:fs';
import path from 'node:path';
import { apiError } from '../../../bindings/errors.js';
import { isSystemError, storageError } from '../../storage/errors.js';
import { FolderSync, syncFile } from '../../storage/sync.js';
import type { MainEngine } from '../main-engine.js';
import { payloadBytes } from '../payloads/payload.js';
import { scanJson } from '../payloads/payload-scan.js';
import type { PayloadFormat, SmallPayload, StoredPayload } from '../payloads/scanned-payload.js';
import type { IndexJobs } from '../threads/jobs.js';
import { PayloadSpool } from './payload-spool.js';
import { spent } from './spent-bodies.js';

/** Payloads of at most this many bytes are stored in the ledger; as JSON they are scanned within about 0.1 ms. */
const SMALL_BYTES = 64 << 10;
/** Offsets of documents have 32 bits. */
const MAX_BYTES = 2 ** 32 - 1;

/**
 * Receives payloads of documents, and keeps the files of large ones. Small payloads are checked on the main thread, because a hop
 * to another thread would take longer, and stored in the ledger, because syncing a file for each would take longer too. Larger
 * ones are written to files as they arrive, and checked there by an index thread, so that no body is in memory as a whole.
 */
export class PayloadIntake {
  readonly #sync: FolderSync;
  #count = 0;

  constructor(
    private readonly jobs: Pick<IndexJobs, 'start' | 'scan' | 'scanCsv'>,
    private readonly engine: MainEngine,
    readonly folder: string,
  ) {
    this.#sync = new FolderSync(folder);
  }

  /** A unique name for a payload file. */
  name(): string {
    return `${Date.now().toString(36)}-${process.pid.toString(36)}-${(this.#count++).toString(36)}`;
  }

  /**
   * Checks a payload. A small one is returned, for the caller to store; a large one is durable in a file afterwards. null: the
   * body is empty.
   * @throws {ApiError} malformed_payload; io_error and other storage errors
   */
  async take(bytes: Buffer, format: PayloadFormat, csvDelimiter?: string): Promise<SmallPayload | StoredPayload | null> {
    if (bytes.length === 0) return null;
    if (bytes.length > SMALL_BYTES) return this.store([bytes], format, csvDelimiter);
    spent(bytes.length);
    if (format === 'csv') return this.jobs.scanCsv({ bytes, csvDelimiter });
    return this.#takeHere(bytes, format);
  }

  /** Like {@link take} for a body that arrives in chunks; memory use does not depend on its length. */
  async takePieces(
    pieces: AsyncGenerator<Buffer>,
    format: PayloadFormat,
    csvDelimiter?: string,
  ): Promise<SmallPayload | StoredPayload | null> {
    const beginning: Buffer[] = [];
    for (let length = 0; length <= SMALL_BYTES; ) {
      const { value, done } = await pieces.next();
      if (done) return this.take(Buffer.concat(beginning), format, csvDelimiter);
      beginning.push(value);
      length += value.length;
    }
    return this.store(resumed(beginning, pieces), format, csvDelimiter);
  }

  /**
   * Like {@link takePieces}, but always writes a file. @param pieces the body in order; when they throw, the error is thrown here
   * and the file is removed
   */
  async store(
    pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
    format: PayloadFormat,
    csvDelimiter?: string,
  ): Promise<StoredPayload> {
    const name = `${this.name()}.payload`;
    const file = path.join(this.folder, name);
    // The threads start while the body arrives.
    this.jobs.start();
    try {
      const length = await spooled(file, pieces);
      const { count, bytes } = await this.jobs.scan({ file, format, csvDelimiter }, length);
      await Promise.all([syncFile(file), this.#sync.run()]);
      return { file: name, count, bytes };
    } catch (error) {
      fs.rmSync(file, { force: true });
      throw isSystemError(error) ? storageError(error) : error;
    }
  }

  drop(files: readonly string[]): void {
    for (const file of files) fs.rmSync(path.join(this.folder, file), { force: true });
  }

  /** Deletes all files with this prefix. */
  dropAll(prefix: string): void {
    this.drop(fs.readdirSync(this.folder).filter((name) => name.startsWith(prefix)));
  }

  #takeHere(bytes: Uint8Array, format: 'json' | 'ndjson'): SmallPayload {
    const ranges = this.engine.run((instance) => scanJson(instance, bytes, format));
    const content = payloadBytes(bytes, ranges);
    return { file: null, count: ranges.count, bytes: content.length, content };
  }
}

async function* resumed(beginning: Buffer[], rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield* beginning;
  yield* rest;
}

/** Writes a body to a file. @returns its length in bytes */
async function spooled(file: string, pieces: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<number> {
  const spool = await PayloadSpool.create(file);
  try {
    for await (const piece of pieces) {
      await spool.add(piece);
      if (spool.length > MAX_BYTES) throw apiError('payload_too_large', 'payload');
    }
    await spool.end();
    return spool.length;
  } catch (error) {
    await spool.discard();
    throw error;
  }
}
