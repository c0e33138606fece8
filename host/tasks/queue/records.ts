import type { LedgerWrite } from '../../storage/ledger/ledger.js';
import { now } from '../../time/moments.js';
import type { BatchRecord } from '../batch.js';
import type { Details, TaskRecord, TaskWork } from '../task.js';
import type { TaskType } from '../task-types.js';

/** A task as routes submit it; the queue adds the uid and the date. */
export interface NewTask {
  type: TaskType;
  indexUid: string | null;
  details: Details | null;
  work: TaskWork;
  customMetadata?: string | undefined;
  /** Bytes to store in the ledger until the task ends. */
  payload?: Uint8Array | null;
}

/** Tasks and batches in the ledger: a JSON record under a key that sorts by uid. */
export const TASK_PREFIX = 'task/';
export const BATCH_PREFIX = 'batch/';

export const taskKey = (uid: number) => `${TASK_PREFIX}${String(uid).padStart(10, '0')}`;
export const batchKey = (uid: number) => `${BATCH_PREFIX}${String(uid).padStart(10, '0')}`;

/** The write of a JSON record. */
export function put(key: string, value: unknown): LedgerWrite {
  return { type: 'put', key, value: Buffer.from(JSON.stringify(value)) };
}

export const putTask = (record: TaskRecord) => put(taskKey(record.uid), record);
export const putBatch = (record: BatchRecord) => put(batchKey(record.uid), record);

/** The record of a task at its registration. */
export function newRecord({ type, indexUid, details, work, customMetadata }: NewTask, uid: number): TaskRecord {
  return {
    uid,
    batchUid: null,
    indexUid,
    status: 'enqueued',
    type,
    canceledBy: null,
    details,
    error: null,
    enqueuedAt: now(),
    startedAt: null,
    finishedAt: null,
    ...(customMetadata === undefined ? {} : { customMetadata }),
    work,
  };
}
