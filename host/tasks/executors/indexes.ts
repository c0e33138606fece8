import { type ApiError, apiError } from '../../../bindings/errors.js';
import type { IndexRecord } from '../../index/record.js';
import { storeSize } from '../../options/sizes.js';
import type { Details, TaskRecord } from '../task.js';
import { type Execution, failed, indexNotFound, missingIndex, type Outcome, succeeded } from './outcome.js';

export async function executeIndexCreation([task]: TaskRecord[], { indexStore, date }: Execution): Promise<Outcome> {
  const uid = task!.indexUid!;
  if (indexStore.indexes.has(uid)) return { ended: [failed(task!, indexExists(uid))], drafts: [] };
  const primaryKey = task!.work?.kind === 'indexCreation' ? task!.work.primaryKey : null;
  // A client that creates an index usually sends its documents next, so the threads that build them are started.
  indexStore.expectDocuments();
  return { ended: [succeeded(task!)], drafts: [indexStore.createIndex(uid, primaryKey, date())] };
}

export async function executeIndexUpdate([task]: TaskRecord[], { indexStore, date }: Execution): Promise<Outcome> {
  const { indexUid, work } = task!;
  if (work?.kind !== 'indexUpdate') throw new Error(`task ${task!.uid} does not update an index`);
  const index = indexStore.indexes.get(indexUid!);
  const { primaryKey, newUid } = work;
  const error = !index ? indexNotFound(indexUid!) : updateRefusal(index, primaryKey, newUid, indexStore.indexes);
  if (error) return { ended: [failed(task!, error)], drafts: [] };
  const change = {
    ...(primaryKey !== null && primaryKey !== index!.primaryKey ? { primaryKey } : {}),
    ...(newUid !== null && newUid !== indexUid ? { newUid } : {}),
  };
  const drafts = Object.keys(change).length > 0 ? indexStore.updateIndex(indexUid!, change, date()) : [];
  return { ended: [succeeded(task!)], drafts, ...(change.newUid ? { names: [[indexUid!, change.newUid]] } : {}) };
}

function updateRefusal(
  index: IndexRecord,
  primaryKey: string | null,
  newUid: string | null,
  indexes: ReadonlyMap<string, IndexRecord>,
): ApiError | null {
  if (newUid !== null && newUid !== index.uid && indexes.has(newUid)) return indexExists(newUid);
  if (primaryKey === null || primaryKey === index.primaryKey || index.stats.documents === 0) return null;
  return apiError('index_primary_key_already_exists', 'hasDocuments', { uid: index.uid, before: index.primaryKey, primaryKey });
}

/** The deletion of an index; earlier tasks in the batch succeed without being run. */
export async function executeIndexDeletion(tasks: TaskRecord[], { indexStore }: Execution): Promise<Outcome> {
  const uid = tasks[0]!.indexUid!;
  const index = indexStore.indexes.get(uid);
  const creates = tasks.some(({ work }) => work && 'createsIndex' in work && work.createsIndex);
  if (!index && !creates) return missingIndex(tasks, uid);
  const deletedDocuments = index?.stats.documents ?? 0;
  const details: Partial<Record<string, Details>> = {
    import: { indexedDocuments: 0 },
    deleteByIds: { deletedDocuments: 0 },
    deleteByFilter: { deletedDocuments: 0 },
    indexDeletion: { deletedDocuments },
  };
  return {
    ended: tasks.map((task) => succeeded(task, details[task.work!.kind])),
    drafts: index ? [indexStore.deleteIndex(uid)] : [],
  };
}

/** Merges all segments of an index; the reported sizes are those of its files. */
export async function executeIndexCompaction([task]: TaskRecord[], { indexStore }: Execution): Promise<Outcome> {
  const index = indexStore.indexes.get(task!.indexUid!);
  if (!index) return missingIndex([task!], task!.indexUid!);
  const draft = await indexStore.merges.compact(index.uid);
  return {
    ended: [
      succeeded(task!, {
        preCompactionSize: storeSize(filesOf(index)),
        postCompactionSize: storeSize(filesOf(draft?.record ?? index)),
      }),
    ],
    drafts: draft ? [draft] : [],
  };
}

function filesOf({ segments }: IndexRecord): number {
  return segments.reduce((sum, { fileLength }) => sum + fileLength, 0);
}

export function indexExists(uid: string): ApiError {
  return apiError('index_already_exists', 'exists', { uid });
}
