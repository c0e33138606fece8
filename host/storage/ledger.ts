import { apiError } from '../../bindings/errors.js';
import { DoubtfulWrite, isDiskFull, storageError } from './errors.js';
import { DiskReserve } from './reserve.js';
import { type Entries, type LedgerWrite, Store } from './store.js';
import { makeFolder } from './sync.js';
import { WriteMark } from './write-mark.js';

export type { LedgerWrite } from './store.js';

/** Milliseconds between two attempts to open a store that could not be opened, or not for writing. */
const RETRY_MS = 500;

/**
 * The service's small, durable facts in one RocksDB: tasks, batches, index records, flags. Every commit of the
 * service is one `write`, so a crash leaves the state before or after it and nothing between.
 *
 * After a write that failed RocksDB refuses all others until it is opened anew. That is done once for all: calls that run end before it,
 * and those that come meanwhile wait for it. All failures are {@link ApiError}s.
 */
export class Ledger {
  /** null: it could not be opened anew, for {@link #failure}. */
  #store: Store | null;
  #failure: unknown = null;
  /** When the store was last opened, or was to be. */
  #opened = performance.now();
  #reopening: Promise<void> | null = null;
  /** Calls that the store has not answered. */
  #calls = 0;
  #onIdle: () => void = () => {};
  readonly #iterators = new Set<Entries>();
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
   * Opens the store in `folder`, made when absent. Throws when another process holds it. `reserve`: a file beside it keeps room for
   * {@link commit}; and on a disk that is full it opens, though it refuses writes until there is room.
   * @param asItIs whatever was lost of it
   * @throws {LedgerLoss} when it lacks writes that were acknowledged
   */
  static async open(folder: string, { reserve = false, asItIs = false } = {}): Promise<Ledger> {
    makeFolder(folder);
    const room = reserve ? new DiskReserve(`${folder}.reserve`) : null;
    const mark = new WriteMark(`${folder}.mark`);
    const store = await Store.openShort(folder, room);
    try {
      await mark.begin(store, asItIs);
    } catch (error) {
      await store.close();
      throw error;
    }
    if (!store.readOnly) room?.hold();
    return new Ledger(store, folder, room, mark);
  }

  get(key: string): Promise<Buffer | null> {
    return this.#call((store) => store.get(key));
  }

  /**
   * Applies all operations or none; with `sync` they are on disk when the promise resolves.
   * @throws {ApiError} when they were not applied; {DoubtfulWrite} when that cannot be found out
   */
  async write(operations: LedgerWrite[], sync: boolean): Promise<void> {
    if (operations.length === 0) return;
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
      // what opening anew finds in the log it makes durable
      if (!(await this.#shows(operations).catch(() => Promise.reject(new DoubtfulWrite(error))))) throw error;
    }
    if (mark) this.mark.end(mark.number);
  }

  /** Like a synced {@link write}, for the end of a batch: on a full disk it takes the room that is kept for it. */
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
   * The entries whose key begins with `prefix` (ASCII), all for the empty one, in key order, as they were when it began.
   * @throws {Error} when the store had to be opened anew meanwhile
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

  /** Writes the files anew without what was overwritten or deleted; reads and writes go on meanwhile. */
  compact(): Promise<void> {
    return this.#call((store) => store.compact());
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#reopening?.catch(() => {});
    const store = this.#store;
    this.#store = null;
    await this.#quiet();
    await store?.close();
    this.mark.close();
  }

  /** Has the store answer. Whoever closes it waits for that. */
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

  /** Tries again what failed when it was last opened, though not with each call. */
  async #retry(): Promise<void> {
    while (this.#reopening) await this.#reopening;
    if (this.#closed || this.#store?.readOnly === false) return;
    if (performance.now() - this.#opened < RETRY_MS) return;
    await this.#reopen(this.#store);
  }

  /** Opens the store anew in place of one that failed; once for all whom it failed. */
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
      this.#store = await Store.openShort(this.folder, this.reserve);
      this.#failure = null;
    } catch (error) {
      this.#failure = error;
    }
    this.#opened = performance.now();
  }

  /** Resolves when no call runs; iterators have ended. */
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

  /** Whether a write that was in doubt has been applied after all. @throws {ApiError} while that cannot be found out */
  async holds(operations: LedgerWrite[]): Promise<boolean> {
    if (this.#store?.readOnly !== false) await this.#retry();
    if (this.#store === null) throw storageError(this.#failure);
    // what a store that is opened for reading alone shows need not last
    if (this.#store.readOnly) throw apiError('no_space_left_on_device', 'readOnly');
    return this.#shows(operations);
  }

  /** Is all as if these operations had been applied? */
  async #shows(operations: LedgerWrite[]): Promise<boolean> {
    const last = new Map(operations.map((operation) => [operation.key, operation]));
    for (const { type, key, value } of last.values()) {
      const found = await this.get(key);
      if (type === 'put' ? !found?.equals(value ?? Buffer.alloc(0)) : found !== null) return false;
    }
    return true;
  }
}
