import type { ErrorBody } from '../../../bindings/error-table/table.js';
import type { BatchRecord } from '../../tasks/batch.js';
import type { Details, TaskRecord } from '../../tasks/task.js';
import { TASK_STATUSES, type TaskStatus } from '../../tasks/task-types.js';
import { ArchiveError } from '../archive.js';
import { readMoment, readOptionalMoment, writeMoment } from './dates.js';
import { type DumpDetails, readDetails, writeDetails } from './task-details.js';
import { type DumpKind, readKind, writeKind } from './task-kinds.js';

/** A line of `tasks/queue.jsonl`. */
export interface DumpTask {
  uid: number;
  batchUid?: number | null;
  indexUid?: string | null;
  status: TaskStatus;
  type: DumpKind;
  canceledBy?: number | null;
  details?: DumpDetails | null;
  error?: ErrorBody | null;
  enqueuedAt: string;
  startedAt?: string | null;
  finishedAt?: string | null;
  customMetadata?: string | null;
}

export function writeTask(task: TaskRecord): DumpTask {
  const { uid, batchUid, indexUid, status, canceledBy, error, customMetadata } = task;
  return {
    uid,
    batchUid,
    indexUid,
    status,
    type: writeKind(task),
    canceledBy,
    details: writeDetails(task),
    error,
    enqueuedAt: writeMoment(task.enqueuedAt)!,
    startedAt: writeMoment(task.startedAt),
    finishedAt: writeMoment(task.finishedAt),
    ...(customMetadata === undefined ? {} : { customMetadata }),
  };
}

/** @throws {ArchiveError} for an unknown kind of task */
export function readTask(line: DumpTask): TaskRecord {
  // A task that was running when the dump was made starts again.
  const waits = line.status === 'enqueued' || line.status === 'processing';
  const kind = readKind(line.type, waits);
  if (!kind) throw new ArchiveError(`task ${line.uid} is of the unknown type ${JSON.stringify(line.type).slice(0, 80)}`);
  const { customMetadata } = line;
  return {
    uid: line.uid,
    batchUid: waits ? null : (line.batchUid ?? null),
    indexUid: line.indexUid ?? null,
    status: line.status === 'processing' ? 'enqueued' : line.status,
    type: kind.type,
    canceledBy: line.canceledBy ?? null,
    details: readDetails(line.details),
    error: line.error ?? null,
    enqueuedAt: readMoment(line.enqueuedAt),
    startedAt: waits ? null : readOptionalMoment(line.startedAt),
    finishedAt: readOptionalMoment(line.finishedAt),
    ...(typeof customMetadata === 'string' ? { customMetadata } : {}),
    work: kind.work,
  };
}

/** A line of `batches/queue.jsonl`; `stopReason` is another name for the strategy. */
export interface DumpBatch {
  uid: number;
  details: Details;
  stats: Partial<BatchRecord['stats']>;
  startedAt: string;
  finishedAt?: string | null;
  batchStrategy?: string;
  stopReason?: string;
}

/** The strategy of batches in dumps that do not have it. */
const UNKNOWN_STRATEGY = 'unspecified';

export function writeBatch({ uid, details, stats, startedAt, finishedAt, batchStrategy }: BatchRecord): DumpBatch {
  return { uid, details, stats, startedAt: writeMoment(startedAt)!, finishedAt: writeMoment(finishedAt), batchStrategy };
}

export function readBatch(line: DumpBatch): BatchRecord {
  const { totalNbTasks = 0, status, types = {}, indexUids = {}, ...others } = line.stats;
  const counts = TASK_STATUSES.map((name) => [name, status?.[name] ?? 0]);
  return {
    uid: line.uid,
    details: line.details,
    stats: {
      totalNbTasks,
      status: Object.fromEntries(counts) as Record<TaskStatus, number>,
      types,
      indexUids,
      ...others,
    },
    startedAt: readMoment(line.startedAt),
    finishedAt: readOptionalMoment(line.finishedAt),
    batchStrategy: line.batchStrategy ?? line.stopReason ?? UNKNOWN_STRATEGY,
  };
}
