import fs from 'node:fs/promises';
import type { Dispatcher } from 'undici';
import { own } from '../../bindings/own.js';
import { fitsIndex } from '../auth/index-patterns.js';
import type { IndexRecord } from '../index/record.js';
import { shownSettings } from '../index/settings/settings.js';
import { type Execution, type Outcome, succeeded } from '../tasks/executors/outcome.js';
import type { ExportedPattern, TaskRecord } from '../tasks/task.js';
import { ExportClient } from './export-client.js';
import { Staging } from './staging.js';

export interface ExportResources {
  /** Folder of the database. */
  database: string;
  /** Largest request body, in bytes. */
  payloadLimit: number;
  /** Connects to permitted addresses only. */
  dispatcher: Dispatcher;
}

/** Bytes by which a body stays below our own size limit, though it has at least {@link MIN_PAYLOAD_BYTES}. */
const MARGIN = 1 << 20;
const MIN_PAYLOAD_BYTES = 20 << 20;

/** Sends settings and documents of indexes to another instance, without waiting for its tasks. */
export async function executeExport([task]: TaskRecord[], execution: Execution, resources: ExportResources): Promise<Outcome> {
  if (task!.work?.kind !== 'export') throw new Error(`task ${task!.uid} exports nothing`);
  const { url, apiKey, payloadSize, indexes: patterns } = task!.work;
  const chosen = chosenIndexes([...execution.indexStore.indexes.values()], patterns);
  const indexes = new Map<string, ExportedPattern & { matchedDocuments: number }>();
  if (chosen.length > 0) {
    const client = new ExportClient({ url, apiKey, dispatcher: resources.dispatcher, signal: execution.signal });
    const cutAt = payloadSize ?? Math.max(resources.payloadLimit - MARGIN, MIN_PAYLOAD_BYTES);
    const staging = await Staging.open(resources.database);
    try {
      for (const [i, { index, how }] of chosen.entries()) {
        execution.report(1)('exporting the indexes', i, chosen.length);
        const matchedDocuments = await exportIndex(index, how, { client, cutAt, staging, execution });
        indexes.set(index.uid, { ...how, matchedDocuments });
      }
    } finally {
      await staging.remove();
    }
  }
  return { ended: [succeeded(task!, { indexes: Object.fromEntries(indexes) })], drafts: [] };
}

/** Each index with the first pattern that matches it. */
function chosenIndexes(indexes: IndexRecord[], patterns: Record<string, ExportedPattern>) {
  const names = Object.keys(patterns).sort();
  return indexes
    .sort((a, b) => (a.uid < b.uid ? -1 : 1))
    .flatMap((index) => {
      const name = names.find((pattern) => fitsIndex(pattern, index.uid));
      return name === undefined ? [] : [{ index, how: own(patterns, name)! }];
    });
}

interface ExportContext {
  client: ExportClient;
  cutAt: number;
  staging: Staging;
  execution: Execution;
}

/** @returns the number of documents sent */
async function exportIndex(
  { uid, primaryKey, settings }: IndexRecord,
  { filter, overrideSettings }: ExportedPattern,
  { client, cutAt, staging, execution }: ExportContext,
): Promise<number> {
  const file = staging.path('documents');
  // An invalid filter is reported before anything changes on the other instance.
  const { count, files } = await execution.indexStore.documents.extract(uid, { filter, file, cutAt }, execution.reportJob(2));
  const exists = (await client.send({ method: 'GET', path: `/indexes/${uid}` }, [404])) !== 404;
  if (!exists) await client.send({ method: 'POST', path: '/indexes', json: { uid, primaryKey } });
  else if (overrideSettings) await client.send({ method: 'PATCH', path: `/indexes/${uid}`, json: { primaryKey } });
  if (!exists || overrideSettings) {
    await client.send({ method: 'PATCH', path: `/indexes/${uid}/settings`, json: shownSettings(settings) });
  }
  for (const [i, part] of files.entries()) {
    execution.report(2)('sending documents', i, files.length);
    await client.send({ method: 'POST', path: `/indexes/${uid}/documents`, documents: await fs.readFile(part) });
    await fs.rm(part);
  }
  return count;
}
