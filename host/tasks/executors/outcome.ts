import { type ErrorBody, errorBody } from '../../../bindings/error-table/table.js';
import { ApiError, apiError } from '../../../bindings/errors.js';
import type { IndexSettings } from '../../../bindings/index-types.js';
import type { TextEmbedder } from '../../index/changes/embedding.js';
import type { Draft } from '../../index/draft.js';
import type { IndexStore } from '../../index/index-store.js';
import type { Progress } from '../../index/progress.js';
import type { Moment } from '../../time/moments.js';
import type { BatchProgress } from '../batches/progress.js';
import type { TaskPayloads } from '../queue/payloads.js';
import type { TaskQueue } from '../queue/queue.js';
import type { Details, TaskRecord } from '../task.js';
import type { TaskType } from '../task-types.js';

/** Runs the tasks of a batch. */
export type Executor = (tasks: TaskRecord[], execution: Execution) => Promise<Outcome>;

/** The environment of executors. */
export interface Execution {
  queue: TaskQueue;
  indexStore: IndexStore;
  payloads: TaskPayloads;
  /** Folder of the database. */
  database: string;
  progress: BatchProgress;
  startedAt: Moment;
  /** A callback that reports progress at this depth, and throws when the batch is to stop. */
  report(depth: number): Progress;
  /** The same for jobs of the index store: their steps at this depth, their document counts below it. */
  reportJob(depth: number): Progress;
  /** Reports progress. */
  embedder: TextEmbedder;
  /** The settings, completed with the dimensions that only models know: see {@link Embedders.settled}. */
  settledEmbedders(settings: IndexSettings, stored: IndexSettings): Promise<IndexSettings>;
  /** Aborted when the batch is to stop. */
  signal: AbortSignal;
  /** The present date for index records, RFC 3339. */
  date(): string;
  /** Commits a part of the batch before the rest (a created index, a clear before new settings), unless the batch is to stop. */
  commit(drafts: Draft[]): Promise<void>;
}

export interface EndedTask {
  task: TaskRecord;
  status: 'succeeded' | 'failed' | 'canceled';
  details: Details | null;
  error: ErrorBody | null;
  canceledBy?: number;
}

export interface Outcome {
  ended: EndedTask[];
  drafts: Draft[];
  names?: [from: string, to: string][];
  removedTasks?: number[];
  removedBatches?: number[];
}

/** Counters that are 0 when the task failed before its work. */
const FAILED_DETAILS: Partial<Record<TaskType, Details>> = {
  documentAdditionOrUpdate: { indexedDocuments: 0 },
  documentDeletion: { deletedDocuments: 0 },
  documentEdition: { editedDocuments: 0 },
  indexDeletion: { deletedDocuments: 0 },
  taskCancelation: { canceledTasks: 0 },
  taskDeletion: { deletedTasks: 0 },
  dsrClear: { deletedDocuments: 0 },
};

export function succeeded(task: TaskRecord, details?: Details): EndedTask {
  return { task, status: 'succeeded', details: details ? { ...task.details, ...details } : task.details, error: null };
}

export function failed(task: TaskRecord, error: unknown): EndedTask {
  return { task, status: 'failed', details: failedDetails(task), error: taskError(error) };
}

export function canceled(task: TaskRecord, by: number): EndedTask {
  return { task, status: 'canceled', details: failedDetails(task), error: null, canceledBy: by };
}

function failedDetails({ type, details }: TaskRecord): Details | null {
  return details && { ...details, ...FAILED_DETAILS[type] };
}

function taskError(error: unknown): ErrorBody {
  if (error instanceof ApiError) return errorBody(error.code, error.message);
  return errorBody('internal', error instanceof Error ? error.message : String(error));
}

export function indexNotFound(uid: string): ApiError {
  return apiError('index_not_found', 'notFound', { uid });
}

/** Fails all tasks because their index does not exist. */
export function missingIndex(tasks: TaskRecord[], uid: string): Outcome {
  return { ended: tasks.map((task) => failed(task, indexNotFound(uid))), drafts: [] };
}

/** Makes sure that the index of a batch exists: false when it does not and the first task may not create it. */
export async function ensureIndex(uid: string, tasks: TaskRecord[], execution: Execution): Promise<boolean> {
  if (execution.indexStore.indexes.has(uid)) return true;
  const work = tasks[0]!.work!;
  if (!('createsIndex' in work) || !work.createsIndex) return false;
  await execution.commit([execution.indexStore.createIndex(uid, null, execution.date())]);
  return true;
}
