import { DoubtfulWrite } from '../../storage/errors.js';
import type { Ledger, LedgerWrite } from '../../storage/ledger/ledger.js';
import type { TaskRecord } from '../task.js';
import { putPayload } from './payloads.js';
import { type NewTask, newRecord, putTask } from './records.js';

interface Registration {
  task: NewTask;
  resolve(record: TaskRecord): void;
  reject(error: unknown): void;
}

/** A task whose registration is durable, and the bytes of its ledger entry. */
export interface StoredTask {
  record: TaskRecord;
  bytes: number;
}

/** Stores new tasks by group commit: registrations that arrive during a synced write share the next one. */
export class Registrations {
  #waiting: Registration[] = [];
  #writing = false;
  /** Deletions of tasks that were refused but may be in the ledger nevertheless. */
  #doubtful: LedgerWrite[] = [];

  /**
   * @param nextUid the uid of the next task
   * @param onStored called with the tasks of a write when they are durable, before anything that awaits their registration runs
   */
  constructor(
    private readonly ledger: Ledger,
    private readonly nextUid: () => number,
    private readonly onStored: (tasks: readonly StoredTask[]) => void,
  ) {}

  /** Resolves when the task is on disk. */
  add(task: NewTask): Promise<TaskRecord> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, resolve, reject });
      if (!this.#writing) this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const entries = this.#waiting;
      this.#waiting = [];
      await this.#store(entries);
    }
    this.#writing = false;
  }

  async #store(entries: Registration[]): Promise<void> {
    const stored: { record: TaskRecord; put: LedgerWrite; entry: Registration }[] = [];
    const payloads: LedgerWrite[] = [];
    for (const entry of entries) {
      const record = newRecord(entry.task, this.nextUid() + stored.length);
      try {
        stored.push({ record, put: putTask(record), entry });
      } catch (error) {
        // A task that cannot be encoded must not block the others.
        entry.reject(error);
        continue;
      }
      if (entry.task.payload) payloads.push(putPayload(record.uid, entry.task.payload));
    }
    const writes = [...stored.map(({ put }) => put), ...payloads];
    try {
      await this.ledger.write([...this.#doubtful, ...writes], true);
    } catch (error) {
      if (error instanceof DoubtfulWrite) this.#doubtful.push(...writes.map(({ key }) => ({ type: 'del' as const, key })));
      for (const { entry } of stored) entry.reject(error);
      return;
    }
    this.#doubtful = [];
    for (const { record, entry } of stored) entry.resolve(record);
    this.onStored(stored.map(({ record, put }) => ({ record, bytes: put.value!.length })));
  }
}
