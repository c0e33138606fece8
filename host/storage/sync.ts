import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';

/** Syncs a file to disk. */
export async function syncFile(file: string): Promise<void> {
  const handle = await fs.open(file, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Syncs the names of new files in a folder to disk. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Creates a folder and its missing parents; they are durable when it returns.
 * @returns the folders that it created, the innermost first
 */
export function makeFolder(folder: string): string[] {
  const first = mkdirSync(folder, { recursive: true });
  const made: string[] = [];
  if (first === undefined) return made;
  for (let each = path.resolve(folder); each !== path.dirname(path.resolve(first)); each = path.dirname(each)) made.push(each);
  for (const each of made) syncFolder(path.dirname(each));
  return made;
}

/** Syncs the names of new files in a folder; calls that arrive during a sync share the next one. */
export class FolderSync {
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(readonly folder: string) {}

  run(): Promise<void> {
    if (!this.#running) return this.#begin();
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = null;
        return this.#begin();
      });
    return this.#next;
  }

  #begin(): Promise<void> {
    const running = syncFile(this.folder).finally(() => {
      if (this.#running === running) this.#running = null;
    });
    this.#running = running;
    return running;
  }
}
