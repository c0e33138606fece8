import type { RuleEdit, RuleStore } from '../../rules/store.js';
import { formatMoment } from '../../time/moments.js';
import type { TaskRecord } from '../task.js';
import type { TaskType } from '../task-types.js';
import { type Executor, succeeded } from './outcome.js';

/** Executors of rule tasks; a batch has any number of them, in the order of their uids. */
export function ruleExecutors(rules: RuleStore): Partial<Record<TaskType, Executor>> {
  const execute: Executor = async (tasks) => {
    const edit = rules.edit();
    const ended = tasks.map((task) => succeeded(task, apply(task, edit)));
    return { ended, drafts: [edit.draft()] };
  };
  return { dsrUpdate: execute, dsrClear: execute };
}

/** @returns further members for the details of the task */
function apply({ uid, work, enqueuedAt }: TaskRecord, edit: RuleEdit): { deletedDocuments: number } | undefined {
  switch (work?.kind) {
    case 'ruleUpdate':
      edit.update(work.rule, work.change, formatMoment(enqueuedAt));
      return undefined;
    case 'ruleDeletion':
      edit.delete(work.rule);
      return undefined;
    case 'rulesClear':
      return { deletedDocuments: edit.clear() };
    default:
      throw new Error(`task ${uid} changes no rules`);
  }
}
