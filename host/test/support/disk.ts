import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';

/** Mounts a file system in memory, of a size such as `64m`, for one test; null if mounting is not allowed. */
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
