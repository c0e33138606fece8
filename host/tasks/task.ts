import type { ErrorBody } from '../../bindings/error-table/table.js';
import type { KeyRecord } from '../auth/key-record.js';
import type { Edition } from '../index/document-operations.js';
import type { RuleChange } from '../rules/members.js';
import type { Moment } from '../time/moments.js';
import type { TaskStatus, TaskType } from './task-types.js';

export type Details = Record<string, unknown>;

export interface Swap {
  indexes: [string, string];
  rename: boolean;
}

/** A pattern of index names in an export, and its options. */
export interface ExportedPattern {
  /** JSON as in the member `filter` of a search; null: all documents. */
  filter: unknown;
  overrideSettings: boolean;
}

/** The input of a task's executor; dropped when the task has ended. */
export type TaskWork =
  | {
      kind: 'import';
      method: 'replace' | 'update';
      primaryKey: string | null;
      skipCreation: boolean;
      createsIndex: boolean;
      /** Payload file; null: the payload is in the ledger. */
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
  /** The keys at the time of the request. */
  | { kind: 'dumpCreation'; keys: KeyRecord[]; instanceUid: string | null }
  | { kind: 'snapshotCreation' }
  | { kind: 'upgradeDatabase' }
  | { kind: 'ruleUpdate'; rule: string; change: RuleChange }
  | { kind: 'ruleDeletion'; rule: string }
  | { kind: 'rulesClear' }
  | { kind: 'export'; url: string; apiKey: string | null; payloadSize: number | null; indexes: Record<string, ExportedPattern> };

/** A task in the ledger. `processing` is never stored: it is the status of an `enqueued` task in a running batch. */
export interface TaskRecord {
  uid: number;
  batchUid: number | null;
  /** Later swaps and renames are applied when the record is read. */
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
  /** Set when the names in the record include the swap or rename of task `since`; `indexes`: see {@link linkedIndexes}. */
  named?: { since: number; indexes?: string[] };
}

/** The indexes of a swap or rename, as in its record; null for tasks of at most one index. */
export function linkedIndexes({ type, indexUid, details }: TaskRecord): string[] | null {
  if (type === 'indexSwap') return (details!.swaps as Swap[]).flatMap(({ indexes }) => indexes);
  if (type === 'indexUpdate' && typeof details?.newIndexUid === 'string') return [indexUid!, details.newIndexUid];
  return null;
}
