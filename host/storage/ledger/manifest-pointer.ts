import fs from 'node:fs';
import path from 'node:path';
import { syncFolder } from '../sync.js';

const POINTER = 'CURRENT';
const MANIFEST = /^MANIFEST-(\d+)$/;

/**
 * Points RocksDB's CURRENT file to an existing manifest. On opening, RocksDB starts a new manifest; if the folder cannot be
 * synced after CURRENT refers to it, RocksDB removes the new manifest but not the reference, keeps the old manifest with all its
 * files, and can never open the ledger again. Changes nothing if there is no manifest at all.
 */
export function restoreManifestPointer(folder: string): void {
  const pointer = path.join(folder, POINTER);
  const names = fs.existsSync(pointer) ? fs.readdirSync(folder) : [];
  if (names.length === 0 || names.includes(fs.readFileSync(pointer, 'utf8').trim())) return;
  const number = (name: string) => Number(MANIFEST.exec(name)?.[1]);
  const newest = names.filter((name) => MANIFEST.test(name)).sort((a, b) => number(b) - number(a))[0];
  if (newest === undefined) return;
  const written = `${pointer}.restored`;
  fs.writeFileSync(written, `${newest}\n`, { flush: true });
  fs.renameSync(written, pointer);
  syncFolder(folder);
}
