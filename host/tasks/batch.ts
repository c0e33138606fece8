import type { Moment } from './clock.js';
import { type BatchRecord, type BatchStats, type Details, TASK_STATUSES, type TaskRecord, type TaskStatus } from './types.js';

/** How the details of the tasks of a batch become those of the batch; a member that is not named keeps its first value. */
const ACCUMULATE: Record<string, (sum: never, value: never) => unknown> = {
  receivedDocuments: add,
  indexedDocuments: add,
  providedIds: add,
  deletedDocuments: add,
  editedDocuments: add,
  matchedTasks: add,
  canceledTasks: add,
  deletedTasks: add,
  originalFilter: (sum: string, value: string) => `${sum}&${value}`,
  swaps: (sum: unknown[], value: unknown[]) => [...sum, ...value],
  upgradeTo: (_sum: unknown, value: unknown) => value,
};

function add(sum: number, value: number): number {
  return sum + value;
}

export function accumulateDetails(tasks: TaskRecord[]): Details {
  const total: Details = {};
  for (const { type, details } of tasks) {
    for (const [name, value] of Object.entries(details ?? {})) {
      const sum = total[name];
      if (sum === undefined || sum === null) total[name] = value;
      else if (value === null && type !== 'settingsUpdate') continue;
      else if (type === 'settingsUpdate') total[name] = value;
      else total[name] = ACCUMULATE[name] ? ACCUMULATE[name](sum as never, value as never) : sum;
    }
  }
  return total;
}

/** Counts over the tasks of a batch; `status` overrules the stored one while the batch runs. */
function batchStats(tasks: TaskRecord[], status?: TaskStatus): BatchStats {
  const stats: BatchStats = {
    totalNbTasks: tasks.length,
    status: Object.fromEntries(TASK_STATUSES.map((name) => [name, 0])) as Record<TaskStatus, number>,
    types: {},
    indexUids: {},
  };
  for (const task of tasks) {
    stats.status[status ?? task.status]++;
    stats.types[task.type] = (stats.types[task.type] ?? 0) + 1;
    if (task.indexUid !== null) stats.indexUids[task.indexUid] = (stats.indexUids[task.indexUid] ?? 0) + 1;
  }
  return stats;
}

export interface BatchFacts {
  uid: number;
  startedAt: Moment;
  finishedAt: Moment | null;
  strategy: string;
}

/** The record of a batch of these tasks; `status` as for {@link batchStats}. */
export function batchRecord(facts: BatchFacts, tasks: TaskRecord[], status?: TaskStatus): BatchRecord {
  return {
    uid: facts.uid,
    details: accumulateDetails(tasks),
    stats: batchStats(tasks, status),
    startedAt: facts.startedAt,
    finishedAt: facts.finishedAt,
    batchStrategy: facts.strategy,
  };
}
