import type { EngineInstance } from '../../../../bindings/engine/instance.js';
import { compactJson } from '../../../../bindings/engine/json.js';
import { ApiError } from '../../../../bindings/errors.js';
import { PayloadFiles } from '../../payloads/payload-files.js';
import type { PayloadReader } from '../../payloads/payload-reader.js';
import type { BuildResources } from '../build-resources.js';
import { keyText } from '../documents/key-text.js';
import { StoredDocuments } from '../documents/stored-documents.js';
import type { SettledVectors, WantedText } from '../vectors/decision.js';
import { EmbeddedTexts } from '../vectors/embedded-texts.js';
import { mayHaveVectors } from '../vectors/members.js';
import { type PendingVectors, VectorWork } from '../vectors/work.js';
import type { ApplyInput } from './batch-job.js';
import type { PendingDocument, Source } from './pending-columns.js';

/** A document that cannot be built, with the operation that added it. */
export class RefusedDocument extends Error {
  constructor(
    readonly operation: number,
    readonly reason: ApiError,
  ) {
    super(reason.message);
  }
}

/** The inputs from which a batch makes documents: its payloads, the stored documents, and the embedders. */
export class BatchDocuments {
  /** null: the index is empty. */
  readonly stored: StoredDocuments | null;
  readonly vectors: VectorWork;
  readonly #instance: EngineInstance;
  readonly #files: PayloadFiles;
  readonly #payloads = new Map<number, PayloadReader>();
  readonly #embedded: EmbeddedTexts | null;

  constructor(
    readonly input: ApplyInput,
    { instance, open }: BuildResources,
  ) {
    const { view, payloads, embedded } = input;
    this.#instance = instance;
    this.#files = new PayloadFiles(payloads);
    this.stored = view.segments.length ? new StoredDocuments(open(view)) : null;
    this.vectors = new VectorWork(view.uid, view.settings);
    this.#embedded = embedded ? new EmbeddedTexts(embedded, this.vectors.embedders.length) : null;
  }

  /** The payload of an operation, which must be an addition. */
  payload(operation: number): PayloadReader {
    const known = this.#payloads.get(operation);
    if (known) return known;
    const addition = this.input.operations[operation];
    if (addition?.type !== 'add') throw new Error(`operation ${operation} has no payload`);
    const payload = this.#files.reader(addition.file, addition.at);
    this.#payloads.set(operation, payload);
    return payload;
  }

  /** A document as it was sent; valid until the next document of its payload is read. */
  sent({ payload, index }: Source): Uint8Array {
    return this.payload(payload).document(index);
  }

  /**
   * The bytes of a new document that the batch does not modify, including white space and repeated members; null when the batch
   * modifies it.
   */
  asSent({ stored, sources, vectorSources }: PendingDocument): Uint8Array | null {
    const [only] = sources;
    if (!only || sources.length > 1 || stored) return null;
    // The vectors of other versions would be read while the bytes are in use.
    if (vectorSources.length > 1 && !this.vectors.isIdle) return null;
    const json = this.sent(only);
    return this.isStoredAsSent(json) ? json : null;
  }

  /** Whether documents are stored as they were sent, if the batch does not modify them. @param json one or more documents */
  isStoredAsSent(json: Uint8Array): boolean {
    return this.vectors.isIdle || !mayHaveVectors(json);
  }

  /** The version of a document after the batch. */
  version({ stored, onStored, sources }: PendingDocument): Uint8Array {
    let version = onStored && stored && this.stored ? this.stored.read(stored) : null;
    const versions = version ? [version] : [];
    const keep = sources.length > 1 || version !== null;
    for (const each of sources) {
      const json = this.sent(each);
      // A view of the payload is only valid until its next document is read.
      const source = keep ? json.slice() : json;
      versions.push(source);
      version = version ? compactJson(this.#instance, source, version) : source;
    }
    return this.vectors.withoutEntries(compactJson(this.#instance, version as Uint8Array), versions);
  }

  /** The texts that have to be embedded for a document, by embedder. @throws {RefusedDocument} */
  texts(document: PendingDocument, json: Uint8Array): { vectors: PendingVectors; wanted: (WantedText[] | null)[] } {
    try {
      const vectors = this.#vectorsOf(document);
      return { vectors, wanted: this.vectors.texts(keyText(document.key), json, vectors) };
    } catch (error) {
      const last = document.vectorSources.at(-1);
      throw error instanceof ApiError && last ? new RefusedDocument(last.payload, error) : error;
    }
  }

  /** Like {@link texts}, for a new document that was sent without vectors. */
  textsOfNew(key: string, json: Uint8Array, payload: number): (WantedText[] | null)[] {
    try {
      return this.vectors.textsOfNew(key, json);
    } catch (error) {
      throw error instanceof ApiError ? new RefusedDocument(payload, error) : error;
    }
  }

  /** What is stored of the vectors of a document, by embedder. @param place its number in the batch */
  settled(document: PendingDocument, place: number): SettledVectors[] {
    return this.vectors.isIdle ? [] : this.vectors.settled(this.#vectorsOf(document), place, this.#embedded);
  }

  /** Like {@link settled}, for a new document that was sent without vectors. */
  settledNew(place: number): SettledVectors[] {
    return this.vectors.isIdle ? [] : this.vectors.settled(this.vectors.fresh, place, this.#embedded);
  }

  #vectorsOf({ key, stored, vectorSources, vectorsOnStored }: PendingDocument): PendingVectors {
    const [only] = vectorSources;
    if (only && vectorSources.length === 1 && !stored && !mayHaveVectors(this.sent(only))) return this.vectors.fresh;
    const name = keyText(key);
    const said = vectorSources.map((source) => this.vectors.entries(name, this.sent(source)));
    const before =
      vectorsOnStored && stored && this.stored ? { json: this.stored.read(stored), vectors: this.stored.vectors(stored) } : null;
    return this.vectors.states(name, said, before);
  }

  /** Whether a version equals the stored one. */
  isStored({ stored }: PendingDocument, json: Uint8Array): boolean {
    return stored !== null && this.stored !== null && Buffer.compare(this.stored.read(stored), json) === 0;
  }

  close(): void {
    this.#embedded?.close();
    this.#files.close();
  }
}
