import path from 'node:path';
import type { EngineInstance } from '../../bindings/engine/instance.js';
import { bytesOfDocs } from '../../bindings/engine/segments.js';
import { INDEX_PREFIX, readRecord, TOMBSTONES_PREFIX } from '../index/commits/state.js';
import { PayloadFiles } from '../index/payloads/payload-files.js';
import type { IndexRecord, StoredSegment } from '../index/record.js';
import type { Ledger } from '../storage/ledger/ledger.js';
import type { TaskRecord } from '../tasks/task.js';
import { checkSegment } from './segment-check.js';

/** Something in a database that differs from what was written. */
export interface Damage {
  /** What is damaged, and how. */
  text: string;
  segment?: DamagedSegment;
}

export interface DamagedSegment {
  index: IndexRecord;
  stored: StoredSegment;
  readable: boolean;
  lostVectors: number[];
}

/** Checks every entry of the ledger, and every byte of the files that it refers to. @param instance a private engine instance */
export async function checkDatabase(database: string, ledger: Ledger, instance: EngineInstance): Promise<Damage[]> {
  const damage: Damage[] = [];
  const indexes: IndexRecord[] = [];
  const tombstones = new Map<number, number>();
  for await (const [key, value] of ledger.iterate('')) {
    if (key.startsWith(TOMBSTONES_PREFIX)) tombstones.set(Number(key.slice(TOMBSTONES_PREFIX.length)), value.length);
    else if (key.startsWith(INDEX_PREFIX)) {
      if (readable(key, value, damage)) indexes.push(readRecord(value));
    } else if (key.startsWith('task/')) {
      const task = readable(key, value, damage) as TaskRecord | null;
      if (task) damage.push(...damageOfPayload(path.join(database, 'payloads'), task));
    } else if (key.startsWith('batch/') || key.startsWith('names/')) readable(key, value, damage);
  }
  for (const index of indexes) {
    for (const stored of index.segments) {
      const { problems, readable, lostVectors } = checkSegment(instance, path.join(database, 'segments', stored.file), stored);
      const bitmap = tombstones.get(stored.id);
      if (bitmap !== undefined && bitmap < bytesOfDocs(stored.docCount)) problems.push('its deleted documents are damaged');
      for (const problem of problems)
        damage.push({
          text: `index \`${index.uid}\`, segment ${stored.file} (${stored.liveCount} documents): ${problem}`,
          segment: { index, stored, readable, lostVectors },
        });
    }
  }
  return damage;
}

function readable(key: string, value: Buffer, damage: Damage[]): unknown {
  try {
    return JSON.parse(value.toString());
  } catch {
    damage.push({ text: `the ledger: its entry \`${key}\` is damaged` });
    return null;
  }
}

function damageOfPayload(folder: string, { uid, work }: TaskRecord): Damage[] {
  if (work?.kind !== 'import' || work.file === null) return [];
  const files = new PayloadFiles(folder);
  try {
    const payload = files.reader(work.file);
    if (payload.count > 0) payload.document(payload.count - 1);
    return [];
  } catch (error) {
    return [{ text: `task ${uid}: the file of its documents, ${work.file}, cannot be read: ${(error as Error).message}` }];
  } finally {
    files.close();
  }
}
