import rocksdb from 'rocksdb';
import { isDiskFull, isLocked } from '../errors.js';
import { LedgerBackup } from './backup.js';
import { claimFolder, noteLostName, releaseFolder } from './lock-names.js';
import { restoreManifestPointer } from './manifest-pointer.js';
import { type DiskReserve, WRITE_BUFFER_BYTES } from './reserve.js';

type Database = ReturnType<typeof rocksdb>;

export interface LedgerWrite {
  type: 'put' | 'del';
  key: string;
  value?: Buffer;
}

/** An iterator over entries in key order, as of its creation. */
export interface Entries {
  next(): Promise<[string, Buffer] | null>;
  end(): Promise<void>;
}

/**
 * RocksDB with promises, from opening to closing. RocksDB frees its memory on closing even while calls are running; the owner
 * must make sure that there are none.
 */
export class Store {
  private constructor(
    private readonly db: Database,
    private readonly folder: string,
    /** Of the files before they were opened; null when opened for reading only. */
    private readonly backup: LedgerBackup | null,
  ) {}

  /** Opened on a full disk: reads work, writes are refused. */
  get readOnly(): boolean {
    return this.backup === null;
  }

  /** The caller must {@link confirm} or {@link undo} it. If it fails, the files are as they were. */
  static async open(folder: string): Promise<Store> {
    const name = claimFolder(folder);
    let backup: LedgerBackup | null = null;
    try {
      backup = LedgerBackup.make(folder);
      restoreManifestPointer(folder);
      return new Store(await opened(name, false), folder, backup);
    } catch (error) {
      noteLostName(folder, error);
      releaseFolder(folder);
      // The files of another process are in use.
      if (isLocked(error)) backup?.drop();
      else backup?.restore();
      throw error;
    }
  }

  /** Takes no lock, and changes no file. */
  static async openForReading(folder: string): Promise<Store> {
    return new Store(await opened(folder, true), folder, null);
  }

  /** Nothing has been lost by opening it. */
  confirm(): void {
    this.backup?.drop();
  }

  /** Closes it, and puts its files back as they were before it was opened. */
  async undo(): Promise<void> {
    await this.close();
    this.backup?.restore();
  }

  /** Opens a store on a full disk: first with the reserved space, then for reading only. */
  static async openShort(folder: string, reserve: DiskReserve | null): Promise<Store> {
    try {
      return await Store.open(folder);
    } catch (error) {
      if (!isDiskFull(error) || !reserve) throw error;
      if (reserve.release()) return Store.openShort(folder, reserve);
      return Store.openForReading(folder);
    }
  }

  get(key: string): Promise<Buffer | null> {
    return new Promise((resolve, reject) => {
      this.db.get(key, { asBuffer: true }, (error, value) => {
        if (!error) resolve(value);
        else if (/not ?found/i.test(error.message)) resolve(null);
        else reject(error);
      });
    });
  }

  batch(operations: LedgerWrite[], sync: boolean): Promise<void> {
    return settled((done) => this.db.batch(operations, { sync }, done));
  }

  /** @param range `gte` and `lt`, both or neither */
  entries(range: { gte?: string; lt?: string }): Entries {
    const iterator = this.db.iterator({ ...range, keyAsBuffer: true, valueAsBuffer: true });
    return {
      next: () =>
        new Promise((resolve, reject) => {
          iterator.next((error, key, value) => {
            if (error) reject(error);
            else resolve(key && value ? [key.toString(), value] : null);
          });
        }),
      end: () => new Promise((resolve) => iterator.end(() => resolve())),
    };
  }

  compact(): Promise<void> {
    return settled((done) => this.db.compactRange('\0', '\u{10ffff}', done));
  }

  async close(): Promise<void> {
    await settled((done) => this.db.close(done)).finally(() => {
      if (!this.readOnly) releaseFolder(this.folder);
    });
  }
}

async function opened(name: string, readOnly: boolean): Promise<Database> {
  const db = rocksdb(name);
  await settled((done) => db.open({ readOnly, writeBufferSize: WRITE_BUFFER_BYTES }, done));
  return db;
}

function settled(call: (done: (error: Error | null | undefined) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => call((error) => (error ? reject(error) : resolve())));
}
