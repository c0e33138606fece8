import { formatDuration, formatMoment, type Moment } from '../time/moments.js';
import type { BatchRecord } from './batch.js';
import type { RunningBatches } from './batches/running.js';
import type { Details, TaskRecord } from './task.js';

const date = (moment: Moment | null) => (moment === null ? null : formatMoment(moment));

/** The answer to a write request. */
export function summaryOf({ uid, indexUid, type, enqueuedAt, customMetadata }: TaskRecord): Record<string, unknown> {
  return {
    taskUid: uid,
    indexUid,
    status: 'enqueued',
    type,
    enqueuedAt: formatMoment(enqueuedAt),
    ...(customMetadata === undefined ? {} : { customMetadata }),
  };
}

/** A task as routes show it, with the state of its running batch applied. */
export function taskView(task: TaskRecord, running?: RunningBatches): Record<string, unknown> {
  const live = running?.of(task.uid);
  const startedAt = live ? live.startedAt : task.startedAt;
  return {
    uid: task.uid,
    batchUid: live ? live.uid : task.batchUid,
    indexUid: task.indexUid,
    status: live ? 'processing' : task.status,
    type: task.type,
    canceledBy: task.canceledBy,
    ...(task.details === null ? {} : { details: task.details }),
    error: task.error,
    duration: formatDuration(startedAt, task.finishedAt),
    enqueuedAt: formatMoment(task.enqueuedAt),
    startedAt: date(startedAt),
    finishedAt: date(task.finishedAt),
    ...(task.customMetadata === undefined ? {} : { customMetadata: task.customMetadata }),
  };
}

/** A batch as routes show it: null members of `details` are only shown while it runs. */
export function batchView(batch: BatchRecord, running: RunningBatches): Record<string, unknown> {
  const live = running.get(batch.uid);
  return {
    uid: batch.uid,
    progress: live ? live.progress() : null,
    details: live ? batch.details : withoutNulls(batch.details),
    stats: batch.stats,
    duration: formatDuration(batch.startedAt, batch.finishedAt),
    startedAt: date(batch.startedAt),
    finishedAt: date(batch.finishedAt),
    batchStrategy: batch.batchStrategy,
  };
}

function withoutNulls(details: Details): Details {
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== null));
}
