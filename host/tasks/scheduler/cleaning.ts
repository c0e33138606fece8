import { formatMoment } from '../../time/moments.js';
import type { TaskQueue } from '../queue/queue.js';
import { toRanges } from '../ranges.js';

/** Number of tasks in the queue above which the oldest ended tasks are deleted. */
const FULL = 1_000_000;
/** Tasks deleted at once. */
const REMOVED = 100_000;

/** Registers the deletion of the oldest ended tasks when the queue is full. */
export async function removeOldTasks(queue: TaskQueue): Promise<void> {
  if (queue.table.count < FULL || [...queue.urgent].some((uid) => queue.table.get(uid)?.type === 'taskDeletion')) return;
  const uids: number[] = [];
  let newest = 0;
  queue.table.scan((row) => {
    if (queue.pending.has(row.uid)) return;
    uids.push(row.uid);
    newest = Math.max(newest, row.enqueuedAt);
    return uids.length < REMOVED;
  });
  if (uids.length < 2) return;
  const originalFilter = `?beforeEnqueuedAt=${formatMoment(newest + 1)}&statuses=succeeded,failed,canceled`;
  await queue.register({
    type: 'taskDeletion',
    indexUid: null,
    details: { matchedTasks: uids.length, deletedTasks: null, originalFilter },
    work: { kind: 'taskDeletion', tasks: toRanges(uids) },
  });
}
