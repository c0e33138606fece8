import type { BatchState } from '../batches/autobatch.js';
import type { TaskType } from '../task-types.js';
import { executeClear, executeDocuments } from './documents.js';
import { executeEdition } from './edition.js';
import { executeIndexCompaction, executeIndexCreation, executeIndexDeletion, executeIndexUpdate } from './indexes.js';
import type { Executor } from './outcome.js';
import { executeTaskCancelation, executeTaskDeletion } from './queue.js';
import { executeClearAndSettings, executeSettings } from './settings.js';
import { executeIndexSwap } from './swap.js';
import { executeUpgrade } from './upgrade.js';

/** Executors of batches that can have several tasks, by the state in which autobatching left them. */
const BY_STATE: Record<Exclude<BatchState, 'alone'>, Executor> = {
  documents: executeDocuments,
  deletions: executeDocuments,
  deletionsByFilter: executeDocuments,
  clear: executeClear,
  settings: executeSettings,
  clearAndSettings: executeClearAndSettings,
  indexDeletion: executeIndexDeletion,
};

/** Executors of the other types of tasks; those that need more than the queue and the index store are added at the start. */
const BY_TYPE: Partial<Record<TaskType, Executor>> = {
  documentEdition: executeEdition,
  indexCreation: executeIndexCreation,
  indexUpdate: executeIndexUpdate,
  indexSwap: executeIndexSwap,
  indexCompaction: executeIndexCompaction,
  taskCancelation: executeTaskCancelation,
  taskDeletion: executeTaskDeletion,
  upgradeDatabase: executeUpgrade,
};

/** States of batches that write documents or settings. */
export const WRITING_STATES: ReadonlySet<BatchState> = new Set([
  'documents',
  'deletions',
  'deletionsByFilter',
  'clear',
  'settings',
  'clearAndSettings',
]);

/** The executor of a batch. @param others executors by type that are not in the tables above */
export function executorOf(type: TaskType, state: BatchState, others: Partial<Record<TaskType, Executor>>): Executor {
  const execute = state === 'alone' ? (BY_TYPE[type] ?? others[type]) : BY_STATE[state];
  if (!execute) throw new Error(`tasks of type ${type} cannot be run`);
  return execute;
}
