import fs from 'node:fs/promises';
import path from 'node:path';
import { LaunchError } from '../options.js';
import { VERSION } from '../version.js';

const FILE = 'VERSION';
const LEDGER = 'ledger';

/** Whether a folder holds a database, of whatever version. */
export async function holdsDatabase(folder: string): Promise<boolean> {
  const entries = await fs.readdir(folder).catch(() => [] as string[]);
  return entries.includes(FILE) || entries.includes(LEDGER);
}

export async function writeVersion(folder: string): Promise<void> {
  const handle = await fs.open(path.join(folder, FILE), 'w');
  try {
    await handle.writeFile(`${VERSION}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Refuses a database that another version has written. @throws {LaunchError} */
export async function checkVersion(folder: string): Promise<void> {
  const found = await fs.readFile(path.join(folder, FILE), 'utf8').catch(() => null);
  if (found === null) throw new LaunchError(`The database \`${folder}\` has no VERSION file: it cannot be opened safely.`);
  const order = compareVersions(found.trim(), VERSION);
  if (order === 0) return;
  const problem =
    order === null
      ? 'has a VERSION file that cannot be read'
      : order < 0
        ? `was written by the older version ${found.trim()}: make a dump with that version and import it into a new database`
        : `was written by the newer version ${found.trim()}`;
  throw new LaunchError(`The database \`${folder}\` ${problem}; this is version ${VERSION}.`);
}

/** Below, at or above 0 as `a` is older than `b`, the same or newer; null when one is no version. */
export function compareVersions(a: string, b: string): number | null {
  const [left, right] = [a, b].map((text) => /^(\d+)\.(\d+)\.(\d+)$/.exec(text)?.slice(1).map(Number));
  if (!left || !right) return null;
  const at = left.findIndex((part, i) => part !== right[i]);
  return at < 0 ? 0 : left[at]! - right[at]!;
}
