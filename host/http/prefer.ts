import type { FastifyReply } from 'fastify';
import type { TaskQueue } from '../tasks/queue/queue.js';
import type { TaskRecord } from '../tasks/task.js';

const MAX_WAIT_SECONDS = 60;

/** Seconds in the header `Prefer: wait=…` (RFC 7240), at most 60; null without it. */
export function preferredWait(header: string | string[] | undefined): number | null {
  for (const preference of [header ?? []].flat().join(',').split(',')) {
    const [name, value] = preference.split(';')[0]!.split('=');
    if (name!.trim().toLowerCase() !== 'wait') continue;
    // If a preference is given twice the first one counts.
    const [, seconds] = /^\s*("?)(\d+)\1\s*$/.exec(value ?? '')?.slice(1) ?? [];
    return seconds === undefined ? null : Math.min(Number(seconds), MAX_WAIT_SECONDS);
  }
  return null;
}

/**
 * The task, once it has ended within the time that the client prefers to wait; null otherwise. The answer then carries
 * `Preference-Applied`.
 */
export async function awaited(queue: TaskQueue, reply: FastifyReply, uid: number): Promise<TaskRecord | null> {
  const seconds = preferredWait(reply.request.headers.prefer);
  if (seconds === null) return null;
  const gone = new AbortController();
  const leave = () => gone.abort();
  reply.raw.once('close', leave);
  const task = await queue.ended(uid, seconds * 1000, gone.signal);
  reply.raw.off('close', leave);
  if (task) reply.header('preference-applied', 'wait');
  return task;
}
