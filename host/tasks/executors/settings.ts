import { ApiError, errorAs } from '../../../bindings/errors.js';
import type { IndexSettings } from '../../../bindings/index-types.js';
import type { Draft } from '../../index/draft.js';
import { applySettings } from '../../index/settings/patch.js';
import type { TaskRecord } from '../task.js';
import { clearedTasks } from './documents.js';
import { type EndedTask, type Execution, ensureIndex, failed, missingIndex, type Outcome, succeeded } from './outcome.js';

/** Changes of settings in the order of their uids, if possible with a single rebuild. */
export async function executeSettings(tasks: TaskRecord[], execution: Execution): Promise<Outcome> {
  const uid = tasks[0]!.indexUid!;
  if (!(await ensureIndex(uid, tasks, execution))) return missingIndex(tasks, uid);
  const { ended, good, stored, merged } = await mergedSettings(uid, tasks, execution);
  if (good.length === 0) return { ended, drafts: [] };
  const work = { progress: execution.reportJob(2), embedder: execution.embedder };
  try {
    return { ended, drafts: [await execution.indexStore.settings.change(uid, merged, execution.date(), work)] };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (good.length === 1)
      return { ended: ended.map((end) => (end.task === good[0] ? failed(end.task, error) : end)), drafts: [] };
    return oneByOne(uid, stored, good, ended, execution);
  }
}

/** Changes of settings with a clear among them: the documents are removed with the change, so that nothing is rebuilt. */
export async function executeClearAndSettings(tasks: TaskRecord[], execution: Execution): Promise<Outcome> {
  const uid = tasks[0]!.indexUid!;
  if (!(await ensureIndex(uid, tasks, execution))) return missingIndex(tasks, uid);
  const before = execution.indexStore.indexes.get(uid)!.stats.documents;
  const changes = tasks.filter(({ work }) => work!.kind === 'settings');
  const others = tasks.filter(({ work }) => work!.kind !== 'settings');
  const { ended, merged } = await mergedSettings(uid, changes, execution);
  const draft = execution.indexStore.settings.changeCleared(uid, merged, execution.date());
  return { ended: [...ended, ...clearedTasks(others, before)], drafts: [draft] };
}

interface MergedSettings {
  stored: IndexSettings;
  /** The settings with all changes that are valid. */
  merged: IndexSettings;
  good: TaskRecord[];
  ended: EndedTask[];
}

async function mergedSettings(uid: string, tasks: TaskRecord[], execution: Execution): Promise<MergedSettings> {
  execution.progress.enter(1, 'retrieving and merging the settings', 0, 2);
  const stored = execution.indexStore.indexes.get(uid)!.settings;
  const ended: EndedTask[] = [];
  const good: TaskRecord[] = [];
  let merged = stored;
  for (const task of tasks) {
    try {
      merged = await settled(merged, task, uid, execution);
      good.push(task);
      ended.push(succeeded(task));
    } catch (error) {
      ended.push(failed(task, error));
    }
  }
  if (good.length > 0) execution.progress.enter(1, 'apply the settings', 1, 2);
  return { stored, merged, good, ended };
}

/** The stored documents do not fit some of the changes: determines which, so that only those tasks fail. */
async function oneByOne(
  uid: string,
  stored: IndexSettings,
  tasks: TaskRecord[],
  ended: EndedTask[],
  execution: Execution,
): Promise<Outcome> {
  const refused = new Map<TaskRecord, unknown>();
  let settings = stored;
  let draft: Draft | null = null;
  const work = { progress: execution.reportJob(2), embedder: execution.embedder };
  for (const task of tasks) {
    draft?.discard();
    try {
      const next = await settled(settings, task, uid, execution);
      draft = await execution.indexStore.settings.change(uid, next, execution.date(), work);
      settings = next;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refused.set(task, error);
      draft = await execution.indexStore.settings.change(uid, settings, execution.date(), work);
    }
  }
  return {
    ended: ended.map((end) => (refused.has(end.task) ? failed(end.task, refused.get(end.task)) : end)),
    drafts: draft ? [draft] : [],
  };
}

/**
 * The stored settings with the change of a task. @throws {ApiError} when they contradict each other, or a model does not answer
 */
async function settled(stored: IndexSettings, task: TaskRecord, uid: string, execution: Execution): Promise<IndexSettings> {
  try {
    return await execution.settledEmbedders(applySettings(stored, patchOf(task), uid), stored);
  } catch (error) {
    if (!(error instanceof ApiError) || error.message.startsWith('Index ')) throw error;
    throw errorAs(error.code, 'inIndex', { uid, message: error.message });
  }
}

function patchOf({ uid, work }: TaskRecord): Record<string, unknown> {
  if (work?.kind !== 'settings') throw new Error(`task ${uid} does not change settings`);
  return work.patch;
}
