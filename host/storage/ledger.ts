import rocksdb from 'rocksdb';
import { isDiskFull } from './errors.js';
import { DiskReserve } from './reserve.js';

export interface LedgerWrite {
  type: 'put' | 'del';
  key: string;
  value?: Buffer;
}

type Store = ReturnType<typeof rocksdb>;

/**
 * The service's small, durable facts in one RocksDB: tasks, batches, index records, flags. Every commit of the
 * service is one `write`, so a crash leaves the state before or after it and nothing between.
 */
export class Ledger {
  private constructor(
    private store: Store,
    private readonly folder: string,
    private readonly reserve: DiskReserve | null,
  ) {}

  /**
   * Opens the store in `folder`, made when absent. Throws when another process holds it. `reserve`: a file beside it keeps room for
   * {@link commit}.
   */
  static async open(folder: string, { reserve = false } = {}): Promise<Ledger> {
    return new Ledger(await openStore(folder), folder, reserve ? new DiskReserve(`${folder}.reserve`) : null);
  }

  get(key: string): Promise<Buffer | null> {
    return new Promise((resolve, reject) => {
      this.store.get(key, { asBuffer: true }, (error, value) => {
        if (!error) resolve(value);
        else if (/not ?found/i.test(error.message)) resolve(null);
        else reject(error);
      });
    });
  }

  /** Applies all operations or none; with `sync` they are on disk when the promise resolves. */
  async write(operations: LedgerWrite[], sync: boolean): Promise<void> {
    if (operations.length === 0) return;
    try {
      await this.#batch(operations, sync);
    } catch (error) {
      if (isDiskFull(error)) await this.#reopen();
      throw error;
    }
  }

  /** Like a synced {@link write}, for the end of a batch: on a full disk it takes the room that is kept for it. */
  async commit(operations: LedgerWrite[]): Promise<void> {
    try {
      await this.write(operations, true);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      this.reserve?.release();
      await this.write(operations, true);
      return;
    }
    this.reserve?.hold();
  }

  #batch(operations: LedgerWrite[], sync: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.store.batch(operations, { sync }, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** After a write that failed the store refuses all others until it is opened anew; calls that come meanwhile may fail. */
  async #reopen(): Promise<void> {
    await this.close();
    try {
      this.store = await openStore(this.folder);
    } catch (error) {
      // opening writes a little, too
      if (!this.reserve?.release()) throw error;
      this.store = await openStore(this.folder);
    }
  }

  /** The entries whose key begins with `prefix` (ASCII), all for the empty one, in key order, as they were when it began. */
  async *iterate(prefix: string): AsyncGenerator<[string, Buffer]> {
    const after = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
    const range = prefix === '' ? {} : { gte: prefix, lt: after };
    const iterator = this.store.iterator({ ...range, keyAsBuffer: true, valueAsBuffer: true });
    const next = () =>
      new Promise<[string, Buffer] | null>((resolve, reject) => {
        iterator.next((error, key, value) => {
          if (error) reject(error);
          else resolve(key && value ? [key.toString(), value] : null);
        });
      });
    try {
      for (let entry = await next(); entry; entry = await next()) yield entry;
    } finally {
      await new Promise<void>((resolve) => iterator.end(() => resolve()));
    }
  }

  /** Writes the files anew without what was overwritten or deleted; reads and writes go on meanwhile. */
  compact(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.store.compactRange('\0', '\u{10ffff}', (error) => (error ? reject(error) : resolve()));
    });
  }

  close(): Promise<void> {
    return new Promise((resolve, reject) => this.store.close((error) => (error ? reject(error) : resolve())));
  }
}

async function openStore(folder: string): Promise<Store> {
  const store = rocksdb(folder);
  await new Promise<void>((resolve, reject) => store.open({}, (error) => (error ? reject(error) : resolve())));
  return store;
}
