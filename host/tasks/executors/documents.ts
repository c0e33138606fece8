import type { DocumentOperation } from '../../index/document-operations.js';
import type { PayloadPlace } from '../queue/payloads.js';
import type { TaskRecord } from '../task.js';
import { type EndedTask, type Execution, ensureIndex, failed, missingIndex, type Outcome, succeeded } from './outcome.js';

/** Additions, updates and deletions, applied in the order of their uids in one pass. */
export async function executeDocuments(tasks: TaskRecord[], execution: Execution): Promise<Outcome> {
  const uid = tasks[0]!.indexUid!;
  if (!(await ensureIndex(uid, tasks, execution))) return missingIndex(tasks, uid);
  const { results, draft } = await applied(uid, tasks, execution);
  const ended = tasks.map((task, i): EndedTask => {
    const result = results[i]!;
    if (!result.ok) return failed(task, result.error);
    return succeeded(task, { [task.work!.kind === 'import' ? 'indexedDocuments' : 'deletedDocuments']: result.count });
  });
  return { ended, drafts: [draft] };
}

async function applied(uid: string, tasks: TaskRecord[], { indexStore, payloads, date, reportJob, embedder }: Execution) {
  const { places, drop } = await payloads.gather(tasks);
  try {
    const operations = tasks.map((task) => operationOf(task, places.get(task.uid)));
    return await indexStore.documents.apply(uid, operations, date(), { progress: reportJob(1), embedder });
  } finally {
    await drop();
  }
}

function operationOf({ uid, work }: TaskRecord, place: PayloadPlace | undefined): DocumentOperation {
  if (work?.kind === 'import' && place) {
    const { method, primaryKey, skipCreation } = work;
    return { type: 'add', ...place, method, primaryKey, skipCreation };
  }
  if (work?.kind === 'deleteByIds') return { type: 'deleteByIds', ids: work.ids };
  if (work?.kind === 'deleteByFilter') return { type: 'deleteByFilter', filter: work.filter };
  throw new Error(`task ${uid} does not change documents`);
}

/** A single clear, whatever else the batch contains: the other tasks succeed without being run. */
export async function executeClear(tasks: TaskRecord[], execution: Execution): Promise<Outcome> {
  const uid = tasks[0]!.indexUid!;
  if (!(await ensureIndex(uid, tasks, execution))) return missingIndex(tasks, uid);
  const before = execution.indexStore.indexes.get(uid)!.stats.documents;
  const draft = execution.indexStore.clearDocuments(uid, execution.date());
  return { ended: clearedTasks(tasks, before), drafts: [draft] };
}

/** The first clear counts the stored documents, later ones count none; tasks that were not run keep their original details. */
export function clearedTasks(tasks: TaskRecord[], before: number): EndedTask[] {
  let left = before;
  return tasks.map((task) => {
    if (task.work!.kind !== 'clear') return succeeded(task);
    const deletedDocuments = left;
    left = 0;
    return succeeded(task, { deletedDocuments });
  });
}
