import { builderConfig } from '../../../bindings/engine/builder-config.js';
import type { EngineInstance } from '../../../bindings/engine/instance.js';
import { compactJson, documentKey, mergeObjects, topLevelNames } from '../../../bindings/engine/json.js';
import type { OpenSegment } from '../../../bindings/engine/segments.js';
import { ApiError } from '../../../bindings/errors.js';
import type { IndexView } from '../../../bindings/index-types.js';
import { checkFilter } from '../../../bindings/query/filter-check.js';
import { evaluateFilter } from '../../../bindings/query/filter-evaluate.js';
import { parseFilter } from '../../../bindings/query/filter-parse.js';
import { addBit, bitmapFor } from '../commits/tombstones.js';
import { firstBeyondFieldLimit } from '../payloads/field-limit.js';
import { PayloadFiles, type PayloadReader } from '../payloads/payload.js';
import type { DocumentOperation, IdRange, StoredSegment } from '../types.js';
import { FreshDocuments } from './fresh-documents.js';
import { IdAllocator } from './id-ranges.js';
import { KeyList, KeyTable } from './key-table.js';
import { type PendingDocument, PendingDocuments } from './pending.js';
import { chosenPrimaryKey, inferPrimaryKey } from './primary-key.js';
import { checkReserved, reservedMembers } from './reserved.js';
import { SegmentWriter } from './segment-writer.js';
import { StoredDocuments } from './stored-documents.js';
import { deltaOf, type StatsDelta, Tally } from './tally.js';
import type { BuildResources } from './worker-jobs.js';

export interface ApplyInput {
  view: IndexView;
  freeIds: IdRange[];
  nextInternalId: number;
  operations: DocumentOperation[];
  /** Folder of the payload files. */
  payloads: string;
}

export type PlainResult = { ok: true; count: number } | { ok: false; code: string; message: string };

export interface ApplyOutput {
  results: PlainResult[];
  primaryKey: string | null;
  fields: string[];
  segments: StoredSegment[];
  /** Bitmaps of local numbers deleted or replaced, by segment id. */
  deleted: [segment: number, bitmap: Uint8Array][];
  freeIds: IdRange[];
  nextInternalId: number;
  delta: StatsDelta;
}

type AddOperation = Extract<DocumentOperation, { type: 'add' }>;

/** Of the memory for a builder: what is left to it however many ids there are. */
const LEAST_SHARE = 0.1;

/** Applies a batch of operations in order, as if one at a time; an operation that fails changes nothing of its own. */
export function applyDocuments(input: ApplyInput, resources: BuildResources): ApplyOutput {
  const refused = new Map<number, ApiError>();
  for (;;) {
    const batch = new DocumentBatch(input, resources, refused);
    try {
      return batch.run();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'max_fields_limit_exceeded') throw error;
      // documents are built in the order of their ids, so which operation is at fault is found out apart
      const operation = firstBeyondFieldLimit(resources.instance, input, refused);
      if (operation < 0) throw error;
      refused.set(operation, error);
    } finally {
      batch.close();
    }
  }
}

class DocumentBatch {
  readonly #instance: EngineInstance;
  readonly #stored: StoredDocuments | null;
  readonly #pending: PendingDocuments;
  readonly #files: PayloadFiles;
  readonly #payloads = new Map<number, PayloadReader>();
  /** Documents of all payloads, and those looked at. */
  #received = 0;
  #checked = 0;
  #primaryKey: string | null;
  readonly #adds: boolean;

  constructor(
    readonly input: ApplyInput,
    readonly resources: BuildResources,
    /** Operations known to fail. */
    readonly refused: Map<number, ApiError>,
  ) {
    this.#instance = resources.instance;
    const { view, operations } = input;
    this.#files = new PayloadFiles(input.payloads);
    this.#stored = view.segments.length ? new StoredDocuments(resources.open(view)) : null;
    this.#pending = new PendingDocuments(this.#stored);
    this.#primaryKey = view.primaryKey;
    this.#adds = operations.some(({ type }) => type === 'add');
  }

  run(): ApplyOutput {
    for (const [index, operation] of this.input.operations.entries()) if (operation.type === 'add') this.#open(index, operation);
    const results = this.input.operations.map((operation, index) => this.#result(operation, index));
    return { results, ...this.#build() };
  }

  close(): void {
    this.#files.close();
  }

  #result(operation: DocumentOperation, index: number): PlainResult {
    try {
      const refusal = this.refused.get(index);
      if (refusal) throw refusal;
      return { ok: true, count: this.#operate(operation, index) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { ok: false, code: error.code, message: error.message };
    }
  }

  #operate(operation: DocumentOperation, index: number): number {
    switch (operation.type) {
      case 'add':
        return this.#add(operation, index);
      case 'deleteByIds':
        return this.#deleteByIds(operation.ids);
      case 'deleteByFilter':
        return this.#deleteByFilter(operation.filter);
    }
  }

  #open(index: number, { file, at }: AddOperation): void {
    const payload = this.#files.reader(file, at);
    this.#payloads.set(index, payload);
    this.#received += payload.count;
  }

  /** Checks the whole payload before any of it counts. */
  #add(operation: AddOperation, index: number): number {
    const { view } = this.input;
    const payload = this.#payloads.get(index) as PayloadReader;
    if (payload.count === 0) {
      this.#primaryKey ??= operation.primaryKey;
      return 0;
    }
    const primaryKey =
      chosenPrimaryKey(view.uid, this.#primaryKey, operation.primaryKey) ??
      inferPrimaryKey(view.uid, topLevelNames(this.#instance, payload.document(0)));
    const reserved = reservedMembers(view.settings);
    const keys = new KeyList();
    for (let document = 0; document < payload.count; document++) {
      const json = payload.document(document);
      const key = this.#key(json, primaryKey, document);
      checkReserved(reserved, key, json);
      keys.push(key);
      this.resources.progress('checking documents', this.#checked++, this.#received);
    }
    const distinct = new KeyTable();
    for (let document = 0; document < keys.count; document++) {
      const key = keys.get(document);
      distinct.add(key);
      this.#pending.add(key, { payload: index, index: document }, operation.method, operation.skipCreation);
    }
    this.#primaryKey = primaryKey;
    return distinct.count;
  }

  #key(json: Uint8Array, primaryKey: string, document: number): Uint8Array {
    const found = documentKey(this.#instance, json, primaryKey);
    if (found.kind === 'ok') return found.key;
    const place = `Document ${document + 1} of the payload`;
    if (found.kind === 'missing') {
      throw new ApiError('missing_document_id', `${place} has no member \`${primaryKey}\`, which is the primary key.`);
    }
    throw new ApiError(
      'invalid_document_id',
      `${place} has the id \`${found.value}\` in \`${primaryKey}\`: an id is an integer or a string of 1 to 511 bytes of ` +
        '`a-z`, `A-Z`, `0-9`, `-` and `_`.',
    );
  }

  #deleteByIds(ids: string[]): number {
    let deleted = 0;
    for (const id of ids) if (this.#pending.delete(Buffer.from(id))) deleted++;
    return this.#adds ? new Set(ids).size : deleted;
  }

  #deleteByFilter(filter: unknown): number {
    const { view } = this.input;
    const node = parseFilter(filter, 'invalid_document_filter');
    if (!node || !this.#stored) return 0;
    checkFilter(node, view.settings, view.uid, 'invalid_document_filter');
    const bitmap = evaluateFilter(this.#stored.reader, node);
    let deleted = 0;
    for (const location of this.#stored.selected(bitmap)) {
      if (this.#pending.delete(this.#stored.key(location))) deleted++;
    }
    return deleted;
  }

  #build(): Omit<ApplyOutput, 'results'> {
    const { view, freeIds, nextInternalId } = this.input;
    const { writerOptions, progress } = this.resources;
    const ids = new IdAllocator(freeIds, nextInternalId);
    const released: number[] = [];
    const deleted = new Map<number, Uint8Array>();
    const tally = new Tally(this.#instance);
    const fresh = new FreshDocuments();
    for (let place = 0; place < this.#pending.count; place++) {
      const document = this.#pending.get(place);
      const { stored, alive, sources } = document;
      if (stored && alive && sources.length === 0) continue;
      if (stored && !alive) {
        released.push(stored.internalId);
        this.#remove(document, deleted, tally);
      } else if (stored) {
        fresh.push(stored.internalId, place);
      } else if (alive) {
        fresh.push(ids.take(), place);
      }
    }
    const config = builderConfig(view.settings, view.fields, this.#primaryKey ?? '');
    const memoryBudget = Math.max(
      writerOptions.memoryBudget * LEAST_SHARE,
      writerOptions.memoryBudget - this.#pending.bytes - fresh.bytes,
    );
    const writer = new SegmentWriter({ ...writerOptions, memoryBudget, instance: this.#instance, config });
    try {
      for (const [index, [internalId, place]] of fresh.inOrder()) {
        const document = this.#pending.get(place);
        const json = this.#version(document);
        if (document.stored && this.#isStored(document, json)) continue;
        writer.add(internalId, document.key, json);
        if (document.stored) this.#remove(document, deleted, tally);
        tally.count(json, 1);
        progress('indexing documents', index, fresh.count);
      }
      return {
        segments: writer.finish(),
        fields: writer.fields,
        primaryKey: this.#primaryKey,
        deleted: [...deleted],
        ...ids.after(released),
        delta: deltaOf(tally),
      };
    } catch (error) {
      writer.discard();
      throw error;
    }
  }

  /** Hides the stored version of a document. */
  #remove({ stored }: PendingDocument, deleted: Map<number, Uint8Array>, tally: Tally): void {
    if (!stored || !this.#stored) return;
    const { id, docCount } = (this.#stored.reader.segments[stored.segment] as OpenSegment).ref;
    let bitmap = deleted.get(id);
    if (!bitmap) {
      bitmap = bitmapFor(docCount);
      deleted.set(id, bitmap);
    }
    addBit(bitmap, stored.local);
    tally.count(this.#stored.read(stored), -1);
  }

  /** What the batch makes of a document. */
  #version({ stored, onStored, sources }: PendingDocument): Uint8Array {
    let version = onStored && stored && this.#stored ? this.#stored.read(stored) : null;
    for (const { payload, index } of sources) {
      const json = (this.#payloads.get(payload) as PayloadReader).document(index);
      if (version) version = mergeObjects(this.#instance, version, json);
      // a view of the payload lasts until its next document is read
      else version = sources.length > 1 ? json.slice() : json;
    }
    return compactJson(this.#instance, version as Uint8Array);
  }

  #isStored({ stored }: PendingDocument, json: Uint8Array): boolean {
    return stored !== null && this.#stored !== null && Buffer.compare(this.#stored.read(stored), json) === 0;
  }
}
