import type { ErrorBody } from '../../bindings/error-table/table.js';
import type { KeyRecord } from '../auth/keys.js';
import type { Edition } from '../index/types.js';
import type { RuleChange } from '../rules/members.js';
import type { Moment } from './clock.js';

/** In the order in which lists of accepted values name them. */
export const TASK_TYPES = [
  'documentAdditionOrUpdate',
  'documentEdition',
  'documentDeletion',
  'settingsUpdate',
  'indexCreation',
  'indexDeletion',
  'indexUpdate',
  'indexSwap',
  'taskCancelation',
  'taskDeletion',
  'dumpCreation',
  'snapshotCreation',
  'export',
  'upgradeDatabase',
  'indexCompaction',
  'networkTopologyChange',
  'dsrUpdate',
  'dsrClear',
] as const;

export const TASK_STATUSES = ['enqueued', 'processing', 'succeeded', 'failed', 'canceled'] as const;

export type TaskType = (typeof TASK_TYPES)[number];
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** Types that concern the service as a whole: neither a filter on indexes nor a key limited to some reaches them. */
export const GLOBAL_TYPES: ReadonlySet<TaskType> = new Set([
  'indexSwap',
  'taskCancelation',
  'taskDeletion',
  'dumpCreation',
  'snapshotCreation',
  'export',
  'upgradeDatabase',
  'networkTopologyChange',
]);

/** Types that run before every task that changes an index. */
export const URGENT_TYPES: ReadonlySet<TaskType> = new Set([
  'taskCancelation',
  'upgradeDatabase',
  'taskDeletion',
  'indexCompaction',
  'export',
  'snapshotCreation',
  'dumpCreation',
]);

export type Details = Record<string, unknown>;

export interface Swap {
  indexes: [string, string];
  rename: boolean;
}

/** Indexes whose name a pattern matches, and how they are exported. */
export interface ExportedPattern {
  /** JSON as in the member `filter` of a search; null: all documents. */
  filter: unknown;
  overrideSettings: boolean;
}

/** What a task does, for its executor; dropped when the task has ended. */
export type TaskWork =
  | {
      kind: 'import';
      method: 'replace' | 'update';
      primaryKey: string | null;
      skipCreation: boolean;
      createsIndex: boolean;
      /** Of the payload; null: it stands in the ledger. */
      file: string | null;
      bytes: number;
    }
  | { kind: 'deleteByIds'; ids: string[] }
  | { kind: 'deleteByFilter'; filter: unknown }
  | { kind: 'edition'; edition: Edition }
  | { kind: 'clear' }
  | { kind: 'settings'; patch: Record<string, unknown>; createsIndex: boolean }
  | { kind: 'indexCreation'; primaryKey: string | null }
  | { kind: 'indexUpdate'; primaryKey: string | null; newUid: string | null }
  | { kind: 'indexDeletion' }
  | { kind: 'indexSwap'; swaps: Swap[] }
  | { kind: 'taskCancelation'; tasks: [from: number, to: number][] }
  | { kind: 'taskDeletion'; tasks: [from: number, to: number][] }
  | { kind: 'indexCompaction' }
  /** The keys as they were when the dump was asked for. */
  | { kind: 'dumpCreation'; keys: KeyRecord[]; instanceUid: string | null }
  | { kind: 'snapshotCreation' }
  | { kind: 'upgradeDatabase' }
  | { kind: 'ruleUpdate'; rule: string; change: RuleChange }
  | { kind: 'ruleDeletion'; rule: string }
  | { kind: 'rulesClear' }
  | { kind: 'export'; url: string; apiKey: string | null; payloadSize: number | null; indexes: Record<string, ExportedPattern> };

/** A task as the ledger keeps it. `processing` is never stored: it is what the scheduler says of a task still `enqueued`. */
export interface TaskRecord {
  uid: number;
  batchUid: number | null;
  /** Swaps and renames that came later are laid over it when it is read. */
  indexUid: string | null;
  status: Exclude<TaskStatus, 'processing'>;
  type: TaskType;
  canceledBy: number | null;
  details: Details | null;
  error: ErrorBody | null;
  enqueuedAt: Moment;
  startedAt: Moment | null;
  finishedAt: Moment | null;
  customMetadata?: string;
  work: TaskWork | null;
  /** Set when the names in the record are those after the swap or rename of task `since`; `indexes`: of {@link linkedIndexes}. */
  named?: { since: number; indexes?: string[] };
}

/** The indexes of a swap or a rename, as its record has them; null for a task of one index or none. */
export function linkedIndexes({ type, indexUid, details }: TaskRecord): string[] | null {
  if (type === 'indexSwap') return (details!.swaps as Swap[]).flatMap(({ indexes }) => indexes);
  if (type === 'indexUpdate' && typeof details?.newIndexUid === 'string') return [indexUid!, details.newIndexUid];
  return null;
}

/** A batch as the ledger keeps it. */
export interface BatchRecord {
  uid: number;
  details: Details;
  stats: BatchStats;
  startedAt: Moment;
  finishedAt: Moment | null;
  batchStrategy: string;
}

/** Requests to models that embed documents. */
export interface EmbedderRequests {
  total: number;
  failed: number;
  lastError?: string;
}

export interface BatchStats {
  totalNbTasks: number;
  status: Record<TaskStatus, number>;
  types: Record<string, number>;
  indexUids: Record<string, number>;
  /** Left out when none was made. */
  embedderRequests?: EmbedderRequests;
  progressTrace?: Record<string, string>;
  writeChannelCongestion?: { attempts: number; blocking_attempts: number; blocking_ratio: number };
  internalDatabaseSizes?: Record<string, string>;
}
