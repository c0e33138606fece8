import { own } from '../../../bindings/own.js';
import type { Moment } from '../../time/moments.js';
import type { BatchRecord, BatchStats } from '../batch.js';
import type { Details, TaskRecord } from '../task.js';
import { TASK_STATUSES, type TaskStatus } from '../task-types.js';

/** How details of tasks are combined into those of their batch; an unlisted member keeps its first value. */
const ACCUMULATE: Record<string, (sum: never, value: never) => unknown> = {
  receivedDocuments: add,
  indexedDocuments: add,
  providedIds: add,
  deletedDocuments: add,
  editedDocuments: add,
  matchedTasks: add,
  canceledTasks: add,
  deletedTasks: add,
  updatedRules: add,
  originalFilter: (sum: string, value: string) => `${sum}&${value}`,
  swaps: (sum: unknown[], value: unknown[]) => [...sum, ...value],
  upgradeTo: (_sum: unknown, value: unknown) => value,
};

function add(sum: number, value: number): number {
  return sum + value;
}

export function accumulateDetails(tasks: TaskRecord[]): Details {
  const total = new Map<string, unknown>();
  for (const { type, details } of tasks) {
    for (const [name, value] of Object.entries(details ?? {})) {
      const sum = total.get(name);
      const accumulate = own(ACCUMULATE, name);
      if (sum === undefined || sum === null || type === 'settingsUpdate') total.set(name, value);
      else if (value !== null && accumulate) total.set(name, accumulate(sum as never, value as never));
    }
  }
  return Object.fromEntries(total);
}

/** Counts over the tasks of a batch; while the batch runs `status` replaces the stored one. */
function batchStats(tasks: TaskRecord[], status?: TaskStatus): BatchStats {
  return {
    totalNbTasks: tasks.length,
    status: { ...NO_STATUSES, ...counts(tasks.map((task) => status ?? task.status)) },
    types: counts(tasks.map(({ type }) => type)),
    indexUids: counts(tasks.flatMap(({ indexUid }) => indexUid ?? [])),
  };
}

const NO_STATUSES = Object.fromEntries(TASK_STATUSES.map((name) => [name, 0])) as Record<TaskStatus, number>;

/** The number of occurrences of each name, in the order of first appearance. */
function counts(names: readonly string[]): Record<string, number> {
  const total = new Map<string, number>();
  for (const name of names) total.set(name, (total.get(name) ?? 0) + 1);
  return Object.fromEntries(total);
}

export interface BatchFacts {
  uid: number;
  startedAt: Moment;
  finishedAt: Moment | null;
  strategy: string;
}

/** The record of a batch with these tasks; `status` as for {@link batchStats}. */
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
