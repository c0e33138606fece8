import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';
import type { DocumentOperation } from '../../index/document-operations.js';
import type { Draft } from '../../index/draft.js';
import { IndexStore, type IndexStoreOptions } from '../../index/index-store.js';
import type { PayloadFormat } from '../../index/payloads/scanned-payload.js';
import { SearchPool } from '../../search/pool/pool.js';
import { Ledger } from '../../storage/ledger/ledger.js';

const encoder = new TextEncoder();
/** Search threads that a test starts; memories may have room for more. */
const MAX_THREADS = 2;

/** An index store with its own folder, and what the scheduler does around it. */
export class TestDatabase {
  #clock = 0;

  private constructor(
    readonly folder: string,
    readonly ledger: Ledger,
    public indexStore: IndexStore,
    public searches: SearchPool,
    readonly options: Partial<IndexStoreOptions>,
    /** Faults that search threads reported. */
    readonly faults: string[],
  ) {}

  static async open(t: Test, options: Partial<IndexStoreOptions> = {}): Promise<TestDatabase> {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'peregrine-indexes-'));
    const ledger = await Ledger.open(path.join(folder, 'ledger'));
    const faults: string[] = [];
    const indexStore = await openIndexes(folder, ledger, options);
    const test = new TestDatabase(folder, ledger, indexStore, await startSearches(indexStore, options, faults), options, faults);
    t.teardown(async () => {
      await test.close();
      await ledger.close();
      fs.rmSync(folder, { recursive: true });
    });
    return test;
  }

  /** Closes and opens everything, as a restart of the process does. */
  async reopen(): Promise<void> {
    await this.close();
    this.indexStore = await openIndexes(this.folder, this.ledger, this.options);
    this.searches = await startSearches(this.indexStore, this.options, this.faults);
  }

  async close(): Promise<void> {
    await Promise.all([this.searches.close(), this.indexStore.close()]);
  }

  /** Dates that tests can distinguish. */
  now(): string {
    return new Date(Date.UTC(2030, 0, 1) + this.#clock++).toISOString();
  }

  async commit(drafts: Draft | Draft[] | null): Promise<void> {
    const list = [drafts ?? []].flat();
    await this.ledger.write(
      list.flatMap(({ writes }) => writes),
      true,
    );
    for (const draft of list) draft.publish();
  }

  async create(uid: string, primaryKey: string | null = null): Promise<void> {
    await this.commit(this.indexStore.createIndex(uid, primaryKey, this.now()));
  }

  async payload(documents: unknown[] | string, format: PayloadFormat = 'json', delimiter?: string): Promise<string> {
    const text = typeof documents === 'string' ? documents : JSON.stringify(documents);
    return (await this.indexStore.payloads.store([Buffer.from(text)], format, { csvDelimiter: delimiter })).file;
  }

  async add(documents: unknown[] | string, options: Partial<Extract<DocumentOperation, { type: 'add' }>> = {}) {
    const file = await this.payload(documents);
    return { type: 'add', file, method: 'replace', primaryKey: null, skipCreation: false, ...options } as const;
  }

  /** Applies and commits a batch; results as counts or error codes. */
  async apply(uid: string, ...operations: DocumentOperation[]): Promise<(number | string)[]> {
    const { results, draft } = await this.indexStore.documents.apply(uid, operations, this.now());
    await this.commit(draft);
    return results.map((result) => (result.ok ? result.count : result.error.code));
  }

  /** Documents of an index in internal order. */
  async documents(uid: string, query: [string, string][] = []): Promise<Record<string, unknown>[]> {
    const { status, body } = await this.searches.search('documents', uid, { query: [['limit', '100000'], ...query] });
    const answer = JSON.parse(new TextDecoder().decode(body));
    if (status !== 200) throw new Error(JSON.stringify(answer));
    return answer.results;
  }

  async search(uid: string, request: unknown): Promise<{ hits: Record<string, unknown>[]; [member: string]: unknown }> {
    const { status, body } = await this.searches.search('search', uid, { body: encoder.encode(JSON.stringify(request)) });
    const answer = JSON.parse(new TextDecoder().decode(body));
    if (status !== 200) throw new Error(JSON.stringify(answer));
    return answer;
  }

  get segmentFiles(): string[] {
    return fs.readdirSync(path.join(this.folder, 'segments')).sort();
  }
}

function startSearches(indexStore: IndexStore, options: Partial<IndexStoreOptions>, faults: string[]): Promise<SearchPool> {
  const threads = Math.min(options.searchThreads ?? 1, MAX_THREADS);
  const queue = { capacity: 1000, maxWait: 60_000, parallel: threads * 4 };
  return SearchPool.over(indexStore, { threads, queue, onFault: (message) => faults.push(message) });
}

function openIndexes(folder: string, ledger: Ledger, options: Partial<IndexStoreOptions>): Promise<IndexStore> {
  return IndexStore.open({
    ledger,
    folder,
    searchThreads: 1,
    indexThreads: 1,
    maxIndexingMemory: 1 << 30,
    ...options,
  });
}
