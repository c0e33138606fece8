import { own } from '../../../bindings/own.js';
import type { Details, Swap, TaskRecord } from '../../tasks/task.js';
import type { TaskType } from '../../tasks/task-types.js';

/** Details of tasks in a dump: one member, named after their kind, with snake_case members. */
export type DumpDetails = Record<string, Record<string, unknown>>;

const SHAPES: Partial<Record<TaskType, (details: Details) => DumpDetails>> = {
  documentAdditionOrUpdate: (details) => ({ DocumentAdditionOrUpdate: snake(details) }),
  documentDeletion: ({ originalFilter, providedIds, deletedDocuments }) => {
    if (typeof originalFilter === 'string')
      return { DocumentDeletionByFilter: { original_filter: originalFilter, deleted_documents: deletedDocuments } };
    if (providedIds === undefined) return { ClearAll: { deleted_documents: deletedDocuments } };
    return { DocumentDeletion: { provided_ids: providedIds, deleted_documents: deletedDocuments } };
  },
  documentEdition: (details) => ({ DocumentEdition: snake(details) }),
  settingsUpdate: (details) => ({ SettingsUpdate: { settings: details } }),
  indexCreation: (details) => ({ IndexInfo: snake(details) }),
  indexUpdate: (details) => ({ IndexInfo: snake(details) }),
  indexDeletion: (details) => ({ ClearAll: snake(details) }),
  indexSwap: (details) => ({ IndexSwap: snake(details) }),
  taskCancelation: (details) => ({ TaskCancelation: snake(details) }),
  taskDeletion: (details) => ({ TaskDeletion: snake(details) }),
  dumpCreation: (details) => ({ Dump: snake(details) }),
  export: (details) => ({ Export: snake(details) }),
  upgradeDatabase: ({ upgradeFrom, upgradeTo }) => ({
    UpgradeDatabase: { from: versionParts(upgradeFrom), to: versionParts(upgradeTo) },
  }),
  indexCompaction: (details) => ({ IndexCompaction: snake(details) }),
};

/** By kind: how details are read that differ from those of routes in more than the case of their members. */
const READ: Record<string, (members: Record<string, unknown>) => Details> = {
  SettingsUpdate: ({ settings }) => settings as Details,
  DocumentDeletion: (members) => ({ ...camel(members), originalFilter: null }),
  DocumentDeletionByFilter: (members) => ({ providedIds: 0, ...camel(members) }),
  IndexInfo: ({ primary_key, ...names }) => ({ primaryKey: primary_key ?? null, ...camel(withoutNulls(names)) }),
  IndexSwap: ({ swaps }) => ({
    swaps: (swaps as Partial<Swap>[]).map(({ indexes, rename }) => ({ indexes, rename: rename === true })),
  }),
  Export: (members) => camel(withoutNulls(members)),
  IndexCompaction: ({ index_uid: _, ...sizes }) => camel(withoutNulls(sizes)),
  UpgradeDatabase: ({ from, to }) => ({ upgradeFrom: versionText(from), upgradeTo: versionText(to) }),
};

export function writeDetails({ type, details }: TaskRecord): DumpDetails | null {
  if (details === null) return null;
  return SHAPES[type]?.(details) ?? { [type]: snake(details) };
}

export function readDetails(details: DumpDetails | null | undefined): Details | null {
  const [shape, members] = Object.entries(details ?? {})[0] ?? [];
  if (shape === undefined || members === undefined) return null;
  return (own(READ, shape) ?? camel)(members);
}

function snake(members: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(members).map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  return Object.fromEntries(entries);
}

function camel(members: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(members).map(([name, value]) => [
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return Object.fromEntries(entries);
}

function withoutNulls(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

/** `v1.50.0` -> `[1, 50, 0]` */
function versionParts(text: unknown): number[] {
  return String(text).replace('v', '').split('.').map(Number);
}

function versionText(parts: unknown): string {
  return `v${(parts as number[]).join('.')}`;
}
