import fs from 'node:fs/promises';
import path from 'node:path';
import { LaunchError } from '../runtime/launch-error.js';
import { VERSION } from '../version.js';
import { syncFile } from './sync.js';

const FILE = 'VERSION';

/** Files that identify a database. The ledger alone may be left by a creation that was interrupted. */
const MARKS = [FILE, 'segments', 'payloads'];

/** Whether a folder contains a database, of any version. */
export async function holdsDatabase(folder: string): Promise<boolean> {
  const entries = await fs.readdir(folder).catch(() => [] as string[]);
  return MARKS.some((name) => entries.includes(name));
}

/** Records the version of a database; a crash leaves the old or the new version. */
export async function writeVersion(folder: string, version = VERSION): Promise<void> {
  const draft = path.join(folder, `${FILE}.part`);
  const handle = await fs.open(draft, 'w');
  try {
    await handle.writeFile(`${version}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await fs.rename(draft, path.join(folder, FILE));
  await syncFile(folder);
}

/**
 * Refuses a database of another version, unless it can be upgraded and `upgrade` permits it.
 * @returns the older version to upgrade from; null when the database has the present version
 * @throws {LaunchError}
 */
export async function checkVersion(folder: string, upgrade: boolean): Promise<string | null> {
  const found = (await fs.readFile(path.join(folder, FILE), 'utf8').catch(() => null))?.trim();
  if (found === undefined) throw new LaunchError(`The database \`${folder}\` has no VERSION file: it cannot be opened safely.`);
  const order = compareVersions(found, VERSION);
  if (order === 0) return null;
  const isOlder = order !== null && order < 0;
  const isNear = isOlder && majorOf(found) === majorOf(VERSION);
  if (isNear && upgrade) return found;
  const dump = 'make a dump with that version and import it into a new database';
  const problem =
    order === null
      ? 'has a VERSION file that cannot be read'
      : !isOlder
        ? `was written by the newer version ${found}`
        : `was written by the older version ${found}: ${isNear ? `launch with --upgrade-db to upgrade it, or ${dump}` : dump}`;
  throw new LaunchError(`The database \`${folder}\` ${problem}; this is version ${VERSION}.`);
}

const majorOf = (version: string) => version.split('.')[0];

/** Negative, 0 or positive as `a` is older than, equal to or newer than `b`; null when one is not a version. */
export function compareVersions(a: string, b: string): number | null {
  const [left, right] = [a, b].map((text) => /^(\d+)\.(\d+)\.(\d+)$/.exec(text)?.slice(1).map(Number));
  if (!left || !right) return null;
  const at = left.findIndex((part, i) => part !== right[i]);
  return at < 0 ? 0 : left[at]! - right[at]!;
}
