import fs from 'node:fs';
import path from 'node:path';
import { storageError } from '../../storage/errors.js';
import { FolderSync, syncFile } from '../../storage/sync.js';
import type { IndexJobs } from '../build/jobs.js';
import type { MainEngine } from '../main-engine.js';
import type { PayloadFormat, SmallPayload, StoredPayload } from '../types.js';
import { payloadBytes } from './payload.js';
import { scanJson } from './payload-scan.js';

/** A payload up to this needs no file of its own, and as JSON is scanned within some 0.1 ms. */
const SMALL_BYTES = 64 << 10;

/**
 * Where payloads of documents come in. Small ones are checked where they arrive: the way to a thread and back takes longer, and a file
 * of its own would make each of them wait for the disk alone. Larger ones go through the index threads to files.
 */
export class PayloadIntake {
  readonly #folder: FolderSync;
  #count = 0;

  constructor(
    private readonly jobs: Pick<IndexJobs, 'scan'>,
    private readonly engine: MainEngine,
    folder: string,
  ) {
    this.#folder = new FolderSync(folder);
  }

  /** A name that no other payload has. */
  name(): string {
    return `${Date.now().toString(36)}-${process.pid.toString(36)}-${(this.#count++).toString(36)}`;
  }

  async take(bytes: Uint8Array, format: PayloadFormat, csvDelimiter?: string): Promise<SmallPayload | StoredPayload> {
    if (bytes.length > SMALL_BYTES) return this.store(bytes, format, csvDelimiter);
    if (format !== 'csv') return this.#takeHere(bytes, format);
    const { count, bytes: length, content } = await this.jobs.scan({ bytes, format, csvDelimiter, file: null });
    return { file: null, count, bytes: length, content: content! };
  }

  async store(bytes: Uint8Array, format: PayloadFormat, csvDelimiter?: string): Promise<StoredPayload> {
    const name = `${this.name()}.payload`;
    const file = path.join(this.#folder.folder, name);
    const { count, bytes: length } = await this.jobs.scan({ bytes, format, csvDelimiter, file });
    try {
      await Promise.all([syncFile(file), this.#folder.run()]);
    } catch (error) {
      fs.rmSync(file, { force: true });
      throw storageError(error);
    }
    return { file: name, count, bytes: length };
  }

  #takeHere(bytes: Uint8Array, format: 'json' | 'ndjson'): SmallPayload {
    const ranges = this.engine.run((instance) => scanJson(instance, bytes, format));
    const content = payloadBytes(bytes, ranges);
    return { file: null, count: ranges.count, bytes: content.length, content };
  }
}
