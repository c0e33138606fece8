import { ApiError } from '../../../bindings/errors.js';
import type { DocumentOperation } from '../../index/document-operations.js';
import type { TaskRecord } from '../task.js';
import { type Execution, failed, missingIndex, type Outcome, succeeded } from './outcome.js';

/** Runs a script over documents and stores the results: all of them or, when one document is refused, none. */
export async function executeEdition([task]: TaskRecord[], execution: Execution): Promise<Outcome> {
  if (!execution.indexStore.indexes.has(task!.indexUid!)) return missingIndex([task!], task!.indexUid!);
  try {
    return await edit(task!, execution);
  } catch (error) {
    if (error instanceof ApiError) return { ended: [failed(task!, error)], drafts: [] };
    throw error;
  }
}

async function edit(task: TaskRecord, { indexStore, reportJob, date, embedder }: Execution): Promise<Outcome> {
  const { indexUid, work } = task;
  if (work?.kind !== 'edition') throw new Error(`task ${task.uid} edits no documents`);
  const { selected, files, deleted } = await indexStore.documents.edit(indexUid!, work.edition, reportJob(1));
  const ended = [succeeded(task, { editedDocuments: selected, deletedDocuments: selected })];
  const operations = [...files.map(replacement), ...(deleted.length > 0 ? [deletion(deleted)] : [])];
  if (operations.length === 0) return { ended, drafts: [] };
  try {
    const { results, draft } = await indexStore.documents.apply(indexUid!, operations, date(), {
      progress: reportJob(1),
      embedder,
    });
    const refused = results.find((result) => !result.ok);
    if (!refused) return { ended, drafts: [draft] };
    draft.discard();
    throw refused.error;
  } finally {
    indexStore.payloads.drop(files);
  }
}

function replacement(file: string): DocumentOperation {
  return { type: 'add', file, method: 'replace', primaryKey: null, skipCreation: false };
}

function deletion(ids: string[]): DocumentOperation {
  return { type: 'deleteByIds', ids };
}
