import fs from 'node:fs/promises';
import path from 'node:path';
import { makeFolder, syncFolder } from '../storage/sync.js';

const FOLDER = 'staging';

/** A folder inside the database for files under construction: on the disk of the segments, so that hard links work. */
export class Staging {
  private constructor(readonly folder: string) {}

  static async open(database: string): Promise<Staging> {
    const parent = path.join(database, FOLDER);
    await fs.mkdir(parent, { recursive: true });
    return new Staging(await fs.mkdtemp(`${parent}${path.sep}`));
  }

  /** Removes what an interrupted process left. */
  static async clear(database: string): Promise<void> {
    await fs.rm(path.join(database, FOLDER), { recursive: true, force: true });
  }

  path(...names: string[]): string {
    return path.join(this.folder, ...names);
  }

  async remove(): Promise<void> {
    await fs.rm(this.folder, { recursive: true, force: true });
  }
}

/** Moves a finished file to its destination, replacing an existing one; the destination never has partial content. */
export async function deliver(file: string, target: string, mode: number): Promise<void> {
  const folder = path.dirname(target);
  makeFolder(folder);
  await fs.chmod(file, mode);
  try {
    await fs.rename(file, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await copyOver(file, target);
  }
  syncFolder(folder);
}

/** For a destination on another disk. */
async function copyOver(file: string, target: string): Promise<void> {
  const draft = `${target}.part`;
  try {
    await fs.rm(draft, { force: true });
    await fs.copyFile(file, draft);
    const handle = await fs.open(draft, 'r');
    await handle.sync().finally(() => handle.close());
    await fs.rename(draft, target);
  } catch (error) {
    await fs.rm(draft, { force: true });
    throw error;
  }
  await fs.rm(file);
}
