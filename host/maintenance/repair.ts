import fs from 'node:fs';
import path from 'node:path';
import { builderConfig } from '../../bindings/engine/builder-config.js';
import { type EngineInstance, privateInstance } from '../../bindings/engine/instance.js';
import { keepWordList } from '../../bindings/engine/word-lists.js';
import { addDelta, deltaOf, Tally } from '../index/build/batch/tally.js';
import { SegmentWriter } from '../index/build/segments/segment-writer.js';
import { EMPTY_STATS, INDEX_PREFIX, TOMBSTONES_PREFIX } from '../index/commits/state.js';
import { readWordList, wordListSizes } from '../index/memory/word-lists.js';
import type { IndexRecord, StoredSegment } from '../index/record.js';
import type { Ledger, LedgerWrite } from '../storage/ledger/ledger.js';
import { makeFolder, syncFolder } from '../storage/sync.js';
import type { Damage, DamagedSegment } from './check.js';
import { salvage } from './salvage.js';

/** Bytes of memory for a segment builder; larger segments are split. */
const BUILDER_BYTES = 256 << 20;
/** Folder to which replaced files are moved: nothing is deleted. */
const DAMAGED = 'damaged';

/**
 * Rebuilds damaged segments from the documents that can be read, each index in one write to the ledger. Replaced files are moved
 * to the folder `damaged`.
 * @returns what was done, one line each
 */
export async function repairDatabase(
  database: string,
  ledger: Ledger,
  plain: WebAssembly.Module,
  damage: readonly Damage[],
): Promise<string[]> {
  const segments = new Map(damage.flatMap(({ segment }) => (segment ? [[segment.stored.id, segment] as const] : [])));
  const indexes = new Map([...segments.values()].map(({ index }) => [index.uid, index]));
  const done: string[] = [];
  for (const index of indexes.values()) done.push(await repairIndex({ database, ledger, plain, segments, index }));
  return done;
}

interface Repair {
  database: string;
  ledger: Ledger;
  plain: WebAssembly.Module;
  /** The damaged segments, by their id. */
  segments: ReadonlyMap<number, DamagedSegment>;
  index: IndexRecord;
}

async function repairIndex({ database, ledger, plain, segments, index }: Repair): Promise<string> {
  const folder = path.join(database, 'segments');
  const instance = engineWithWordLists(plain);
  const primaryKey = index.primaryKey ?? '';
  const tally = new Tally(instance);
  const kept: StoredSegment[] = [];
  const writes: LedgerWrite[] = [];
  const replaced: string[] = [];
  let fields = index.fields;
  const embedders = new Set(Object.values(index.settings.embedders).map(({ id }) => id));
  for (const stored of index.segments) {
    const found = segments.get(stored.id);
    const bitmap = await ledger.get(TOMBSTONES_PREFIX + stored.id);
    const file = path.join(folder, stored.file);
    const documents = found?.readable === false ? [] : salvage(plain, file, stored, bitmap, primaryKey, found?.lostVectors);
    if (!found) {
      for (const { json, vectors } of documents) tally.count(json, 1, vectors);
      kept.push(stored);
      continue;
    }
    const writer = new SegmentWriter({
      instance,
      config: builderConfig(index.settings, fields, primaryKey),
      folder,
      nextId: () => newestOf(database) + 1,
      memoryBudget: BUILDER_BYTES,
      provideWordList: (list) => {
        const bytes = readWordList(list);
        if (bytes) keepWordList(instance, list, bytes);
      },
      onWrite: () => {},
    });
    for (const { internalId, key, json, vectors } of documents) {
      const wanted = vectors.filter(({ embedder }) => embedders.has(embedder));
      writer.add(internalId, key, json, wanted);
      tally.count(json, 1, wanted);
    }
    kept.push(...writer.finish());
    fields = writer.fields;
    writes.push({ type: 'del', key: TOMBSTONES_PREFIX + stored.id });
    replaced.push(stored.file);
  }
  const stats = addDelta(EMPTY_STATS, deltaOf(tally));
  const record: IndexRecord = { ...index, fields, segments: kept, stats };
  writes.push({ type: 'put', key: INDEX_PREFIX + index.uid, value: Buffer.from(JSON.stringify(record)) });
  await ledger.write(writes, true);
  moveDamaged(database, replaced);
  return `index \`${index.uid}\`: ${replaced.join(', ')} built anew; ${lossOf(index.stats, stats)}`;
}

/** An instance with memory for all word lists. */
function engineWithWordLists(plain: WebAssembly.Module): EngineInstance {
  return privateInstance(
    plain,
    wordListSizes().reduce((sum, bytes) => sum + bytes + (64 << 10), 4 << 20),
  );
}

/** What could not be read, in words. */
function lossOf(before: IndexRecord['stats'], after: IndexRecord['stats']): string {
  const lost = before.documents - after.documents;
  const documents =
    lost === 0 ? 'all documents are there' : `${lost} of ${before.documents} documents could not be read: send them again`;
  const gone = before.embeddings - after.embeddings;
  return documents + (gone > 0 ? `; ${gone} of ${before.embeddings} vectors could not be read` : '');
}

/** The highest segment id ever used, as far as file names show. */
function newestOf(database: string): number {
  const folders = ['segments', DAMAGED].map((name) => path.join(database, name)).filter((folder) => fs.existsSync(folder));
  return Math.max(0, ...folders.flatMap((folder) => fs.readdirSync(folder).map((file) => Number.parseInt(file, 10) || 0)));
}

/** Moves segment files out of the way: nothing is deleted. */
export function moveDamaged(database: string, files: readonly string[]): void {
  const [from, to] = [path.join(database, 'segments'), path.join(database, DAMAGED)];
  makeFolder(to);
  for (const file of files) {
    if (fs.existsSync(path.join(from, file))) fs.renameSync(path.join(from, file), path.join(to, file));
  }
  syncFolder(to);
  syncFolder(from);
}
