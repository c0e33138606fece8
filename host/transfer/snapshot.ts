import { createWriteStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { INDEX_PREFIX } from '../index/commits/state.js';
import type { IndexRecord } from '../index/record.js';
import { storageError } from '../storage/errors.js';
import { Ledger, type LedgerWrite } from '../storage/ledger/ledger.js';
import { makeFolder, syncFolder } from '../storage/sync.js';
import { type Execution, type Outcome, succeeded } from '../tasks/executors/outcome.js';
import { taskKey } from '../tasks/queue/records.js';
import type { TaskRecord } from '../tasks/task.js';
import { type ArchiveEntry, ArchiveError, readArchive, writeArchive } from './archive.js';
import { INSTANCE_UID_FILE } from './instance-uid.js';
import { deliver, Staging } from './staging.js';

export interface SnapshotResources {
  ledger: Ledger;
  /** Folder of the database. */
  database: string;
  /** Folder of the snapshots. */
  snapshots: string;
}

/** Read-only, so that a snapshot is not changed by mistake. */
const FILE_MODE = 0o444;
/** Bytes per write to the copy of the ledger. */
const WRITTEN_AT_ONCE = 1 << 20;
const TASK_PREFIX = 'task/';
const LONE_FILES = ['VERSION', INSTANCE_UID_FILE];

/** Snapshots have the name of the database folder. */
function snapshotName(database: string): string {
  return `${path.basename(path.resolve(database))}.snapshot`;
}

/**
 * Packs a copy of the database as it is between two batches. Segments and payloads are immutable, so hard links suffice; the
 * ledger is copied with one iterator, which sees a consistent state.
 */
export async function executeSnapshotCreation(
  tasks: TaskRecord[],
  execution: Execution,
  resources: SnapshotResources,
): Promise<Outcome> {
  const { database, snapshots } = resources;
  const { signal } = execution;
  const report = execution.report(1);
  const unpin = execution.indexStore.pin();
  const staging = await Staging.open(database);
  try {
    report('copying the ledger', 0, 3);
    const files = await copyLedger(resources, staging.path('ledger'), new Set(tasks.map(({ uid }) => taskKey(uid))), signal);
    report('linking the files', 1, 3);
    for (const folder of ['segments', 'payloads']) await fs.mkdir(staging.path(folder));
    for (const file of files) await fs.link(path.join(database, file), staging.path(file));
    report('packing the snapshot', 2, 3);
    const archive = staging.path('archive');
    await writeArchive(archive, entriesOf(database, staging, files), signal);
    signal.throwIfAborted();
    await deliver(archive, path.join(snapshots, snapshotName(database)), FILE_MODE);
  } finally {
    await staging.remove();
    unpin();
  }
  return { ended: tasks.map((task) => succeeded(task)), drafts: [] };
}

/** Copies the ledger without some keys. @returns the database files that the copy refers to */
async function copyLedger(
  { ledger }: SnapshotResources,
  folder: string,
  without: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<string[]> {
  const copy = await Ledger.open(folder).catch((error) => {
    throw storageError(error);
  });
  const files: string[] = [];
  try {
    let writes: LedgerWrite[] = [];
    let bytes = 0;
    for await (const [key, value] of ledger.iterate('')) {
      signal.throwIfAborted();
      if (without.has(key)) continue;
      files.push(...filesOf(key, value));
      writes.push({ type: 'put', key, value });
      bytes += value.length;
      if (bytes < WRITTEN_AT_ONCE) continue;
      await copy.write(writes, false);
      writes = [];
      bytes = 0;
    }
    await copy.write(writes, true);
  } finally {
    await copy.close();
  }
  return files;
}

/** Files that a ledger entry refers to, relative to the database folder. */
function filesOf(key: string, value: Buffer): string[] {
  if (key.startsWith(INDEX_PREFIX)) {
    const { segments } = JSON.parse(value.toString()) as IndexRecord;
    return segments.map(({ file }) => path.join('segments', file));
  }
  if (key.startsWith(TASK_PREFIX)) {
    const { work } = JSON.parse(value.toString()) as TaskRecord;
    return work?.kind === 'import' && work.file !== null ? [path.join('payloads', work.file)] : [];
  }
  return [];
}

async function* entriesOf(database: string, staging: Staging, files: string[]): AsyncGenerator<ArchiveEntry> {
  const present = await fs.readdir(database);
  for (const name of LONE_FILES) if (present.includes(name)) yield { name, file: path.join(database, name) };
  for (const name of await fs.readdir(staging.path('ledger')))
    yield { name: `ledger/${name}`, file: staging.path('ledger', name) };
  for (const file of files) yield { name: file, file: staging.path(file) };
}

const NAME = /^(?:VERSION|instance-uid|(?:ledger|segments|payloads)\/[\w.-]+)$/;

/**
 * Unpacks a snapshot into a folder; everything is durable when it returns. @throws {ArchiveError} when the file is damaged or not
 * a snapshot
 */
export async function restoreSnapshot(file: string, database: string): Promise<void> {
  const found = new Set<string>();
  await readArchive(file, async (name, content) => {
    if (!NAME.test(name)) throw new ArchiveError(`it is no snapshot: it holds \`${name}\``);
    found.add(path.dirname(name)).add(name);
    makeFolder(path.join(database, path.dirname(name)));
    await pipeline(content, createWriteStream(path.join(database, name), { flush: true }));
  });
  for (const needed of ['VERSION', 'ledger']) {
    if (!found.has(needed)) throw new ArchiveError(`it is no snapshot: it has no \`${needed}\``);
  }
  for (const folder of new Set([...found].map((name) => path.dirname(name)))) syncFolder(path.join(database, folder));
}
