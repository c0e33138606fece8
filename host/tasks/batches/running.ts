import type { Moment } from '../../time/moments.js';
import type { BatchRecord } from '../batch.js';
import type { ProgressView } from './progress.js';

/** A running batch; nothing of it is stored before it ends. */
export interface RunningBatch {
  uid: number;
  /** Uids of its tasks. */
  uids: ReadonlySet<number>;
  startedAt: Moment;
  /** The batch as a client may see it now. */
  present(): BatchRecord;
  progress(): ProgressView;
  /** The indexes of its tasks. Until it ends no other batch uses them, except compactions, which change no document. */
  indexUids: ReadonlySet<string>;
}

/** The running batches: one that uses the indexes, and any number that wait for embeddings. */
export class RunningBatches implements Iterable<RunningBatch> {
  readonly #batches = new Map<number, RunningBatch>();
  readonly #ofTask = new Map<number, RunningBatch>();
  /** Incremented whenever a batch starts or ends. */
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

  /** The batch that contains a task. */
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

  /** Highest uid; -1 when no batch is running. */
  get newest(): number {
    return Math.max(-1, ...this.#batches.keys());
  }

  [Symbol.iterator](): IterableIterator<RunningBatch> {
    return this.#batches.values();
  }
}
