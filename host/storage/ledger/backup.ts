import fs from 'node:fs';
import path from 'node:path';
import { syncFolder } from '../sync.js';

/** Names the manifest; it is put back after the files that it refers to. */
const POINTER = 'CURRENT';
/** RocksDB keeps it, also when it is closed. */
const LOCK = 'LOCK';
/** Errors of file systems without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Hard links to the files of a ledger, made before RocksDB opens it. A log that cannot be opened or read is skipped by RocksDB, because its
 * binding sets `paranoid_checks` to false; then RocksDB removes the log. With the links, the files can be put back as they were.
 * RocksDB does not change files that it finds: it writes new ones, and removes old ones.
 */
export class LedgerBackup {
  private constructor(
    private readonly folder: string,
    private readonly names: readonly string[],
  ) {}

  /** Replaces a backup of an opening that did not end. @throws system errors; then there is no backup */
  static make(folder: string): LedgerBackup {
    const names = fs.readdirSync(folder).filter((name) => name !== LOCK);
    const backup = new LedgerBackup(folder, names);
    backup.drop();
    try {
      fs.mkdirSync(backup.#place);
      for (const name of names) linkOrCopy(path.join(folder, name), path.join(backup.#place, name));
    } catch (error) {
      backup.drop();
      throw error;
    }
    return backup;
  }

  /** Puts the files back, after the store was closed. Needs no file descriptors for that. */
  restore(): void {
    const last = (name: string) => Number(name === POINTER);
    for (const name of [...this.names].sort((a, b) => last(a) - last(b))) {
      fs.renameSync(path.join(this.#place, name), path.join(this.folder, name));
    }
    try {
      for (const name of fs.readdirSync(this.folder)) {
        if (name !== LOCK && !this.names.includes(name)) fs.rmSync(path.join(this.folder, name), { force: true });
      }
      syncFolder(this.folder);
    } catch {
      // The files that came since contain no entries, and the next opening removes them.
    }
    this.drop();
  }

  /** What cannot be removed now, for want of file descriptors perhaps, is replaced by the next backup. */
  drop(): void {
    try {
      fs.rmSync(this.#place, { recursive: true, force: true });
    } catch {
      // The opening has succeeded, or failed with an error of its own, without regard to this.
    }
  }

  get #place(): string {
    return `${this.folder}.backup`;
  }
}

function linkOrCopy(from: string, to: string): void {
  try {
    fs.linkSync(from, to);
  } catch (error) {
    if (!NO_LINKS.has(String((error as NodeJS.ErrnoException).code))) throw error;
    fs.copyFileSync(from, to);
  }
}
