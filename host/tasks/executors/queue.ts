import { inRanges } from '../ranges.js';
import type { TaskRecord } from '../task.js';
import { failedUpgrades, rollBack } from '../upgrade.js';
import { canceled, type Execution, type Outcome, succeeded } from './outcome.js';

/** Cancels the tasks of the set that have not ended. A running batch among them has already been stopped. */
export async function executeTaskCancelation([task]: TaskRecord[], { queue, progress, database }: Execution): Promise<Outcome> {
  if (task!.work?.kind !== 'taskCancelation') throw new Error(`task ${task!.uid} cancels nothing`);
  const { tasks: set } = task!.work;
  progress.enter(1, 'retrieving tasks', 0, 2);
  const isMeant = (uid: number) => uid !== task!.uid && inRanges(set, uid);
  const failed = await failedUpgrades(queue, isMeant);
  const waiting = [...failed, ...(await queue.records([...queue.pending].filter(isMeant)))];
  const upgrades = waiting.filter(({ type }) => type === 'upgradeDatabase');
  if (upgrades.length > 0) {
    progress.enter(1, 'canceling upgrade', 1, 2);
    await rollBack(database, upgrades);
  }
  progress.enter(1, 'updating tasks', 1, 2);
  return {
    ended: [...waiting.map((other) => canceled(other, task!.uid)), succeeded(task!, { canceledTasks: waiting.length })],
    drafts: [],
  };
}

/** Deletes the ended tasks of the sets, and batches without any remaining task. A task in several sets counts for the first. */
export async function executeTaskDeletion(tasks: TaskRecord[], { queue, progress }: Execution): Promise<Outcome> {
  progress.enter(1, 'retrieving tasks', 0, 2);
  const removed = new Set<number>();
  const ended = tasks.map((task) => {
    if (task.work?.kind !== 'taskDeletion') throw new Error(`task ${task.uid} deletes no tasks`);
    const before = removed.size;
    for (const [from, to] of task.work.tasks) {
      for (let uid = from; uid <= to; uid++) if (queue.table.get(uid) && !queue.pending.has(uid)) removed.add(uid);
    }
    return succeeded(task, { deletedTasks: removed.size - before });
  });
  progress.enter(1, 'deleting tasks', 1, 2);
  const emptied = new Set<number>();
  for (const uid of removed) emptied.add(queue.table.get(uid)!.batchUid);
  queue.table.scan((row) => {
    if (!removed.has(row.uid)) emptied.delete(row.batchUid);
  });
  const removedBatches = queue.batches.filter((uid) => emptied.has(uid));
  return { ended, drafts: [], removedTasks: [...removed], removedBatches };
}
