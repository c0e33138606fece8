import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';

/** Waits until what was written to a file is on disk. */
export async function syncFile(file: string): Promise<void> {
  const handle = await fs.open(file, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Makes new names in a folder durable. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Makes a folder, and those above it, where they are missing; they are on disk when it returns. */
export function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = path.resolve(folder); made !== path.dirname(path.resolve(first)); made = path.dirname(made))
    syncFolder(path.dirname(made));
}

/** Waits for the new names in a folder to be on disk; those that come while it is being done wait together for the next time. */
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
