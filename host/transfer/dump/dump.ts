import path from 'node:path';
import { storedWorkspaces } from '../../chats/store.js';
import type { IndexRecord } from '../../index/record.js';
import { shownSettings } from '../../index/settings/settings.js';
import type { Ledger } from '../../storage/ledger/ledger.js';
import { type Execution, type Outcome, succeeded } from '../../tasks/executors/outcome.js';
import type { TaskRecord } from '../../tasks/task.js';
import { formatMoment, type Moment, now } from '../../time/moments.js';
import { INTERFACE_VERSION } from '../../version.js';
import { type ArchiveEntry, writeArchive } from '../archive.js';
import { writeLines } from '../lines.js';
import { deliver, Staging } from '../staging.js';
import { writeKey } from './key-form.js';
import { DUMP, SINGLE_FACTS } from './layout.js';
import { writeBatch, writeTask } from './task-form.js';

export interface DumpResources {
  ledger: Ledger;
  /** Folder of the database. */
  database: string;
  /** Folder of the dumps. */
  dumps: string;
}

const FILE_MODE = 0o644;

/** Writes everything that users have put into the instance, in a form independent of its storage. */
export async function executeDumpCreation(
  [task]: TaskRecord[],
  execution: Execution,
  resources: DumpResources,
): Promise<Outcome> {
  if (task!.work?.kind !== 'dumpCreation') throw new Error(`task ${task!.uid} makes no dump`);
  const { startedAt } = execution;
  const dumpUid = dumpName(startedAt);
  const staging = await Staging.open(resources.database);
  try {
    const archive = staging.path('archive');
    const dump = new DumpWriter(task!, execution, resources, staging);
    await writeArchive(archive, dump.entries(startedAt), execution.signal);
    execution.signal.throwIfAborted();
    await deliver(archive, path.join(resources.dumps, `${dumpUid}.dump`), FILE_MODE);
  } finally {
    await staging.remove();
  }
  return { ended: [succeeded(task!, { dumpUid })], drafts: [] };
}

/** `YYYYMMDD-HHmmssSSS` in UTC. */
function dumpName(moment: Moment): string {
  const digits = new Date(Math.floor(moment / 1000)).toISOString().replace(/\D/g, '');
  return `${digits.slice(0, 8)}-${digits.slice(8, 17)}`;
}

class DumpWriter {
  constructor(
    readonly task: TaskRecord,
    readonly execution: Execution,
    readonly resources: DumpResources,
    readonly staging: Staging,
  ) {}

  /** The files of the dump. Those of unknown length are first written to the staging folder, one at a time. */
  async *entries(startedAt: Moment): AsyncGenerator<ArchiveEntry> {
    const { work } = this.task;
    if (work?.kind !== 'dumpCreation') return;
    const report = this.execution.report(1);
    const { indexStore } = this.execution;
    // Tasks registered from now on are not part of the dump.
    const lastTask = this.execution.queue.table.highest;
    report('dumping the keys', 0, 4);
    yield this.#json(DUMP.metadata, {
      dumpVersion: DUMP.version,
      dbVersion: INTERFACE_VERSION,
      dumpDate: formatMoment(startedAt),
    });
    if (work.instanceUid !== null) yield { name: DUMP.instanceUid, content: work.instanceUid };
    yield await this.#lines(DUMP.keys, work.keys.map(writeKey));
    for (const { name, read } of SINGLE_FACTS) {
      const fact = await read(this.resources.ledger);
      if (fact !== null) yield this.#json(name, fact);
    }
    const workspaces = await storedWorkspaces(this.resources.ledger);
    for (const [uid, settings] of workspaces) yield this.#json(DUMP.workspace(uid), settings);
    report('dumping the tasks', 1, 4);
    yield* this.#tasks(lastTask, startedAt);
    report('dumping the batches', 2, 4);
    yield await this.#lines(DUMP.batches, this.#batches());
    const indexes = [...indexStore.indexes.values()].sort((a, b) => (a.uid < b.uid ? -1 : 1));
    for (const [i, index] of indexes.entries()) {
      report('dumping the indexes', i, indexes.length);
      yield* this.#index(index);
    }
  }

  #json(name: string, value: unknown): ArchiveEntry {
    return { name, content: JSON.stringify(value) };
  }

  async #lines(name: string, values: Iterable<unknown> | AsyncIterable<unknown>): Promise<ArchiveEntry> {
    const file = this.staging.path('lines');
    await writeLines(file, values);
    return { name, file };
  }

  async *#tasks(last: number, startedAt: Moment): AsyncGenerator<ArchiveEntry> {
    yield await this.#lines(DUMP.tasks, this.#taskLines(last, startedAt));
    for (const uid of [...this.execution.queue.pending].filter((uid) => uid <= last)) {
      const task = await this.execution.queue.record(uid);
      const documents = task && (await this.execution.payloads.documents(task));
      if (documents) yield await this.#lines(DUMP.payload(uid), documents);
    }
  }

  async *#taskLines(last: number, startedAt: Moment): AsyncGenerator<unknown> {
    const { queue } = this.execution;
    for (let uid = 0; uid <= last; uid++) {
      const task = queue.table.get(uid) && (await queue.record(uid));
      if (task) yield writeTask(uid === this.task.uid ? this.#ended(task, startedAt) : task);
    }
  }

  /** The dump task itself appears as ended, so that an import does not run it again. */
  #ended(task: TaskRecord, startedAt: Moment): TaskRecord {
    return { ...task, status: 'succeeded', work: null, startedAt, finishedAt: now() };
  }

  async *#batches(): AsyncGenerator<unknown> {
    const { queue } = this.execution;
    for (const uid of [...queue.batches]) {
      const batch = await queue.batch(uid);
      if (batch) yield writeBatch(batch);
    }
  }

  async *#index({ uid, primaryKey, createdAt, updatedAt, settings }: IndexRecord): AsyncGenerator<ArchiveEntry> {
    const names = DUMP.index(uid);
    yield this.#json(names.metadata, { uid, primaryKey, createdAt, updatedAt });
    yield this.#json(names.settings, shownSettings(settings));
    const file = this.staging.path('documents');
    await this.execution.indexStore.documents.extract(uid, { filter: null, file, cutAt: null }, this.execution.reportJob(2));
    yield { name: names.documents, file };
  }
}
