import path from 'node:path';

/** Added to the path of a folder, it is another name of the same folder. */
const SAME_FOLDER = '/.';

/**
 * The names by which RocksDB opens folders in this process. RocksDB refuses a lock file that the process holds already, by its name. It also
 * keeps the name of one that it could not open, for want of file descriptors, and refuses it until the process ends. Therefore such a
 * folder has another name from then on, and that a folder is opened once is ensured here.
 */
const open = new Set<string>();
const lost = new Map<string, number>();

/** The name of a folder that is to be opened. @throws {Error} when this process has it open */
export function claimFolder(folder: string): string {
  const resolved = path.resolve(folder);
  if (open.has(resolved)) throw new Error(`the lock file of ${folder} is held by this process`);
  open.add(resolved);
  return folder + SAME_FOLDER.repeat(lost.get(resolved) ?? 0);
}

/** The folder was closed, or could not be opened. */
export function releaseFolder(folder: string): void {
  open.delete(path.resolve(folder));
}

/** To be called with the error of an opening. */
export function noteLostName(folder: string, error: unknown): void {
  if (!/open a file for lock/.test(String((error as Error).message))) return;
  const resolved = path.resolve(folder);
  lost.set(resolved, (lost.get(resolved) ?? 0) + 1);
}
