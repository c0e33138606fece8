import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';

/** A file system of its own in memory, as small as asked (`64m`), for the length of a test; null where that is not allowed. */
export function smallDisk(t: Test, size: string): string | null {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'peregrine-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    fs.rmdirSync(folder);
    t.comment('this needs the right to mount a small file system');
    return null;
  }
  t.teardown(() => {
    execFileSync('umount', ['-l', folder]);
    fs.rmdirSync(folder);
  });
  return folder;
}
