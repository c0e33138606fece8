import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';

const RECORDER = fileURLToPath(new URL('../../../../../host/test/support/disk/recorder.c', import.meta.url));

/** Environment variables with which a process loads the recorder. @param root the recorded folder. @param more further variables */
export function recorderEnvironment(library: string, root: string, more: Record<string, string>): Record<string, string> {
  // io_uring bypasses the C library
  return { LD_PRELOAD: library, RECORDED_FOLDER: root, UV_USE_IO_URING: '0', ...more };
}

/** Builds recorder.c into a folder; null without a C compiler or the preloading of libraries. */
export function buildRecorder(t: Test, folder: string): string | null {
  const library = path.join(folder, 'recorder.so');
  try {
    if (process.platform !== 'linux') throw new Error('not Linux');
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, RECORDER, '-ldl', '-lpthread'], { stdio: 'pipe' });
    return library;
  } catch (error) {
    t.comment(`this needs Linux and a C compiler: ${(error as Error).message}`);
    return null;
  }
}
