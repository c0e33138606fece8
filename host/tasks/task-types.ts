interface TaskTypeFacts {
  /** Concerns the whole service: index filters and keys limited to some indexes exclude it. */
  isGlobal?: true;
  /** Runs before every task that changes an index. */
  isUrgent?: true;
}

/** In the order in which messages list them. */
const TYPES = {
  documentAdditionOrUpdate: {},
  documentEdition: {},
  documentDeletion: {},
  settingsUpdate: {},
  indexCreation: {},
  indexDeletion: {},
  indexUpdate: {},
  indexSwap: { isGlobal: true },
  taskCancelation: { isGlobal: true, isUrgent: true },
  taskDeletion: { isGlobal: true, isUrgent: true },
  dumpCreation: { isGlobal: true, isUrgent: true },
  snapshotCreation: { isGlobal: true, isUrgent: true },
  export: { isGlobal: true, isUrgent: true },
  upgradeDatabase: { isGlobal: true, isUrgent: true },
  indexCompaction: { isUrgent: true },
  networkTopologyChange: { isGlobal: true },
  dsrUpdate: {},
  dsrClear: {},
} satisfies Record<string, TaskTypeFacts>;

export type TaskType = keyof typeof TYPES;

export const TASK_TYPES = Object.keys(TYPES) as readonly TaskType[];
export const GLOBAL_TYPES = typesWhere(({ isGlobal }) => isGlobal === true);
export const URGENT_TYPES = typesWhere(({ isUrgent }) => isUrgent === true);

function typesWhere(holds: (facts: TaskTypeFacts) => boolean): ReadonlySet<TaskType> {
  return new Set(TASK_TYPES.filter((type) => holds(TYPES[type])));
}

export const TASK_STATUSES = ['enqueued', 'processing', 'succeeded', 'failed', 'canceled'] as const;

export type TaskStatus = (typeof TASK_STATUSES)[number];
