import { writeVersion } from '../storage/version-file.js';
import { VERSION } from '../version.js';
import type { TaskQueue } from './queue/queue.js';
import type { TaskRecord, TaskWork } from './task.js';

const WORK: TaskWork = { kind: 'upgradeDatabase' };
const shown = (version: string) => `v${version}`;

/** Uids of the upgrades that have not succeeded. */
function unfinished(queue: TaskQueue, alsoFailed = true): number[] {
  const uids: number[] = [];
  queue.table.scan(({ type, status, uid }) => {
    if (type === 'upgradeDatabase' && (status === 'enqueued' || (alsoFailed && status === 'failed'))) uids.push(uid);
  });
  return uids;
}

/**
 * At a launch: retries failed upgrades. A database of an older version gets an upgrade task and then the version mark of this
 * server, in this order, so that a crash between them starts again.
 * @param from the older version, or null
 */
export async function prepareUpgrade(queue: TaskQueue, database: string, from: string | null): Promise<void> {
  const uids = unfinished(queue);
  const waiting = await queue.records(uids);
  await queue.retry(
    waiting.filter(({ status }) => status === 'failed'),
    WORK,
  );
  if (from === null) return;
  if (!waiting.some(({ details }) => details?.upgradeTo === shown(VERSION))) {
    await queue.register({
      type: 'upgradeDatabase',
      indexUid: null,
      details: { upgradeFrom: shown(from), upgradeTo: shown(VERSION) },
      work: WORK,
    });
  }
  await writeVersion(database, VERSION);
}

/** Whether an upgrade is waiting. */
export function upgradeWaits(queue: TaskQueue): boolean {
  return unfinished(queue, false).length > 0;
}

/** The failed upgrades among some tasks: unlike other ended tasks they can be canceled, because they are retried. */
export function failedUpgrades(queue: TaskQueue, isMeant: (uid: number) => boolean): Promise<TaskRecord[]> {
  return queue.records(unfinished(queue).filter((uid) => !queue.pending.has(uid) && isMeant(uid)));
}

/** Restores the version mark from before an upgrade, which changes nothing else until it has succeeded. */
export async function rollBack(database: string, upgrades: readonly TaskRecord[]): Promise<void> {
  const [first] = upgrades;
  if (first) await writeVersion(database, String(first.details?.upgradeFrom).replace(/^v/, ''));
}
