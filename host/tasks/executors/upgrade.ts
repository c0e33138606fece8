import type { Draft } from '../../index/draft.js';
import type { TaskRecord } from '../task.js';
import { type Execution, type Outcome, succeeded } from './outcome.js';

/**
 * Rebuilds whatever this version stores differently. Everything is committed with the end of the task: until then the database is
 * unchanged, and can still be used by the older version.
 */
export async function executeUpgrade(tasks: TaskRecord[], { indexStore, report, signal }: Execution): Promise<Outcome> {
  const drafts: Draft[] = [];
  const uids = indexStore.merges.outdatedIndexes;
  try {
    for (const [i, uid] of uids.entries()) {
      report(1)('upgrading user indexes', i, uids.length);
      report(2)(`Upgrading index \`${uid}\``, 0, 1);
      const draft = await indexStore.merges.mergeIfWorthwhile(uid);
      if (draft) drafts.push(draft);
      signal.throwIfAborted();
    }
  } catch (error) {
    for (const draft of drafts) draft.discard();
    throw error;
  }
  return { ended: tasks.map((task) => succeeded(task)), drafts };
}
