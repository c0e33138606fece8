import fs from 'node:fs';
import path from 'node:path';
import { apiError } from '../../../bindings/errors.js';
import { isSystemError, storageError } from '../../storage/errors.js';
import { FolderSync, syncFile } from '../../storage/sync.js';
import type { MainEngine } from '../main-engine.js';
import { payloadBytes } from '../payloads/payload-format.js';
import { scanJson } from '../payloads/payload-scan.js';
import type { PayloadFormat, ScannedPayload, SmallPayload, StoredPayload } from '../payloads/scanned-payload.js';
import type { IndexJobs } from '../threads/jobs.js';
import { Arrivals } from './arrivals.js';
import { ArrivingPayload } from './arriving-payload.js';
import { reportBodyGarbage } from './body-garbage.js';
import { PayloadSpool } from './payload-spool.js';

/** Payloads of at most this many bytes are stored in the ledger; as JSON they are scanned within about 0.1 ms. */
const SMALL_BYTES = 64 << 10;
/** Offsets of documents have 32 bits. */
const MAX_BYTES = 2 ** 32 - 1;
/** From this length on the disk takes so long to write a body that it begins while the rest is scanned. */
const LONG_SYNC_BYTES = 8 << 20;

type BodyPieces = Iterable<Buffer> | AsyncIterable<Buffer>;

/** What is known of a payload beside its bytes. */
export interface PayloadFacts {
  csvDelimiter?: string | undefined;
  /** The primary key that the documents will probably have: their ids are then read while the body arrives. */
  primaryKey?: string | null;
}

/**
 * Receives payloads of documents, and keeps the files of large ones. Small payloads are checked on the main thread, because a hop
 * to another thread would take longer, and stored in the ledger, because syncing a file for each would take longer too. Larger
 * ones are written to files as they arrive, and checked there by index threads at the same time, so that no body is in memory as a whole.
 */
export class PayloadIntake {
  readonly arrivals = new Arrivals();
  readonly #sync: FolderSync;
  #count = 0;

  constructor(
    private readonly jobs: Pick<IndexJobs, 'start' | 'scanPiece' | 'scanCsv' | 'convertCsv'>,
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
  async take(bytes: Buffer, format: PayloadFormat, facts: PayloadFacts = {}): Promise<SmallPayload | StoredPayload | null> {
    if (bytes.length === 0) return null;
    if (bytes.length > SMALL_BYTES) return this.store([bytes], format, facts);
    reportBodyGarbage(bytes.length);
    if (format === 'csv') return this.jobs.scanCsv({ bytes, csvDelimiter: facts.csvDelimiter });
    return this.#takeHere(bytes, format);
  }

  /** Like {@link take} for a body that arrives in chunks; memory use does not depend on its length. */
  async takePieces(
    pieces: AsyncGenerator<Buffer>,
    format: PayloadFormat,
    facts: PayloadFacts = {},
  ): Promise<SmallPayload | StoredPayload | null> {
    const beginning: Buffer[] = [];
    for (let length = 0; length <= SMALL_BYTES; ) {
      const { value, done } = await pieces.next();
      if (done) return this.take(Buffer.concat(beginning), format, facts);
      beginning.push(value);
      length += value.length;
    }
    return this.store(resumed(beginning, pieces), format, facts);
  }

  /**
   * Like {@link takePieces}, but always writes a file. @param pieces the body in order; when they throw, the error is thrown here
   * and the file is removed
   */
  async store(pieces: BodyPieces, format: PayloadFormat, facts: PayloadFacts = {}): Promise<StoredPayload> {
    const { csvDelimiter, primaryKey = null } = facts;
    const name = `${this.name()}.payload`;
    const file = path.join(this.folder, name);
    // The threads start while the body arrives.
    this.jobs.start();
    try {
      const stored =
        format === 'csv' ? this.#storeCsv(file, pieces, csvDelimiter) : this.#storeJson(file, pieces, format, primaryKey);
      return { file: name, ...(await stored) };
    } catch (error) {
      fs.rmSync(file, { force: true });
      throw isSystemError(error) ? storageError(error) : error;
    }
  }

  async #storeJson(
    file: string,
    pieces: BodyPieces,
    format: 'json' | 'ndjson',
    primaryKey: string | null,
  ): Promise<ScannedPayload> {
    const spool = await PayloadSpool.create(file);
    const arriving = new ArrivingPayload(this.jobs, file, format, primaryKey);
    try {
      for await (const piece of pieces) {
        await add(spool, piece);
        arriving.reached(spool.written);
      }
      await spool.end();
      arriving.reached(spool.written);
      const [{ count, header, rest }] = await Promise.all([arriving.end(), spool.length >= LONG_SYNC_BYTES && spool.sync()]);
      const [bytes] = await Promise.all([spool.complete(header, rest), this.#sync.run()]);
      return { count, bytes };
    } catch (error) {
      await arriving.abandon();
      throw error;
    } finally {
      await spool.close();
    }
  }

  async #storeCsv(file: string, pieces: BodyPieces, csvDelimiter: string | undefined): Promise<ScannedPayload> {
    const spool = await PayloadSpool.create(file);
    try {
      for await (const piece of pieces) await add(spool, piece);
      await spool.end();
    } finally {
      await spool.close();
    }
    const scanned = await this.jobs.convertCsv({ file, csvDelimiter }, spool.length);
    await Promise.all([syncFile(file), this.#sync.run()]);
    return scanned;
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

/** @throws {ApiError} payload_too_large */
async function add(spool: PayloadSpool, piece: Buffer): Promise<void> {
  await spool.add(piece);
  if (spool.length > MAX_BYTES) throw apiError('payload_too_large', 'payload');
}
