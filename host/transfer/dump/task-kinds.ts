import { own } from '../../../bindings/own.js';
import { readObjectBody } from '../../../bindings/query/validate.js';
import { readSettings } from '../../index/settings/patch.js';
import { toRanges, type UidRanges } from '../../tasks/ranges.js';
import type { Details, Swap, TaskRecord, TaskWork } from '../../tasks/task.js';
import type { TaskType } from '../../tasks/task-types.js';
import { type DumpKey, readKey, writeKey } from './key-form.js';
import { readRoaring, writeRoaring } from './roaring.js';

/** The work of a task in a dump: a bare name, or one member with the parameters. */
export type DumpKind = string | Record<string, Parameters>;
type Parameters = Record<string, unknown>;
/** The work of a task. An ended task has none, and its parameters are taken from its details. */
type Work<Kind extends TaskWork['kind']> = Extract<TaskWork, { kind: Kind }>;

function workOf<Kind extends TaskWork['kind']>({ work }: TaskRecord, kind: Kind): Work<Kind> | null {
  return work?.kind === kind ? (work as Work<Kind>) : null;
}

const METHODS = { replace: 'ReplaceDocuments', update: 'UpdateDocuments' } as const;

const WRITERS: Partial<Record<TaskType, (task: TaskRecord, details: Details) => DumpKind>> = {
  documentAdditionOrUpdate: (task, details) => {
    const work = workOf(task, 'import');
    return {
      documentImport: {
        primary_key: work?.primaryKey ?? null,
        method: METHODS[work?.method ?? 'replace'],
        documents_count: details.receivedDocuments,
        allow_index_creation: work?.createsIndex ?? true,
        ...(work?.skipCreation ? { skip_creation: true } : {}),
      },
    };
  },
  documentDeletion: (task, { originalFilter, providedIds }) => {
    if (typeof originalFilter === 'string') return { documentDeletionByFilter: { filter: JSON.parse(originalFilter) } };
    if (providedIds === undefined) return 'documentClear';
    return { documentDeletion: { documents_ids: workOf(task, 'deleteByIds')?.ids ?? [] } };
  },
  documentEdition: (_task, { originalFilter, context, function: script }) => ({
    documentEdition: {
      filter: typeof originalFilter === 'string' ? JSON.parse(originalFilter) : null,
      context,
      function: script,
    },
  }),
  settingsUpdate: (task, details) => {
    const work = workOf(task, 'settings');
    const settings = work?.patch ?? details;
    const isDeletion = Object.values(settings).every((value) => value === null);
    return { settings: { settings, is_deletion: isDeletion, allow_index_creation: work?.createsIndex ?? true } };
  },
  dsrUpdate: (task, details) => {
    const update = workOf(task, 'ruleUpdate');
    if (update) return { dsrUpdate: { rule: update.rule, change: update.change } };
    return { dsrUpdate: { rule: workOf(task, 'ruleDeletion')?.rule ?? null, change: details.rule ?? null } };
  },
  indexCreation: (_task, { primaryKey }) => ({ indexCreation: { primary_key: primaryKey } }),
  indexDeletion: () => 'indexDeletion',
  indexUpdate: (_task, { primaryKey, newIndexUid = null }) => ({ indexUpdate: { primary_key: primaryKey, uid: newIndexUid } }),
  indexSwap: (_task, { swaps }) => ({ indexSwap: { swaps } }),
  taskCancelation: (task, { originalFilter }) => ({
    taskCancelation: { query: originalFilter, tasks: uidSet(workOf(task, 'taskCancelation')?.tasks) },
  }),
  taskDeletion: (task, { originalFilter }) => ({
    tasksDeletion: { query: originalFilter, tasks: uidSet(workOf(task, 'taskDeletion')?.tasks) },
  }),
  dumpCreation: (task) => {
    const { keys = [], instanceUid = null } = workOf(task, 'dumpCreation') ?? {};
    return { dumpCreation: { keys: keys.map(writeKey), instance_uid: instanceUid } };
  },
  snapshotCreation: () => 'snapshotCreation',
  export: (task, details) => {
    const work = workOf(task, 'export');
    return {
      export: {
        url: details.url,
        api_key: work?.apiKey ?? null,
        payload_size: work?.payloadSize ?? null,
        indexes: work?.indexes ?? details.indexes,
      },
    };
  },
  indexCompaction: ({ indexUid }) => ({ indexCompaction: { index_uid: indexUid } }),
};

function uidSet(ranges: UidRanges = []): number[] {
  return [...writeRoaring(ranges)];
}

export function writeKind(task: TaskRecord): DumpKind {
  const write = WRITERS[task.type];
  return write ? write(task, task.details ?? {}) : { [task.type]: task.details ?? {} };
}

/** What the parameters of a kind say: the type of the task and, if it is waiting, its work. */
interface ReadKind {
  type: TaskType;
  /** null: tasks of this kind cannot run here. */
  work(parameters: Parameters): TaskWork | null;
}

const NO_WORK = () => null;

const READERS: Record<string, ReadKind> = {
  documentImport: {
    type: 'documentAdditionOrUpdate',
    // The file name is added when the documents have been read.
    work: ({ primary_key, method, allow_index_creation, skip_creation }) => ({
      kind: 'import',
      method: method === METHODS.update ? 'update' : 'replace',
      primaryKey: (primary_key as string | null) ?? null,
      skipCreation: skip_creation === true,
      createsIndex: allow_index_creation === true,
      file: null,
      bytes: 0,
    }),
  },
  documentDeletion: {
    type: 'documentDeletion',
    work: ({ documents_ids }) => ({ kind: 'deleteByIds', ids: documents_ids as string[] }),
  },
  documentDeletionByFilter: {
    type: 'documentDeletion',
    work: ({ filter }) => ({ kind: 'deleteByFilter', filter }),
  },
  documentClear: { type: 'documentDeletion', work: () => ({ kind: 'clear' }) },
  documentEdition: {
    type: 'documentEdition',
    work: ({ filter, context, function: script }) => ({
      kind: 'edition',
      edition: {
        script: script as string,
        context: (context as Record<string, unknown> | null) ?? null,
        filter: filter ?? null,
      },
    }),
  },
  settings: {
    type: 'settingsUpdate',
    work: ({ settings, allow_index_creation }) => ({
      kind: 'settings',
      patch: readSettings(readObjectBody(Buffer.from(JSON.stringify(settings)))).patch,
      createsIndex: allow_index_creation === true,
    }),
  },
  indexCreation: {
    type: 'indexCreation',
    work: ({ primary_key }) => ({ kind: 'indexCreation', primaryKey: (primary_key as string | null) ?? null }),
  },
  indexDeletion: { type: 'indexDeletion', work: () => ({ kind: 'indexDeletion' }) },
  indexUpdate: {
    type: 'indexUpdate',
    work: ({ primary_key, uid, new_index_uid }) => ({
      kind: 'indexUpdate',
      primaryKey: (primary_key as string | null) ?? null,
      newUid: ((uid ?? new_index_uid) as string | null) ?? null,
    }),
  },
  indexSwap: {
    type: 'indexSwap',
    work: ({ swaps }) => ({
      kind: 'indexSwap',
      swaps: (swaps as Partial<Swap>[]).map(({ indexes, rename }) => ({ indexes: indexes!, rename: rename === true })),
    }),
  },
  taskCancelation: { type: 'taskCancelation', work: ({ tasks }) => ({ kind: 'taskCancelation', tasks: rangesOf(tasks) }) },
  tasksDeletion: { type: 'taskDeletion', work: ({ tasks }) => ({ kind: 'taskDeletion', tasks: rangesOf(tasks) }) },
  dumpCreation: {
    type: 'dumpCreation',
    work: ({ keys, instance_uid }) => ({
      kind: 'dumpCreation',
      keys: (keys as DumpKey[]).map(readKey),
      instanceUid: (instance_uid as string | null) ?? null,
    }),
  },
  snapshotCreation: { type: 'snapshotCreation', work: () => ({ kind: 'snapshotCreation' }) },
  export: {
    type: 'export',
    work: ({ url, api_key, payload_size, indexes }) => ({
      kind: 'export',
      url: url as string,
      apiKey: (api_key as string | null) ?? null,
      payloadSize: (payload_size as number | null) ?? null,
      indexes: indexes as Work<'export'>['indexes'],
    }),
  },
  upgradeDatabase: { type: 'upgradeDatabase', work: NO_WORK },
  indexCompaction: { type: 'indexCompaction', work: () => ({ kind: 'indexCompaction' }) },
  networkTopologyChange: { type: 'networkTopologyChange', work: NO_WORK },
  dsrUpdate: {
    type: 'dsrUpdate',
    work: ({ rule, change }) => {
      if (typeof rule !== 'string') return null;
      return change
        ? { kind: 'ruleUpdate', rule, change: change as Work<'ruleUpdate'>['change'] }
        : { kind: 'ruleDeletion', rule };
    },
  },
  dsrClear: { type: 'dsrClear', work: () => ({ kind: 'rulesClear' }) },
};

function rangesOf(tasks: unknown): UidRanges {
  return toRanges(readRoaring(Uint8Array.from(tasks as number[])));
}

/** Type of a task and, if it `waits`, its work; null for an unknown kind. */
export function readKind(kind: DumpKind, waits: boolean): { type: TaskType; work: TaskWork | null } | null {
  const [name, parameters] = typeof kind === 'string' ? [kind, {}] : (Object.entries(kind)[0] ?? ['', {}]);
  const reader = own(READERS, name) ?? null;
  return reader && { type: reader.type, work: waits ? reader.work(parameters ?? {}) : null };
}
