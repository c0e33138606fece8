import fs from 'node:fs/promises';
import path from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { IndexStore } from '../index/index-store.js';
import type { Options } from '../options/launch.js';
import { LaunchError } from '../runtime/launch-error.js';
import { isLocked } from '../storage/errors.js';
import { Ledger } from '../storage/ledger/ledger.js';
import { makeFolder, syncFile, syncFolder } from '../storage/sync.js';
import { checkVersion, holdsDatabase, writeVersion } from '../storage/version-file.js';
import { importDump } from './dump/import.js';
import { restoreSnapshot } from './snapshot.js';
import { Staging } from './staging.js';

/** Exists while the database is being created from a file; removed at the end of the import. */
const UNFINISHED = 'import-unfinished';
/** Everything that an import creates. Other files in the folder are never touched. */
const CREATED = [
  'VERSION',
  'instance-uid',
  'ledger',
  'ledger.backup',
  'ledger.mark',
  'segments',
  'payloads',
  'staging',
  UNFINISHED,
];

export interface LaunchTools {
  log: FastifyBaseLogger;
  openIndexStore(ledger: Ledger): Promise<IndexStore>;
}

/** A file from which a database can be created. */
interface Source {
  what: 'dump' | 'snapshot';
  file: string;
  ignoreMissing: boolean;
  ignoreDatabase: boolean;
  fill(file: string, database: string, tools: LaunchTools): Promise<void>;
}

function sourceOf(options: Options): Source | null {
  const { importDump: dump, importSnapshot: snapshot } = options;
  if (dump !== null) {
    const { ignoreMissingDump: ignoreMissing, ignoreDumpIfDbExists: ignoreDatabase } = options;
    return { what: 'dump', file: dump, ignoreMissing, ignoreDatabase, fill: fillFromDump };
  }
  if (snapshot !== null) {
    const { ignoreMissingSnapshot: ignoreMissing, ignoreSnapshotIfDbExists: ignoreDatabase } = options;
    return { what: 'snapshot', file: snapshot, ignoreMissing, ignoreDatabase, fill: fillFromSnapshot };
  }
  return null;
}

/**
 * Makes sure that the folder contains a database of this version, or one to be upgraded: the existing one, one imported from a
 * dump or a snapshot, or an empty one.
 * @returns the older version to upgrade from, or null
 * @throws {LaunchError}
 */
export async function prepareDatabase(options: Options, tools: LaunchTools): Promise<string | null> {
  const database = options.dbPath;
  const made = makeFolder(database);
  try {
    const source = sourceOf(options);
    await dropUnfinished(database, source);
    const exists = await holdsDatabase(database);
    if (source && (await isWanted(source, database, exists))) await importFrom(source, options, tools);
    else if (!exists) await createDatabase(database);
    const older = await checkVersion(database, options.upgradeDb);
    await checkLedger(database);
    return older;
  } catch (error) {
    await removeEmpty(made);
    throw error;
  }
}

/** Removes folders, the innermost first, as far as nothing is in them. */
async function removeEmpty(folders: string[]): Promise<void> {
  for (const folder of folders) await fs.rmdir(folder).catch(() => {});
}

/**
 * The version file is written last: a creation that was interrupted leaves neither it nor files that a ledger refers to, and so
 * no database.
 */
async function createDatabase(database: string): Promise<void> {
  await removeIncompleteLedger(path.join(database, 'ledger'));
  const ledger = await Ledger.open(path.join(database, 'ledger'), { asItIs: true }).catch((error: Error) => {
    throw new LaunchError(`No database can be made at \`${database}\`: ${error.message}`);
  });
  await ledger.close();
  syncFolder(database);
  await writeVersion(database);
}

/** Files of RocksDB that contain data. */
const CONTENT = /^\d+\.(?:log|sst)$/;

/** When RocksDB fails to create a ledger it may leave one whose manifest is missing, which can never be opened. */
async function removeIncompleteLedger(ledger: string): Promise<void> {
  const files = await fs.readdir(ledger).catch(() => [] as string[]);
  const manifest = await fs.readFile(path.join(ledger, 'CURRENT'), 'utf8').catch(() => null);
  const isUnmade = manifest !== null && !files.includes(manifest.trim()) && !files.some((name) => CONTENT.test(name));
  if (isUnmade) await fs.rm(ledger, { recursive: true });
}

/**
 * Refuses a database without its ledger: RocksDB would create an empty one, which refers to none of its files. @throws
 * {LaunchError}
 */
export async function checkLedger(database: string): Promise<void> {
  const ledger = path.join(database, 'ledger');
  if ((await fs.readdir(ledger).catch(() => [] as string[])).includes('CURRENT')) return;
  throw new LaunchError(
    `The database \`${database}\` has no ledger: \`${ledger}\` is missing or not whole. It holds tasks, settings, keys and which segments ` +
      'make an index; nothing of the database was changed. Put the folder back, or restore the database from a snapshot or a dump ' +
      '(--import-snapshot, --import-dump) with another --db-path.',
  );
}

/** Removes an import that was interrupted. The same import may start again, but no other database may take its place. */
async function dropUnfinished(database: string, source: Source | null): Promise<void> {
  const from = await fs.readFile(path.join(database, UNFINISHED), 'utf8').catch(() => null);
  if (from === null) return;
  if (!source)
    throw new LaunchError(
      `The database \`${database}\` was being made from \`${from}\` when the process ended: launch again with the same import option.`,
    );
  await refuseWhileInUse(path.join(database, 'ledger'));
  await removeCreated(database);
}

/** Fails if another process is importing. A ledger that cannot be opened for another reason is incomplete and can be removed. */
async function refuseWhileInUse(folder: string): Promise<void> {
  try {
    const ledger = await Ledger.open(folder);
    await ledger.close();
  } catch (error) {
    if (isLocked(error)) throw new LaunchError(`The database is in use by another process: ${(error as Error).message}`);
  }
}

async function isWanted({ what, file, ...ignore }: Source, database: string, exists: boolean): Promise<boolean> {
  if (exists) {
    if (ignore.ignoreDatabase) return false;
    throw new LaunchError(
      `The ${what} \`${file}\` was not imported: there is a database at \`${database}\`. Remove it, name another with --db-path, ` +
        `or pass --ignore-${what}-if-db-exists to start with it.`,
    );
  }
  const found = await fs.stat(file).catch(() => null);
  if (found?.isFile()) return true;
  if (ignore.ignoreMissing) return false;
  const state = found ? 'is not a file' : 'does not exist';
  throw new LaunchError(`The ${what} \`${file}\` ${state}; --ignore-missing-${what} starts without it.`);
}

async function importFrom(
  { what, file, fill }: Source,
  { dbPath: database, upgradeDb }: Options,
  tools: LaunchTools,
): Promise<void> {
  tools.log.info({ file }, `importing a ${what}`);
  await fs.writeFile(path.join(database, UNFINISHED), file, { flush: true });
  syncFolder(database);
  try {
    await fill(file, database, tools);
    await checkVersion(database, upgradeDb);
  } catch (error) {
    await removeCreated(database);
    throw new LaunchError(`The ${what} \`${file}\` cannot be imported: ${(error as Error).message}.`.replace(/\.\.$/, '.'));
  }
  await fs.rm(path.join(database, UNFINISHED));
  syncFolder(database);
  tools.log.info({ file }, `the ${what} is imported`);
}

async function fillFromDump(file: string, database: string, { log, openIndexStore }: LaunchTools): Promise<void> {
  const ledger = await Ledger.open(path.join(database, 'ledger'));
  const staging = await Staging.open(database);
  try {
    const indexStore = await openIndexStore(ledger);
    try {
      await importDump(file, { ledger, indexStore, database, staging, log });
      await ledger.seal();
    } finally {
      await indexStore.close();
    }
  } finally {
    await ledger.close();
    await staging.remove();
  }
  await syncFiles(path.join(database, 'ledger'));
  await writeVersion(database);
}

/** The ledger was filled without syncing. */
async function syncFiles(folder: string): Promise<void> {
  for (const name of await fs.readdir(folder)) await syncFile(path.join(folder, name));
  syncFolder(folder);
}

function fillFromSnapshot(file: string, database: string): Promise<void> {
  return restoreSnapshot(file, database);
}

async function removeCreated(database: string): Promise<void> {
  // The marker is removed last, because it marks the rest as incomplete.
  for (const name of CREATED) await fs.rm(path.join(database, name), { recursive: true, force: true });
}
