import path from 'node:path';
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
import { besideIds } from './memory-budget.js';
import { type PendingDocument, PendingDocuments } from './pending.js';
import { chosenPrimaryKey, inferPrimaryKey } from './primary-key.js';
import { checkReserved, reservedMembers } from './reserved.js';
import { SegmentWriter } from './segment-writer.js';
import { StoredDocuments } from './stored-documents.js';
import { deltaOf, type StatsDelta, Tally } from './tally.js';
import { VectorCheck } from './vectors/check.js';
import { type Decision, settled } from './vectors/decision.js';
import { EmbeddingsReader } from './vectors/embeddings-file.js';
import { TextWriter } from './vectors/texts.js';
import { VectorWork } from './vectors/work.js';
import type { BuildResources } from './worker-jobs.js';

export interface ApplyInput {
  view: IndexView;
  freeIds: IdRange[];
  nextInternalId: number;
  operations: DocumentOperation[];
  /** Folder of the payload files. */
  payloads: string;
  /** Operations that are known to fail. */
  refusals?: readonly Refusal[];
  /** File below the folder of payloads with the embeddings of texts; null: there are none. */
  embeddings?: string | null;
}

export interface Refusal {
  /** Its place in the batch. */
  operation: number;
  code: string;
  message: string;
}

export interface TextsInput extends ApplyInput {
  /** The file that the texts go to. */
  texts: string;
}

export interface TextsOutput {
  /** Texts. */
  count: number;
  /** Operations that fail, those of the input included. */
  refusals: Refusal[];
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

/** A document that cannot be built, and the operation that brought it. */
class RefusedDocument extends Error {
  constructor(
    readonly operation: number,
    readonly reason: ApiError,
  ) {
    super(reason.message);
  }
}

/** Applies a batch of operations in order, as if one at a time; an operation that fails changes nothing of its own. */
export function applyDocuments(input: ApplyInput, resources: BuildResources): ApplyOutput {
  return untilAccepted(input, resources, (batch) => batch.run());
}

/** Writes the texts that a batch needs embeddings of to a file. */
export function textsOfDocuments(input: TextsInput, resources: BuildResources): TextsOutput {
  return untilAccepted(input, resources, (batch, refused) => {
    const count = batch.writeTexts(input.texts);
    return { count, refusals: [...refused].map(([operation, { code, message }]) => ({ operation, code, message })) };
  });
}

/** Tries a batch until no operation is at fault that was not known to be. */
function untilAccepted<T>(
  input: ApplyInput,
  resources: BuildResources,
  attempt: (batch: DocumentBatch, refused: Map<number, ApiError>) => T,
): T {
  const refused = new Map(input.refusals?.map(({ operation, code, message }) => [operation, new ApiError(code, message)]));
  for (;;) {
    const batch = new DocumentBatch(input, resources, refused);
    try {
      return attempt(batch, refused);
    } catch (error) {
      if (error instanceof RefusedDocument) {
        refused.set(error.operation, error.reason);
        continue;
      }
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

/** Keys are ASCII. */
function textOf(key: Uint8Array): string {
  return Buffer.from(key).toString('latin1');
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
  readonly #vectors: VectorWork;
  readonly #embeddings: EmbeddingsReader | null;

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
    this.#vectors = new VectorWork(view.uid, view.settings);
    const { embeddings } = input;
    this.#embeddings = embeddings ? new EmbeddingsReader(path.join(input.payloads, embeddings)) : null;
  }

  run(): ApplyOutput {
    return { results: this.#results(), ...this.#build() };
  }

  /** Answers how many texts there are. */
  writeTexts(file: string): number {
    this.#results();
    const writer = new TextWriter(file);
    try {
      for (let place = 0; place < this.#pending.count; place++) {
        const document = this.#pending.get(place);
        if (!document.alive || document.sources.length === 0) continue;
        const operations = [...new Set(document.vectorSources.map(({ payload }) => payload))];
        writer.add(textOf(document.key), this.#decide(document, this.#version(document)), operations);
      }
    } finally {
      writer.close();
    }
    return writer.count;
  }

  #results(): PlainResult[] {
    for (const [index, operation] of this.input.operations.entries()) if (operation.type === 'add') this.#open(index, operation);
    return this.input.operations.map((operation, index) => this.#result(operation, index));
  }

  close(): void {
    this.#embeddings?.close();
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
    const vectors = new VectorCheck(this.#vectors, (key) => this.#pending.has(key), operation.skipCreation);
    for (let document = 0; document < payload.count; document++) {
      const json = payload.document(document);
      const key = this.#key(json, primaryKey, document);
      checkReserved(reserved, key, json);
      vectors.check(textOf(key), key, json);
      keys.push(key);
      this.resources.progress('checking documents', this.#checked++, this.#received);
    }
    if (!operation.imported) vectors.end();
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
    const memoryBudget = besideIds(writerOptions.memoryBudget, this.#pending.bytes + fresh.bytes);
    const writer = new SegmentWriter({ ...writerOptions, memoryBudget, instance: this.#instance, config });
    try {
      for (const [index, [internalId, place]] of fresh.inOrder()) {
        const document = this.#pending.get(place);
        const json = this.#version(document);
        const decisions = this.#decide(document, json);
        if (document.stored && decisions.every(({ unchanged }) => unchanged) && this.#isStored(document, json)) continue;
        const vectors = decisions.map((decision) => settled(decision, (hash) => this.#embeddings?.get(hash) ?? null));
        writer.add(internalId, document.key, json, vectors);
        if (document.stored) this.#remove(document, deleted, tally);
        tally.count(json, 1, vectors);
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
    tally.count(this.#stored.read(stored), -1, this.#stored.vectors(stored));
  }

  /** What the batch makes of a document. */
  #version({ stored, onStored, sources }: PendingDocument): Uint8Array {
    let version = onStored && stored && this.#stored ? this.#stored.read(stored) : null;
    const versions = version ? [version] : [];
    const keep = sources.length > 1 || version !== null;
    for (const { payload, index } of sources) {
      const json = (this.#payloads.get(payload) as PayloadReader).document(index);
      // a view of the payload lasts until its next document is read
      const source = keep ? json.slice() : json;
      versions.push(source);
      version = version ? mergeObjects(this.#instance, version, source) : source;
    }
    return this.#vectors.withoutEntries(compactJson(this.#instance, version as Uint8Array), versions);
  }

  /** What embedders make of a document. @throws {RefusedDocument} */
  #decide({ key, stored, vectorSources, vectorsOnStored }: PendingDocument, json: Uint8Array): Decision[] {
    if (this.#vectors.isIdle) return [];
    const name = textOf(key);
    const said = vectorSources.map(({ payload, index }) =>
      this.#vectors.entries(name, (this.#payloads.get(payload) as PayloadReader).document(index)),
    );
    const before =
      vectorsOnStored && stored && this.#stored
        ? { json: this.#stored.read(stored), vectors: this.#stored.vectors(stored) }
        : null;
    try {
      return this.#vectors.decide(name, json, said, before);
    } catch (error) {
      const last = vectorSources.at(-1);
      throw error instanceof ApiError && last ? new RefusedDocument(last.payload, error) : error;
    }
  }

  #isStored({ stored }: PendingDocument, json: Uint8Array): boolean {
    return stored !== null && this.#stored !== null && Buffer.compare(this.#stored.read(stored), json) === 0;
  }
}
