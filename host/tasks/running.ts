import type { Moment } from './clock.js';
import type { ProgressView } from './progress.js';
import type { BatchRecord } from './types.js';

/** A batch that the scheduler has begun; nothing of it is stored before it ends. */
export interface RunningBatch {
  uid: number;
  /** Of its tasks. */
  uids: ReadonlySet<number>;
  startedAt: Moment;
  /** The batch as a reader may see it now. */
  present(): BatchRecord;
  progress(): ProgressView;
  /** What its tasks concern: no other batch does until it has ended, save compactions, which change no document. */
  indexUids: ReadonlySet<string>;
}

/** The batches under way: one at work on the indexes, any number that wait for embeddings. */
export class RunningBatches implements Iterable<RunningBatch> {
  readonly #batches = new Map<number, RunningBatch>();
  readonly #ofTask = new Map<number, RunningBatch>();
  /** Grows whenever a batch begins or ends. */
  changes = 0;

  add(batch: RunningBatch): void {
    this.changes++;
    this.#batches.set(batch.uid, batch);
    for (const uid of batch.uids) this.#ofTask.set(uid, batch);
  }

  remove({ uid, uids }: RunningBatch): void {
    if (!this.#batches.delete(uid)) return;
    this.changes++;
    for (const task of uids) this.#ofTask.delete(task);
  }

  get(uid: number): RunningBatch | null {
    return this.#batches.get(uid) ?? null;
  }

  /** The batch that a task is in. */
  of(task: number): RunningBatch | null {
    return this.#ofTask.get(task) ?? null;
  }

  concern(indexUid: string): boolean {
    return [...this].some(({ indexUids }) => indexUids.has(indexUid));
  }

  get size(): number {
    return this.#batches.size;
  }

  get tasks(): number {
    return this.#ofTask.size;
  }

  /** Highest uid; -1 when none is under way. */
  get newest(): number {
    return Math.max(-1, ...this.#batches.keys());
  }

  [Symbol.iterator](): IterableIterator<RunningBatch> {
    return this.#batches.values();
  }
}
