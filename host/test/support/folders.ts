import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';

/** A folder that is removed after the test. */
export function testFolder(t: Test): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'peregrine-transfer-'));
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The only file of a folder with this ending. */
export function onlyFile(folder: string, ending: string): string {
  const names = fs.readdirSync(folder).filter((name) => name.endsWith(ending));
  if (names.length !== 1) throw new Error(`${folder} holds ${names.join(', ') || 'nothing'}`);
  return path.join(folder, names[0]!);
}
