import { apiError } from '../../../bindings/errors.js';
import { DoubtfulWrite, isDiskFull, storageError } from '../errors.js';
import { makeFolder } from '../sync.js';
import { DiskReserve } from './reserve.js';
import { type Entries, type LedgerWrite, Store } from './store.js';
import { WriteGroups } from './write-groups.js';
import { LedgerLoss, WriteMark } from './write-mark.js';

export type { LedgerWrite } from './store.js';

/** Milliseconds between two attempts to reopen a store that could not be opened, or only for reading. */
const RETRY_MS = 500;

/**
 * The small, durable state of the server in one RocksDB: tasks, batches, index records, flags. Every commit is one `write`, so a
 * crash leaves the state before or after it. One write, or group of writes, runs at a time.
 * After a failed write RocksDB refuses all others until it is reopened. That happens once: running calls finish first, and calls
 * that arrive meanwhile wait for it. All errors are {@link ApiError}s.
 */
export class Ledger {
  /** null: reopening failed with {@link #failure}. */
  #store: Store | null;
  #failure: unknown = null;
  /** Time of the last attempt to open the store. */
  #opened = performance.now();
  #reopening: Promise<void> | null = null;
  /** Number of running calls of the store. */
  #calls = 0;
  #onIdle: () => void = () => {};
  readonly #iterators = new Set<Entries>();
  readonly #groups = new WriteGroups((operations, sync) => this.#write(operations, sync));
  #closed = false;

  private constructor(
    store: Store,
    private readonly folder: string,
    private readonly reserve: DiskReserve | null,
    private readonly mark: WriteMark,
  ) {
    this.#store = store;
  }

  /**
   * Opens the store in `folder`, creating it if needed. Throws when another process has it open. `reserve`: a file beside it
   * reserves disk space for {@link commit}, and on a full disk the store is opened for reading only until there is space.
   * @param asItIs opens the store even if writes were lost
   * @throws {LedgerLoss} when acknowledged writes are missing
   */
  static async open(folder: string, { reserve = false, asItIs = false } = {}): Promise<Ledger> {
    makeFolder(folder);
    const room = reserve ? new DiskReserve(`${folder}.reserve`) : null;
    const mark = new WriteMark(`${folder}.mark`);
    const open = () => openChecked(folder, room, (opened) => mark.begin(opened, asItIs));
    const store = await open().catch((error) => {
      if (error instanceof LedgerLoss) return open(); // its log may have been unreadable for a moment
      throw error;
    });
    if (!store.readOnly) room?.hold();
    return new Ledger(store, folder, room, mark);
  }

  get(key: string): Promise<Buffer | null> {
    return this.#call((store) => store.get(key));
  }

  /**
   * Applies all operations or none; with `sync` they are on disk when the promise resolves.
   * @throws {ApiError} when they were not applied; {DoubtfulWrite} when that is unknown
   */
  async write(operations: LedgerWrite[], sync: boolean): Promise<void> {
    if (operations.length > 0) await this.#groups.add(operations, sync);
  }

  /** Syncs all earlier writes: a start detects when the ledger has lost any of them, synced or not. */
  async seal(): Promise<void> {
    await this.#groups.add([], true);
  }

  async #write(operations: LedgerWrite[], sync: boolean): Promise<void> {
    if (this.#store?.readOnly !== false) await this.#retry();
    const mark = sync ? this.mark.next() : null;
    const all = mark ? [...operations, mark.entry] : operations;
    let used: Store | null = null;
    try {
      await this.#call((store) => {
        if (store.readOnly) throw apiError('no_space_left_on_device', 'readOnly');
        used = store;
        return store.batch(all, sync);
      });
    } catch (error) {
      if (used === null) throw error;
      await this.#reopen(used);
      if (this.#store === null || this.#store.readOnly) throw new DoubtfulWrite(error);
      // Reopening makes durable what it finds in the log.
      if (!(await this.#shows(all).catch(() => Promise.reject(new DoubtfulWrite(error))))) throw error;
    }
    if (mark) this.mark.end(mark.number);
  }

  /** A synced {@link write} for the end of a batch: on a full disk it uses the reserved space. */
  async commit(operations: LedgerWrite[]): Promise<void> {
    try {
      await this.write(operations, true);
    } catch (error) {
      if (!isDiskFull(error) || !this.reserve) throw error;
      this.reserve.release();
      this.#opened = Number.NEGATIVE_INFINITY;
      await this.write(operations, true);
      return;
    }
    this.reserve?.hold();
  }

  /**
   * The entries whose key begins with `prefix` (ASCII; empty for all), in key order, as of the start of the iteration.
   * @throws {Error} when the store was reopened meanwhile
   */
  async *iterate(prefix: string): AsyncGenerator<[string, Buffer]> {
    const after = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
    const range = prefix === '' ? {} : { gte: prefix, lt: after };
    const entries = await this.#call(async (store) => store.entries(range));
    this.#iterators.add(entries);
    const next = () =>
      this.#call((_) => {
        if (this.#iterators.has(entries)) return entries.next();
        throw new Error('the ledger was opened anew while it was read: its disk failed or was full');
      });
    try {
      for (let entry = await next(); entry; entry = await next()) yield entry;
    } finally {
      if (this.#iterators.has(entries))
        await this.#call(async () => {
          if (this.#iterators.delete(entries)) await entries.end();
        });
    }
  }

  /** Compacts the files, dropping overwritten and deleted entries; reads and writes continue meanwhile. */
  compact(): Promise<void> {
    return this.#call((store) => store.compact());
  }

  async close(): Promise<void> {
    await this.#groups.idle();
    this.#closed = true;
    await this.#reopening?.catch(() => {});
    const store = this.#store;
    this.#store = null;
    await this.#quiet();
    await store?.close();
    this.mark.close();
  }

  /** Runs a call of the store, and counts it as running: closing waits for it. */
  async #call<T>(ask: (store: Store) => Promise<T>): Promise<T> {
    while (this.#reopening) await this.#reopening;
    if (this.#closed) throw new Error('the ledger is closed');
    if (!this.#store) await this.#retry();
    const store = this.#store;
    if (!store) throw storageError(this.#failure);
    this.#calls++;
    try {
      return await ask(store);
    } catch (error) {
      throw storageError(error);
    } finally {
      if (--this.#calls === 0) this.#onIdle();
    }
  }

  /** Tries again to reopen the store, at most once per {@link RETRY_MS}. */
  async #retry(): Promise<void> {
    while (this.#reopening) await this.#reopening;
    if (this.#closed || this.#store?.readOnly === false) return;
    if (performance.now() - this.#opened < RETRY_MS) return;
    await this.#reopen(this.#store);
  }

  /** Reopens the store in place of the one that failed, once for all calls that saw the failure. */
  #reopen(failed: Store | null): Promise<void> {
    if (this.#reopening) return this.#reopening;
    if (this.#store !== failed || this.#closed) return Promise.resolve();
    const reopening = this.#exchange(failed).finally(() => {
      this.#reopening = null;
    });
    this.#reopening = reopening;
    return reopening;
  }

  async #exchange(failed: Store | null): Promise<void> {
    await this.#quiet();
    this.#store = null;
    try {
      await failed?.close();
      this.#store = await openChecked(this.folder, this.reserve, (opened) => this.mark.check(opened));
      this.#failure = null;
    } catch (error) {
      this.#failure = error;
    }
    this.#opened = performance.now();
  }

  /** Resolves when no call is running and all iterators have ended. */
  async #quiet(): Promise<void> {
    if (this.#calls > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
      this.#onIdle = () => {};
    }
    const left = [...this.#iterators];
    this.#iterators.clear();
    await Promise.all(left.map((entries) => entries.end()));
  }

  /** Whether a doubtful write was applied after all. @throws {ApiError} while that is unknown */
  async holds(operations: LedgerWrite[]): Promise<boolean> {
    if (this.#store?.readOnly !== false) await this.#retry();
    if (this.#store === null) throw storageError(this.#failure);
    // What a store opened for reading shows may not be durable.
    if (this.#store.readOnly) throw apiError('no_space_left_on_device', 'readOnly');
    return this.#shows(operations);
  }

  /** Whether the ledger contains the result of these operations. */
  async #shows(operations: LedgerWrite[]): Promise<boolean> {
    const last = new Map(operations.map((operation) => [operation.key, operation]));
    for (const { type, key, value } of last.values()) {
      const found = await this.get(key);
      if (type === 'put' ? !found?.equals(value ?? Buffer.alloc(0)) : found !== null) return false;
    }
    return true;
  }
}

/** @param check throws when the store has lost something; then its files are as they were before */
async function openChecked(folder: string, reserve: DiskReserve | null, check: (store: Store) => Promise<void>): Promise<Store> {
  const store = await Store.openShort(folder, reserve);
  try {
    await check(store);
  } catch (error) {
    await store.undo();
    throw error;
  }
  store.confirm();
  return store;
}
