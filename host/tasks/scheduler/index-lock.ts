import { Stopped } from './stop.js';

/** A lock that lets one batch at a time use the indexes, in the order in which they ask. */
export class IndexLock {
  #holder: LockHandle | null = null;
  readonly #waiting: { handle: LockHandle; go(): void; refuse(reason: Stopped): void }[] = [];

  /** Resolves when all who asked earlier have released the lock. */
  async acquire(): Promise<LockHandle> {
    const handle = new LockHandle(this);
    await this.take(handle);
    return handle;
  }

  /** @throws {Stopped} when the handle was released while it waited */
  take(handle: LockHandle): Promise<void> {
    if (!this.#holder) {
      this.#holder = handle;
      return Promise.resolve();
    }
    return new Promise((go, refuse) => this.#waiting.push({ handle, go, refuse }));
  }

  release(handle: LockHandle): void {
    if (this.#holder === handle) {
      const next = this.#waiting.shift();
      this.#holder = next?.handle ?? null;
      next?.go();
      return;
    }
    const place = this.#waiting.findIndex((each) => each.handle === handle);
    if (place >= 0) this.#waiting.splice(place, 1)[0]!.refuse(new Stopped());
  }
}

/** What a batch has of an {@link IndexLock}. */
export class LockHandle {
  #released = false;

  constructor(private readonly lock: IndexLock) {}

  /**
   * Releases the lock during `work`, so that other batches can run, then acquires it again.
   * @throws {Stopped} when the handle was released meanwhile
   */
  async unlocked<T>(work: () => Promise<T>): Promise<T> {
    this.#check();
    this.lock.release(this);
    const [outcome] = await Promise.allSettled([work()]);
    this.#check();
    await this.lock.take(this);
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.lock.release(this);
  }

  #check(): void {
    if (this.#released) throw new Stopped();
  }
}
