import { type ApiError, apiError } from '../../../bindings/errors.js';
import { humanSize, limitSize } from '../../options/sizes.js';
import type { Ledger, LedgerWrite } from '../../storage/ledger/ledger.js';
import { startAfter } from '../../time/moments.js';
import type { BatchRecord } from '../batch.js';
import { RunningBatches } from '../batches/running.js';
import type { TaskRecord, TaskWork } from '../task.js';
import { URGENT_TYPES } from '../task-types.js';
import { RecordSizes } from './record-sizes.js';
import { BATCH_PREFIX, batchKey, type NewTask, put, putBatch, putTask, TASK_PREFIX, taskKey } from './records.js';
import { Registrations } from './registrations.js';
import { NAMES_PREFIX, type NameChange, NameHistory, nameChangeKey, renamed, withPresentNames } from './renames.js';
import { TaskTable } from './table.js';
import { TaskEnds } from './task-ends.js';

/** What the end of a batch changes in the queue. */
export interface QueueChange {
  tasks: TaskRecord[];
  batch: BatchRecord | null;
  removedTasks: number[];
  removedBatches: number[];
  names: NameChange | null;
}

/** Task records in the cache. */
const CACHED = 2000;
/** Share of the size limit for tasks; the rest is for writes that end or delete them. */
const SHARE_FOR_TASKS = 0.4;
/** Task records per write. */
const RENAMED_AT_ONCE = 1000;

/**
 * All tasks and batches: complete records in the ledger, the columns for filters in memory. A registration is durable before its
 * promise resolves; registrations that arrive during a write share the next one.
 */
export class TaskQueue {
  readonly table = new TaskTable();
  /** Tasks that wait or run, ascending. */
  readonly pending = new Set<number>();
  /** Those among them that run before any work on indexes. */
  readonly urgent = new Set<number>();
  /** Uids of the stored batches, ascending. */
  batches: number[] = [];
  readonly running = new RunningBatches();
  onRegistered: (tasks: TaskRecord[]) => void = () => {};
  readonly #recent = new Map<number, TaskRecord>();
  readonly #ends = new TaskEnds();
  readonly #registrations: Registrations;

  /** Sizes of the ledger entries. */
  readonly #sizes = { tasks: new RecordSizes(), batches: new RecordSizes() };

  private constructor(
    private readonly ledger: Ledger,
    /** Size limit of the queue in bytes. */
    readonly bound: number,
  ) {
    this.#registrations = new Registrations(
      ledger,
      () => this.table.highest + 1,
      (stored) => {
        for (const { record, bytes } of stored) this.#place(record, bytes);
        this.onRegistered(stored.map(({ record }) => record));
      },
    );
  }

  static async load(ledger: Ledger, bound: number): Promise<TaskQueue> {
    const queue = new TaskQueue(ledger, bound);
    const changes: NameChange[] = [];
    for await (const [, value] of ledger.iterate(NAMES_PREFIX)) changes.push(JSON.parse(value.toString()));
    const history = new NameHistory(changes);
    for await (const [, value] of ledger.iterate(TASK_PREFIX)) {
      const record = renamed(JSON.parse(value.toString()) as TaskRecord, history);
      queue.#place(record, value.length);
      startAfter(Math.max(record.enqueuedAt, record.finishedAt ?? 0));
    }
    // On a read-only disk this is left for the next start.
    if (changes.length > 0) await queue.#applyRenames(history).catch(() => {});
    for await (const [key, value] of ledger.iterate(BATCH_PREFIX)) {
      const uid = Number(key.slice(BATCH_PREFIX.length));
      queue.batches.push(uid);
      queue.#sizes.batches.set(uid, value.length);
    }
    return queue;
  }

  /** Applies index renames to the records of tasks, marking each as done in the same write; then drops the renames. */
  async #applyRenames(history: NameHistory): Promise<void> {
    let puts: LedgerWrite[] = [];
    for await (const [, value] of this.ledger.iterate(TASK_PREFIX)) {
      const record = JSON.parse(value.toString()) as TaskRecord;
      const now = renamed(record, history);
      if (now === record) continue;
      puts.push(putTask(now));
      if (puts.length < RENAMED_AT_ONCE) continue;
      await this.ledger.write(puts, false);
      puts = [];
    }
    const forgotten = history.changes.map((change) => ({ type: 'del' as const, key: nameChangeKey(change) }));
    await this.ledger.write([...puts, ...forgotten], true);
  }

  /** Bytes of all tasks and batches, and of payloads in the ledger. */
  get bytes(): number {
    return this.#sizes.tasks.total + this.#sizes.batches.total;
  }

  /** Bytes left before the queue refuses tasks, except those that make it smaller. */
  get room(): number {
    return Math.max(0, this.bound * SHARE_FOR_TASKS - this.bytes);
  }

  /** Stores a task; it is on disk when the promise resolves. @throws {ApiError} no_space_left_on_device */
  register(task: NewTask): Promise<TaskRecord> {
    if (this.room === 0 && !makesRoom(task)) return Promise.reject(this.#full());
    return this.#registrations.add(task);
  }

  /** Re-enqueues failed tasks with this work. */
  async retry(tasks: readonly TaskRecord[], work: TaskWork): Promise<void> {
    const records = tasks.map(
      (task): TaskRecord => ({ ...task, status: 'enqueued', error: null, startedAt: null, finishedAt: null, work }),
    );
    const puts = records.map(putTask);
    await this.ledger.write(puts, true);
    records.forEach((record, i) => {
      this.#place(record, puts[i]!.value!.length);
    });
  }

  /** A task with the present names of its indexes, or null. */
  async record(uid: number): Promise<TaskRecord | null> {
    const row = this.table.get(uid);
    if (!row) return null;
    let record = this.#recent.get(uid);
    if (!record) {
      const value = await this.ledger.get(taskKey(uid));
      if (!value) return null;
      record = JSON.parse(value.toString()) as TaskRecord;
      this.#remember(record);
    }
    return withPresentNames(record, row);
  }

  /** A registered task once it has ended; null when that takes longer than `milliseconds`, or the signal is aborted. */
  async ended(uid: number, milliseconds: number, signal: AbortSignal): Promise<TaskRecord | null> {
    if (this.pending.has(uid)) await this.#ends.wait(uid, milliseconds, signal);
    return this.pending.has(uid) ? null : this.record(uid);
  }

  /** The existing tasks with these uids, in their order. */
  async records(uids: Iterable<number>): Promise<TaskRecord[]> {
    const records = await Promise.all([...uids].map((uid) => this.record(uid)));
    return records.filter((record) => record !== null);
  }

  async batch(uid: number): Promise<BatchRecord | null> {
    const running = this.running.get(uid);
    if (running) return running.present();
    const value = await this.ledger.get(batchKey(uid));
    return value && (JSON.parse(value.toString()) as BatchRecord);
  }

  get nextBatchUid(): number {
    return Math.max(this.batches.at(-1) ?? -1, this.running.newest) + 1;
  }

  /** Compacts the ledger. */
  compact(): Promise<void> {
    return this.ledger.compact();
  }

  /** The ledger writes of a change; `adopt` must be called when they are stored. */
  prepare(change: QueueChange): { writes: LedgerWrite[]; adopt(): void } {
    const { tasks, batch, removedTasks, removedBatches, names } = change;
    const puts = tasks.map(putTask);
    const batchPut = batch && putBatch(batch);
    return {
      writes: [
        ...puts,
        ...(batchPut ? [batchPut] : []),
        ...removedTasks.map((uid) => ({ type: 'del' as const, key: taskKey(uid) })),
        ...removedBatches.map((uid) => ({ type: 'del' as const, key: batchKey(uid) })),
        ...(names ? [put(nameChangeKey(names), names)] : []),
      ],
      adopt: () => {
        tasks.forEach((record, i) => {
          this.#place(record, puts[i]!.value!.length);
        });
        if (batch) this.#sizes.batches.set(batch.uid, batchPut!.value!.length);
        this.#adopt(change);
      },
    };
  }

  #adopt(change: QueueChange): void {
    for (const uid of change.removedTasks) {
      this.table.remove(uid);
      this.#sizes.tasks.remove(uid);
      this.#recent.delete(uid);
    }
    if (change.batch) this.#addBatch(change.batch.uid);
    const gone = new Set(change.removedBatches);
    for (const uid of gone) this.#sizes.batches.remove(uid);
    if (gone.size > 0) this.batches = this.batches.filter((uid) => !gone.has(uid));
    if (change.names) this.table.rename(change.names.before, new Map(change.names.names));
    for (const { uid } of change.tasks) this.#ends.announce(uid);
  }

  /** The batch may exist already if its tasks were retried. */
  #addBatch(uid: number): void {
    const place = this.batches.findLastIndex((other) => other <= uid);
    if (this.batches[place] !== uid) this.batches.splice(place + 1, 0, uid);
  }

  #full(): ApiError {
    const limit = limitSize(this.bound * SHARE_FOR_TASKS);
    return apiError('no_space_left_on_device', 'queue', { bytes: humanSize(this.bytes), limit });
  }

  /** @param bytes of the task's ledger entry */
  #place(record: TaskRecord, bytes: number): void {
    this.table.set(record);
    const { work } = record;
    this.#sizes.tasks.set(record.uid, bytes + (work?.kind === 'import' && work.file === null ? work.bytes : 0));
    if (record.status === 'enqueued') {
      this.pending.add(record.uid);
      if (URGENT_TYPES.has(record.type)) this.urgent.add(record.uid);
    } else {
      this.pending.delete(record.uid);
      this.urgent.delete(record.uid);
    }
    this.#remember(record);
  }

  #remember(record: TaskRecord): void {
    this.#recent.delete(record.uid);
    this.#recent.set(record.uid, record);
    if (this.#recent.size > CACHED) this.#recent.delete(this.#recent.keys().next().value!);
  }
}

/** Whether a task makes the queue smaller, or must run before anything else can. */
function makesRoom({ type, work }: NewTask): boolean {
  if (work.kind === 'taskCancelation' || work.kind === 'taskDeletion') return work.tasks.length > 0;
  return type === 'upgradeDatabase';
}
