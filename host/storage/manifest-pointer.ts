import fs from 'node:fs';
import path from 'node:path';
import { syncFolder } from './sync.js';

const POINTER = 'CURRENT';
const MANIFEST = /^MANIFEST-(\d+)$/;

/**
 * Has the pointer of a ledger name a manifest that is there. RocksDB begins a new manifest when it opens; where the folder cannot be synced
 * after the pointer names it, RocksDB removes it, keeps the one before it with all it names, and never opens the ledger again. Without any
 * manifest nothing is changed.
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
