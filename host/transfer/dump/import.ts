import fs from 'node:fs';
import path from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { dimensionsOf } from '../../../bindings/embedders/models.js';
import { ApiError } from '../../../bindings/errors.js';
import type { EmbedderSettings, IndexSettings } from '../../../bindings/index-types.js';
import type { JsonObject } from '../../../bindings/query/json.js';
import { readObjectBody } from '../../../bindings/query/validate.js';
import { importedWorkspace } from '../../chats/settings.js';
import { workspaceWrite } from '../../chats/store.js';
import type { Draft } from '../../index/draft.js';
import type { IndexStore } from '../../index/index-store.js';
import type { PayloadFormat } from '../../index/payloads/scanned-payload.js';
import { applySettings, readSettings } from '../../index/settings/patch.js';
import { DEFAULT_SETTINGS, SETTINGS } from '../../index/settings/settings.js';
import type { Ledger, LedgerWrite } from '../../storage/ledger/ledger.js';
import { putBatch, putTask } from '../../tasks/queue/records.js';
import { ArchiveError } from '../archive.js';
import { writeInstanceUid } from '../instance-uid.js';
import { chunksOfLines } from '../lines.js';
import type { Staging } from '../staging.js';
import { type DumpKey, putKey, readKey } from './key-form.js';
import { DUMP, SINGLE_FACTS } from './layout.js';
import { type DumpBatch, type DumpTask, readBatch, readTask } from './task-form.js';
import { UnpackedDump } from './unpacked-dump.js';

export interface DumpTarget {
  ledger: Ledger;
  indexStore: IndexStore;
  /** Folder of the database. */
  database: string;
  staging: Staging;
  log: FastifyBaseLogger;
}

/** Bytes of documents that are indexed in one batch. */
const CHUNK_BYTES = 64 << 20;
/** Records per write to the ledger. */
const WRITTEN_AT_ONCE = 1000;
const LINES: PayloadFormat = 'ndjson';

/**
 * Fills a new database from a dump.
 * @throws {ArchiveError} when the file is damaged, not a dump of a known version, or has invalid content
 */
export async function importDump(file: string, target: DumpTarget): Promise<void> {
  const dump = await UnpackedDump.open(file, target.staging);
  const { ledger, database } = target;
  const uid = dump.text(DUMP.instanceUid);
  if (uid) await writeInstanceUid(database, uid.trim());
  for (const { name, write } of SINGLE_FACTS) {
    const fact = dump.json(name);
    if (fact) await ledger.write(write(fact), false);
  }
  for (const uid of dump.workspaces) {
    const settings = dump.json(DUMP.workspace(uid));
    if (settings) await ledger.write([workspaceWrite(uid, importedWorkspace(settings))], false);
  }
  await store(ledger, dump.lines<DumpKey>(DUMP.keys), (line) => putKey(readKey(line)));
  for (const name of dump.indexes) await new IndexImport(name, dump, target).run();
  await store(ledger, dump.lines<DumpBatch>(DUMP.batches), (line) => putBatch(readBatch(line)));
  await store(ledger, dump.lines<DumpTask>(DUMP.tasks), (line) => pendingTask(line, dump, target));
}

async function store<T>(
  ledger: Ledger,
  lines: AsyncIterable<T>,
  write: (line: T) => LedgerWrite | Promise<LedgerWrite>,
): Promise<void> {
  let writes: LedgerWrite[] = [];
  for await (const line of lines) {
    writes.push(await write(line));
    if (writes.length < WRITTEN_AT_ONCE) continue;
    await ledger.write(writes, false);
    writes = [];
  }
  await ledger.write(writes, false);
}

/** The record of a task; the documents of a waiting one become a payload again. */
async function pendingTask(line: DumpTask, dump: UnpackedDump, { indexStore }: DumpTarget): Promise<LedgerWrite> {
  const task = readTask(line);
  if (task.work?.kind !== 'import') return putTask(task);
  const file = dump.required(DUMP.payload(task.uid));
  const payload = await indexStore.payloads.store(fs.createReadStream(file) as AsyncIterable<Buffer>, LINES);
  return putTask({ ...task, work: { ...task.work, file: payload.file, bytes: payload.bytes } });
}

class IndexImport {
  constructor(
    readonly uid: string,
    readonly dump: UnpackedDump,
    readonly target: DumpTarget,
  ) {}

  /** @throws {ArchiveError} */
  async run(): Promise<void> {
    try {
      await this.#run();
    } catch (error) {
      throw error instanceof ApiError ? new ArchiveError(`the index \`${this.uid}\`: ${error.message}`) : error;
    }
  }

  async #run(): Promise<void> {
    const { indexStore, log } = this.target;
    const files = DUMP.index(this.uid);
    for (const name of Object.values(files)) this.dump.required(name);
    const metadata = this.dump.json(files.metadata);
    if (metadata === null) throw new ArchiveError(`\`${files.metadata}\` in it is empty`);
    const { primaryKey, createdAt, updatedAt } = metadata;
    await this.#commit(indexStore.createIndex(this.uid, (primaryKey as string | null) ?? null, createdAt as string));
    await this.#commit(await indexStore.settings.change(this.uid, await this.#settings(), updatedAt as string));
    const documents = this.dump.required(files.documents);
    for await (const chunk of chunksOfLines(documents, CHUNK_BYTES)) await this.#add(chunk, updatedAt as string);
    for (let merged = true; merged; ) {
      const draft = await indexStore.merges.mergeIfWorthwhile(this.uid);
      if (draft) await this.#commit(draft);
      merged = draft !== null;
    }
    log.info({ index: this.uid, documents: indexStore.indexes.get(this.uid)!.stats.documents }, 'index imported');
  }

  async #settings(): Promise<IndexSettings> {
    const sent = readObjectBody(fs.readFileSync(this.dump.required(DUMP.index(this.uid).settings)));
    const unknown = [...sent.keys()].filter((name) => !Object.hasOwn(SETTINGS, name));
    if (unknown.length > 0)
      this.target.log.warn({ index: this.uid, settings: unknown }, 'settings that are not known are left out');
    for (const name of unknown) sent.delete(name);
    if (!this.#takesEmbedders(sent)) sent.delete('embedders');
    return this.#sized(applySettings(DEFAULT_SETTINGS, readSettings(sent).patch, this.uid));
  }

  /** Dimensions that can only be found by calling the model are taken from the vectors of the first documents. */
  async #sized(settings: IndexSettings): Promise<IndexSettings> {
    const unsized = new Map(Object.entries(settings.embedders).filter(([, embedder]) => dimensionsOf(embedder) === undefined));
    if (unsized.size === 0) return settings;
    const documents = this.dump.required(DUMP.index(this.uid).documents);
    const embedders = new Map(Object.entries(settings.embedders));
    for await (const chunk of chunksOfLines(documents, SAMPLE_BYTES)) {
      for (const [name, dimensions] of dimensionsIn(chunk, unsized))
        embedders.set(name, sizedEmbedder(unsized.get(name)!, dimensions));
      break;
    }
    return { ...settings, embedders: Object.fromEntries(embedders) };
  }

  /** Whether the embedders can be used here. A dump is imported even without them; its documents keep their `_vectors`. */
  #takesEmbedders(sent: JsonObject): boolean {
    const embedders = sent.get('embedders');
    if (embedders === undefined) return true;
    try {
      applySettings(DEFAULT_SETTINGS, readSettings(new Map([['embedders', embedders]])).patch, this.uid);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.target.log.warn({ index: this.uid, reason: error.message }, 'the embedders are left out');
      return false;
    }
  }

  async #add(chunk: Buffer, date: string): Promise<void> {
    const { indexStore, database } = this.target;
    const { file } = await indexStore.payloads.store([chunk], LINES);
    const operation = { type: 'add', file, method: 'replace', primaryKey: null, skipCreation: false, imported: true } as const;
    const { results, draft } = await indexStore.documents.apply(this.uid, [operation], date);
    const refused = results.find((result) => !result.ok);
    if (refused && !refused.ok) throw refused.error;
    await this.#commit(draft);
    await fs.promises.rm(path.join(database, 'payloads', file));
  }

  /** An interrupted import is discarded, so nothing needs to be durable before its end. */
  async #commit(draft: Draft): Promise<void> {
    await this.target.ledger.write(draft.writes, false);
    draft.publish();
  }
}

/** Bytes of documents that are searched for the dimensions of vectors. */
const SAMPLE_BYTES = 1 << 20;

/** The dimensions of some embedders, taken from lines of documents. */
function dimensionsIn(lines: Buffer, embedders: ReadonlyMap<string, EmbedderSettings>): Map<string, number> {
  const found = new Map<string, number>();
  for (const line of lines.toString().split('\n')) {
    if (found.size === embedders.size) break;
    if (!line.includes('"_vectors"')) continue;
    const vectors: unknown = JSON.parse(line)._vectors;
    if (typeof vectors !== 'object' || vectors === null) continue;
    for (const [name, entry] of Object.entries(vectors)) {
      const first: unknown = entry?.embeddings?.[0];
      if (embedders.has(name) && Array.isArray(first)) found.set(name, first.length);
    }
  }
  return found;
}

function sizedEmbedder(embedder: EmbedderSettings, inferredDimensions: number): EmbedderSettings {
  const { searchEmbedder, indexingEmbedder } = embedder;
  if (!searchEmbedder || !indexingEmbedder) return { ...embedder, inferredDimensions };
  return {
    ...embedder,
    searchEmbedder: { ...searchEmbedder, inferredDimensions },
    indexingEmbedder: { ...indexingEmbedder, inferredDimensions },
  };
}
