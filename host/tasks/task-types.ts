/** In the order in which messages list them. */
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

/** Types that concern the whole service: index filters and keys limited to some indexes exclude them. */
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
