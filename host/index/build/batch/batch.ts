import { documentOf } from '../../../../bindings/engine/document-run.js';
import { RESERVED_VECTORS } from '../../../../bindings/engine/exports.js';
import type { EngineInstance } from '../../../../bindings/engine/instance.js';
import { DocumentKeys, type KeyFault, topLevelNames } from '../../../../bindings/engine/json.js';
import { ApiError, apiError } from '../../../../bindings/errors.js';
import { evaluateFilter } from '../../../../bindings/query/filter-evaluate.js';
import type { DocumentOperation } from '../../document-operations.js';
import type { PayloadReader } from '../../payloads/payload-reader.js';
import type { IdRange } from '../../record.js';
import { addBit, bitmapFor, hasBit } from '../../tombstones.js';
import type { BuildResources } from '../build-resources.js';
import { checkedFilter } from '../checked-filter.js';
import { keyText } from '../documents/key-text.js';
import { checkReserved, reservedMembers } from '../documents/reserved.js';
import type { StoredDocuments } from '../documents/stored-documents.js';
import { VectorCheck } from '../vectors/check.js';
import { TextWriter } from '../vectors/texts.js';
import { BatchDocuments } from './batch-documents.js';
import type { ApplyInput, PlainResult, TextsInput } from './batch-job.js';
import { type FreshDocuments, MAX_NEIGHBOURS } from './fresh-documents.js';
import { IdAllocator } from './id-ranges.js';
import { KeyList, KeyTable } from './key-table.js';
import { PendingDocuments } from './pending.js';
import type { PendingDocument } from './pending-columns.js';
import { chosenPrimaryKey, inferPrimaryKey } from './primary-key.js';
import { type DeletedDocuments, Removals } from './removals.js';
import { deltaOf, type StatsDelta, Tally } from './tally.js';

type AddOperation = Extract<DocumentOperation, { type: 'add' }>;

/** The result of a batch, except for the documents that are still to be built. */
export interface BatchOutcome {
  results: PlainResult[];
  primaryKey: string | null;
  /** Of documents that are deleted or replaced. */
  deleted: DeletedDocuments;
  delta: StatsDelta;
  freeIds: IdRange[];
  nextInternalId: number;
}

/** Document operations in order, and the documents that result from them. */
export class DocumentBatch {
  readonly documents: BatchDocuments;
  readonly pending: PendingDocuments;
  readonly #instance: EngineInstance;
  /** Documents in all payloads, and those processed so far. */
  #received = 0;
  #checked = 0;
  #primaryKey: string | null;
  readonly #adds: boolean;

  constructor(
    readonly input: ApplyInput,
    readonly resources: BuildResources,
    /** Operations already known to fail. */
    readonly refused: ReadonlyMap<number, ApiError>,
  ) {
    this.#instance = resources.instance;
    this.documents = new BatchDocuments(input, resources);
    this.pending = new PendingDocuments(this.documents.stored);
    this.#primaryKey = input.view.primaryKey;
    this.#adds = input.operations.some(({ type }) => type === 'add');
  }

  /** Writes the texts to be embedded. @returns their number */
  writeTexts({ prefix, uncached }: Pick<TextsInput, 'prefix' | 'uncached'>): number {
    this.results();
    const writer = new TextWriter(prefix, this.documents.vectors.embedders, uncached);
    try {
      for (let place = 0; place < this.pending.count; )
        place += this.#writeNeighbours(place, writer) || this.#writeDocument(place, writer);
    } finally {
      writer.close();
    }
    return writer.count;
  }

  /**
   * Writes the texts of new documents that were sent without vectors, and are neighbours in their payload.
   * @returns how many; 0 when the next document is not one of these
   */
  #writeNeighbours(first: number, writer: TextWriter): number {
    const { documents, pending } = this;
    const source = pending.reader.neighbours(first, Math.min(pending.count - first, MAX_NEIGHBOURS));
    if (!source) return 0;
    const { payload, index } = source;
    const run = documents.payload(payload).run(index, index + source.count);
    if (!documents.isStoredAsSent(run.bytes)) return 0;
    const count = run.places.length / 2;
    for (let at = 0; at < count; at++) {
      const key = keyText(pending.reader.key(first + at));
      const owner = { document: key, operations: [payload] };
      writer.add(first + at, documents.textsOfNew(key, documentOf(run, at), payload), () => owner);
    }
    return count;
  }

  /** Writes the texts of any document. Returns 1. */
  #writeDocument(place: number, writer: TextWriter): number {
    const { documents, pending } = this;
    const document = pending.get(place);
    if (!document.alive || document.sources.length === 0) return 1;
    const { vectors, wanted } = documents.texts(document, documents.asSent(document) ?? documents.version(document));
    const operations = () => [...new Set(document.vectorSources.map(({ payload }) => payload))];
    writer.add(place, wanted, (embedder) => documents.vectors.owner(keyText(document.key), operations(), vectors, embedder));
    return 1;
  }

  /** Applies the operations. */
  results(): PlainResult[] {
    for (const [index, operation] of this.input.operations.entries()) {
      if (operation.type === 'add') this.#received += this.documents.payload(index).count;
    }
    return this.input.operations.map((operation, index) => this.#result(operation, index));
  }

  close(): void {
    this.documents.close();
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

  /** Checks the whole payload before any of its documents takes effect. */
  #add(operation: AddOperation, index: number): number {
    const { view } = this.input;
    const payload = this.documents.payload(index);
    if (payload.count === 0) {
      this.#primaryKey ??= operation.primaryKey;
      return 0;
    }
    const primaryKey =
      chosenPrimaryKey(view.uid, this.#primaryKey, operation.primaryKey) ??
      inferPrimaryKey(view.uid, topLevelNames(this.#instance, payload.document(0)));
    const keys = this.#checkedKeys(payload, primaryKey, operation);
    const count = this.#enter(keys, index, operation);
    this.#primaryKey = primaryKey;
    return count;
  }

  /** The keys of the documents of a payload. @throws if one of the documents is invalid */
  #checkedKeys(payload: PayloadReader, primaryKey: string, { skipCreation, imported }: AddOperation): KeyList {
    const reserved = reservedMembers(this.input.view.settings);
    const keys = new KeyList();
    keys.reserve(payload.count);
    const idOf = new DocumentKeys(this.#instance, primaryKey);
    const vectors = new VectorCheck(this.documents.vectors, (key) => this.pending.has(key), skipCreation);
    const known = vectors.concernsAll ? null : payload.ids(primaryKey);
    if (known) {
      keys.append(known.ids, known.ends);
      this.resources.progress('checking documents', this.#checked, this.#received);
      this.#checked += keys.count;
    }
    while (keys.count < payload.count) {
      const first = keys.count;
      const run = payload.run(first);
      const { keys: ids, ends, fault, reserved: found } = idOf.read(run);
      keys.append(ids, ends);
      // Nearly all runs have nothing that must be looked at document by document.
      if (found || vectors.concernsAll) {
        const has = found ?? new Uint8Array(ends.length);
        for (let document = first; document < keys.count; document++) {
          const members = has[document - first] as number;
          const json = documentOf(run, document - first);
          checkReserved(reserved, members, keys.get(document), json);
          if (vectors.concernsAll || members & RESERVED_VECTORS) vectors.check(keys.get(document), json);
        }
      }
      if (fault) throw keyError(fault, primaryKey, keys.count);
      for (const _ of ends) this.resources.progress('checking documents', this.#checked++, this.#received);
    }
    if (!imported) vectors.end();
    return keys;
  }

  /** Adds the documents of a payload to those of the batch. @returns the number of distinct ids */
  #enter(keys: KeyList, index: number, { method, skipCreation }: AddOperation): number {
    this.pending.reserve(keys.count);
    const skipped = new KeyTable();
    let distinct = 0;
    for (let document = 0; document < keys.count; document++) {
      if (!skipCreation) {
        const added = this.pending.addNew(keys, document, index);
        distinct += added;
        document += added;
        if (document === keys.count) break;
      }
      const place = this.pending.add(keys, document, index, method, skipCreation);
      if (place === 'first') distinct++;
      if (place === 'skipped') skipped.add(keys.get(document));
    }
    return distinct + skipped.count;
  }

  #deleteByIds(ids: string[]): number {
    let deleted = 0;
    for (const id of ids) if (this.pending.delete(Buffer.from(id))) deleted++;
    return this.#adds ? new Set(ids).size : deleted;
  }

  #deleteByFilter(filter: unknown): number {
    if (this.#primaryKey === null) return 0;
    const node = checkedFilter(this.input.view, filter);
    const { stored } = this.documents;
    if (!node || !stored) return 0;
    const bitmap = evaluateFilter(stored.reader, node);
    // By internal id, so that documents get the same numbers when the batch is processed again over other segments.
    const selected = [...stored.selected(bitmap)].sort((a, b) => a.internalId - b.internalId);
    let deleted = 0;
    for (const location of selected) if (this.pending.delete(stored.key(location))) deleted++;
    return deleted;
  }

  /** Bytes of the documents in all payloads. */
  get bytes(): number {
    return this.input.operations.reduce((sum, { type }, index) => {
      return sum + (type === 'add' ? this.documents.payload(index).textBytes : 0);
    }, 0);
  }

  /**
   * The outcome of all operations; called once, after {@link results}. `fresh` receives the documents to be built.
   * @param taken positions of segments of which all documents are built again
   */
  outcome(results: PlainResult[], fresh: FreshDocuments, taken: ReadonlySet<number>): BatchOutcome {
    const { freeIds, nextInternalId } = this.input;
    const ids = new IdAllocator(freeIds, nextInternalId);
    const released: number[] = [];
    const tally = new Tally(this.#instance);
    const removals = new Removals(this.documents.stored, tally);
    if (taken.size > 0) this.#take(fresh, [...taken]);
    for (let place = 0; place < this.pending.count; place++) {
      if (this.pending.reader.isPlain(place)) {
        fresh.push(ids.take(), place);
        continue;
      }
      const document = this.pending.get(place);
      if (isUntouched(document)) continue;
      const { stored, alive } = document;
      if (stored && !alive) {
        released.push(stored.internalId);
        removals.remove(stored);
      } else if (stored) {
        fresh.push(stored.internalId, place);
      } else if (alive) {
        fresh.push(ids.take(), place);
      }
    }
    const { deleted } = removals;
    return { results, primaryKey: this.#primaryKey, deleted, delta: deltaOf(tally), ...ids.after(released) };
  }

  /** Adds the documents of segments that the batch neither changes nor deletes. */
  #take(fresh: FreshDocuments, segments: number[]): void {
    const { pending } = this;
    const stored = this.documents.stored as StoredDocuments;
    const changed = new Map(segments.map((segment) => [segment, bitmapFor(stored.count(segment))]));
    for (let place = 0; place < pending.count; place++) {
      if (pending.reader.isPlain(place)) continue;
      const document = pending.get(place);
      const bitmap = document.stored && changed.get(document.stored.segment);
      if (bitmap && document.stored && !isUntouched(document)) addBit(bitmap, document.stored.local);
    }
    for (const location of stored.inOrder(segments)) {
      if (!hasBit(changed.get(location.segment) as Uint8Array, location.local)) fresh.take(location);
    }
  }
}

/** Whether a document was only looked for. */
function isUntouched({ stored, alive, sources }: PendingDocument): boolean {
  return stored !== null && alive && sources.length === 0;
}

function keyError(fault: KeyFault, primaryKey: string, document: number): ApiError {
  const place = `Document ${document + 1} of the payload`;
  if (fault.kind === 'missing') return apiError('missing_document_id', 'missing', { place, primaryKey });
  return apiError('invalid_document_id', 'form', { place, id: fault.value, primaryKey });
}
