import type { FastifyBaseLogger } from 'fastify';
import type { TaskQueue } from '../tasks/queue/queue.js';
import type { NewTask } from '../tasks/queue/records.js';

export const SNAPSHOT_TASK: NewTask = {
  type: 'snapshotCreation',
  indexUid: null,
  details: null,
  work: { kind: 'snapshotCreation' },
};

/** Enqueues a snapshot after each interval; the returned function stops that. */
export function scheduleSnapshots(seconds: number | null, queue: TaskQueue, log: FastifyBaseLogger): () => void {
  if (seconds === null) return () => {};
  const timer = setInterval(() => {
    queue.register(SNAPSHOT_TASK).catch((error) => log.error({ err: error }, 'a snapshot could not be asked for'));
  }, seconds * 1000);
  timer.unref();
  return () => clearInterval(timer);
}
