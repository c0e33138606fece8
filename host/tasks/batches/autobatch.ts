import type { TaskRecord } from '../task.js';

/**
 * Decides which tasks of an index run in one batch, as a state machine that consumes one task at a time. The table gives the next
 * state for each kind of task, or the reason why the batch ends before it.
 */
export type BatchState =
  | 'documents'
  | 'deletions'
  | 'deletionsByFilter'
  | 'clear'
  | 'settings'
  | 'clearAndSettings'
  | 'indexDeletion'
  | 'alone';

type Kind = 'import' | 'delete' | 'deleteByFilter' | 'clear' | 'settings' | 'indexDeletion';

type Reason = (task: TaskRecord) => string;

const becauseSettings: Reason = ({ uid }) =>
  `stopped before task ${uid}, which changes settings, because settings are not batched with operations on documents`;
const becauseDocuments: Reason = ({ uid }) =>
  `stopped before task ${uid}, which changes documents, because documents are not batched with changes of settings`;
const becauseFilter: Reason = ({ uid }) =>
  `stopped before task ${uid}, which deletes by filter, because it must see the documents that the batch adds`;
const becauseCreation: Reason = ({ uid }) =>
  `stopped before task ${uid} because it may create the index and the tasks of the batch may not`;

const TABLE: Partial<Record<BatchState, Record<Kind, BatchState | Reason>>> = {
  documents: {
    import: 'documents',
    delete: 'documents',
    deleteByFilter: becauseFilter,
    clear: 'clear',
    settings: becauseSettings,
    indexDeletion: 'indexDeletion',
  },
  deletions: {
    import: 'documents',
    delete: 'deletions',
    deleteByFilter: 'deletionsByFilter',
    clear: 'clear',
    settings: becauseSettings,
    indexDeletion: 'indexDeletion',
  },
  deletionsByFilter: {
    import: 'documents',
    delete: 'deletionsByFilter',
    deleteByFilter: 'deletionsByFilter',
    clear: 'clear',
    settings: becauseSettings,
    indexDeletion: 'indexDeletion',
  },
  clear: {
    import: becauseSettings,
    delete: 'clear',
    deleteByFilter: 'clear',
    clear: 'clear',
    settings: becauseSettings,
    indexDeletion: 'indexDeletion',
  },
  settings: {
    import: becauseDocuments,
    delete: becauseDocuments,
    deleteByFilter: becauseDocuments,
    clear: 'clearAndSettings',
    settings: 'settings',
    indexDeletion: 'indexDeletion',
  },
  clearAndSettings: {
    import: becauseDocuments,
    delete: 'clearAndSettings',
    deleteByFilter: 'clearAndSettings',
    clear: 'clearAndSettings',
    settings: 'clearAndSettings',
    indexDeletion: 'indexDeletion',
  },
};

const FIRST: Record<Exclude<Kind, 'indexDeletion'>, BatchState> = {
  import: 'documents',
  delete: 'deletions',
  deleteByFilter: 'deletionsByFilter',
  clear: 'clear',
  settings: 'settings',
};

const KINDS: Partial<Record<NonNullable<TaskRecord['work']>['kind'], Kind>> = {
  import: 'import',
  deleteByIds: 'delete',
  deleteByFilter: 'deleteByFilter',
  clear: 'clear',
  settings: 'settings',
  indexDeletion: 'indexDeletion',
};

export interface IndexFacts {
  exists: boolean;
  primaryKey: string | null;
}

export interface Limits {
  tasks: number;
  /** Total size of the payloads in bytes. */
  bytes: number;
  /** Documents and ids in the tasks: each takes memory while the batch runs. */
  documents: number;
}

export interface Autobatch {
  state: BatchState;
  tasks: TaskRecord[];
  /** Why no further task was added; null: there was none. */
  reason: string | null;
}

export function aloneReason({ uid, type }: Pick<TaskRecord, 'uid' | 'type'>): string {
  return `created batch containing only task with id ${uid} of type \`${type}\` that cannot be batched with any other task.`;
}

/**
 * Forms a batch from the enqueued tasks of an index, given by ascending uid after `first`, which is always in it. Reads no more
 * tasks than necessary.
 */
export async function autobatch(
  first: TaskRecord,
  others: AsyncIterable<TaskRecord>,
  index: IndexFacts,
  limits: Limits,
): Promise<Autobatch> {
  const kind = kindOf(first);
  if (!kind) return { state: 'alone', tasks: [first], reason: aloneReason(first) };
  const asked = keyOf(first);
  if (kind === 'indexDeletion') return { state: 'indexDeletion', tasks: [first], reason: deletionReason(first) };
  if (index.primaryKey !== null && asked !== null && asked !== index.primaryKey)
    return { state: 'documents', tasks: [first], reason: otherKeyReason(first, asked, index.primaryKey) };

  const batch: Autobatch = { state: FIRST[kind], tasks: [first], reason: null };
  const exists = index.exists || createsIndex(first);
  let bytes = bytesOf(first);
  let documents = documentsOf(first);
  for await (const task of others) {
    const step = next(batch, task, { ...index, exists });
    if ('reason' in step) return { ...batch, reason: step.reason };
    if (batch.tasks.length >= limits.tasks)
      return { ...batch, reason: `stopped at the limit of ${limits.tasks} tasks in a batch` };
    bytes += bytesOf(task);
    if (bytes > limits.bytes)
      return {
        ...batch,
        reason: `stopped before ${bytes} bytes of payloads, more than the limit of ${limits.bytes} bytes in a batch`,
      };
    documents += documentsOf(task);
    if (documents > limits.documents)
      return {
        ...batch,
        reason: `stopped before ${documents} documents, more than the limit of ${limits.documents} documents in a batch`,
      };
    batch.tasks.push(task);
    batch.state = step.state;
    if (step.state === 'indexDeletion') return { ...batch, reason: deletionReason(task) };
  }
  return batch;
}

function next({ state, tasks }: Autobatch, task: TaskRecord, index: IndexFacts): { state: BatchState } | { reason: string } {
  const asked = keyOf(task);
  if (asked !== null) {
    const reason = keyConflict(state, tasks, task, asked, index.primaryKey);
    if (reason) return { reason };
  }
  const kind = kindOf(task);
  if (!kind) return { reason: aloneReason(task) };
  if (!index.exists && createsIndex(task)) {
    const deletes = state === 'deletions' || state === 'deletionsByFilter';
    if (deletes ? kind === 'import' : state !== 'clear') return { reason: becauseCreation(task) };
  }
  const entry = TABLE[state]![kind];
  return typeof entry === 'string' ? { state: entry } : { reason: entry(task) };
}

function keyConflict(
  state: BatchState,
  tasks: TaskRecord[],
  task: TaskRecord,
  asked: string,
  indexKey: string | null,
): string | null {
  if (indexKey !== null) return asked === indexKey ? null : otherKeyReason(task, asked, indexKey);
  if (state !== 'documents') return null;
  const batchKey = tasks.map(keyOf).find((key) => key !== null) ?? null;
  if (batchKey === null)
    return `stopped before task ${task.uid}: its primary key \`${asked}\` would disturb the inference of the key`;
  return batchKey === asked ? null : otherKeyReason(task, asked, batchKey);
}

const otherKeyReason = ({ uid }: TaskRecord, asked: string, other: string) =>
  `stopped at task ${uid}, which asks for the primary key \`${asked}\` while the batch has \`${other}\``;

const deletionReason = ({ uid }: TaskRecord) => `stopped after task ${uid}, which deletes the index`;

const kindOf = ({ work }: TaskRecord): Kind | undefined => (work ? KINDS[work.kind] : undefined);

const keyOf = ({ work }: TaskRecord) => (work?.kind === 'import' ? work.primaryKey : null);

const bytesOf = ({ work }: TaskRecord) => (work?.kind === 'import' ? work.bytes : 0);

/** Documents of an addition, or ids of a deletion; a deletion by filter counts none. */
const documentsOf = ({ details, work }: TaskRecord) =>
  work?.kind === 'import' ? Number(details?.receivedDocuments ?? 0) : work?.kind === 'deleteByIds' ? work.ids.length : 0;

const createsIndex = ({ work }: TaskRecord) => (work?.kind === 'import' || work?.kind === 'settings') && work.createsIndex;
