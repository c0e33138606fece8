import type { DocumentVectors } from '../../../../bindings/engine/vectors.js';
import { type ApiError, apiError } from '../../../../bindings/errors.js';
import type { IndexSettings } from '../../../../bindings/index-types.js';
import { typoDistance } from '../../../../bindings/query/suggest.js';
import { TemplateRenderError } from '../../../templates/template.js';
import { templateDocument } from '../../../templates/values.js';
import {
  none,
  type SettledVectors,
  type StoredVersion,
  settled,
  textsFor,
  type VectorState,
  vectorState,
  type WantedText,
} from './decision.js';
import type { EmbeddedTexts } from './embedded-texts.js';
import { type EmbeddedText, type IndexEmbedder, indexEmbedders } from './embedders.js';
import { checkDimensions, readEntries, type VectorEntry } from './entry.js';
import { plainVectors, type RawEntries, rawEntries, vectorsMember, withEntries, withSomeEntries } from './members.js';
import type { TextOwner } from './texts.js';

/** Stands for vectors provided by the user, which were not parsed. */
const UNREAD: VectorEntry = { embeddings: [], regenerate: null };

/** Typos by which a name in `_vectors` may differ from the embedder that was probably meant. */
const MISSPELT = 2;

/** A hint for a document that lacks vectors of an embedder. @param meant a similar name in `_vectors` of the document */
export function missingVectorHint(embedder: string, document: string | undefined, meant: string | null): string {
  return meant === null
    ? `A document without vectors is stored with \`._vectors.${embedder}: null\`.`
    : `Document \`${document}\` has \`._vectors.${meant}\`, which is no embedder: did you mean \`${embedder}\`?`;
}

/** A stored document: its JSON without the entries of embedders, and its vectors. */
export interface StoredDocument {
  json: Uint8Array;
  vectors: DocumentVectors[];
}

/** A stored document under new settings. */
export interface MigratedDocument {
  json: Uint8Array;
  /** The entries in `_vectors` for embedders that were added. */
  entries: Map<string, VectorEntry>;
  vectors: PendingVectors;
}

/** The vectors of a document for all embedders, in their order. */
export interface PendingVectors {
  states: VectorState[];
  /** What is stored, by embedder. */
  stored: (StoredVersion | null)[];
  /** The entries of the versions of the document, in order. */
  entries: readonly ReadonlyMap<string, VectorEntry>[];
}

/**
 * Determines the vectors of the documents of an index. With `before` the settings are changing, and stored documents are seen
 * under both settings.
 */
export class VectorWork {
  /** In the order of the settings. */
  readonly embedders: readonly IndexEmbedder[];
  /** Of a new document that was sent without vectors. */
  readonly fresh: PendingVectors;
  readonly #after: ReadonlyMap<string, IndexEmbedder>;
  readonly #before: ReadonlyMap<string, IndexEmbedder>;

  constructor(
    private readonly uid: string,
    after: IndexSettings,
    before: IndexSettings = after,
  ) {
    this.#after = indexEmbedders(after);
    this.embedders = [...this.#after.values()];
    this.#before = before === after ? this.#after : indexEmbedders(before);
    this.fresh = this.states('', [], null);
  }

  /** Whether the index has no embedders, before and after. */
  get isIdle(): boolean {
    return this.#after.size === 0 && this.#before.size === 0;
  }

  /** Whether vectors of some embedder can only be provided by users. */
  get needsUserVectors(): boolean {
    return this.embedders.some(({ generates }) => !generates);
  }

  /**
   * The entries in `_vectors` of a document as it was sent.
   * @throws {ApiError} invalid_vectors_type, invalid_vector_dimensions
   */
  entries(key: string, json: Uint8Array): Map<string, VectorEntry> {
    const entries = readEntries(key, vectorsMember(json), (name) => this.#after.has(name));
    for (const [name, { dimensions }] of this.#after) {
      const entry = entries.get(name);
      if (entry) checkDimensions(key, name, entry, dimensions);
    }
    return entries;
  }

  /** Like {@link entries}, without parsing the numbers of plain vectors: that is done when the document is built. */
  checkedEntries(key: string, json: Uint8Array): Map<string, VectorEntry> {
    const lengths = plainVectors(json);
    const fits = (length: number, name: string) => length === 0 || length === (this.#after.get(name)?.dimensions ?? length);
    if (!lengths || ![...lengths].every(([name, length]) => fits(length, name))) return this.entries(key, json);
    return new Map([...lengths.keys()].map((name) => [name, UNREAD]));
  }

  /**
   * An embedder whose vectors only users can provide, and for which the document has none.
   * @param exists whether the document is stored already, with vectors or marked as having none
   */
  lacking(entries: ReadonlyMap<string, VectorEntry>, exists: boolean): string | null {
    for (const [name, { generates }] of this.#after) {
      if (generates) continue;
      const entry = entries.get(name);
      if (entry ? entry.embeddings === null && entry.regenerate : !exists) return name;
    }
    return null;
  }

  lackingError(name: string, keys: readonly string[], entries: ReadonlyMap<string, VectorEntry>): ApiError {
    const wayOut = missingVectorHint(name, keys[0], this.#meant(name, [entries]));
    return apiError('vector_embedding_error', 'userProvided', {
      uid: this.uid,
      name,
      count: keys.length,
      first: keys[0],
      wayOut,
    });
  }

  /** A name in `_vectors` that is no embedder's but differs from this one by a likely typo. */
  #meant(embedder: string, entries: readonly ReadonlyMap<string, VectorEntry>[]): string | null {
    for (const each of entries) {
      for (const name of each.keys()) {
        if (!this.#after.has(name) && typoDistance(name, embedder) <= MISSPELT) return name;
      }
    }
    return null;
  }

  /** The new version of a document without the entries of embedders. `versions`: the sources it was made of, in order. */
  withoutEntries(json: Uint8Array, versions: readonly Uint8Array[]): Uint8Array {
    if (versions.length === 1) return this.#after.size === 0 ? json : withSomeEntries(json, (name) => !this.#after.has(name));
    const kept: RawEntries = new Map();
    let named = false;
    for (const version of versions) {
      const entries = rawEntries(version);
      if (!entries) continue;
      named = true;
      for (const [name, raw] of entries) if (!this.#after.has(name)) kept.set(name, raw);
    }
    return named ? withEntries(json, kept) : json;
  }

  /**
   * The vectors of a document as its versions leave them.
   * @param entries the entries of its versions, in order
   * @param stored null when the document is new
   * @throws {ApiError} invalid_vector_dimensions
   */
  states(key: string, entries: readonly ReadonlyMap<string, VectorEntry>[], stored: StoredDocument | null): PendingVectors {
    const versions = this.embedders.map((embedder) => stored && this.#version(embedder, key, stored));
    const states = this.embedders.map((embedder, place) => {
      const said = entries.flatMap((each) => each.get(embedder.name) ?? []);
      return vectorState(embedder, said, versions[place]?.vectors);
    });
    return { states, stored: versions, entries };
  }

  /**
   * The texts that have to be embedded for a document, by embedder: see {@link textsFor}.
   * @param json its new version
   * @throws {ApiError} invalid_document_fields
   */
  texts(key: string, json: Uint8Array, { states, stored }: PendingVectors): (WantedText[] | null)[] {
    let parsed: Record<string, unknown> | null = null;
    const document = () => {
      parsed ??= parsedDocument(json);
      return parsed;
    };
    return states.map((state, place) => textsFor(state, key, document, stored[place]?.texts ?? (() => null)));
  }

  /** Like {@link texts}, for a new document that was sent without vectors. */
  textsOfNew(key: string, json: Uint8Array): (WantedText[] | null)[] {
    return this.texts(key, json, this.fresh);
  }

  /** What error messages say about a document with a text that is embedded. */
  owner(document: string, operations: readonly number[], { entries }: PendingVectors, embedder: number): TextOwner {
    const meant = this.#meant((this.embedders[embedder] as IndexEmbedder).name, entries);
    return { document, operations, ...(meant === null ? {} : { meant }) };
  }

  /** What is stored of a document once its texts are embedded. @param document its number: see {@link EmbeddedTexts} */
  settled({ states }: PendingVectors, document: number, texts: EmbeddedTexts | null): SettledVectors[] {
    return states.map((state, place) =>
      settled(state, texts?.planned(document, place) ?? null, (text) => texts!.vector(text, state.embedder.dimensions)),
    );
  }

  /** A stored document under new settings: entries with names of new embedders are removed from its JSON and become vectors. */
  migrate(key: string, stored: StoredDocument): MigratedDocument {
    const gone = [...this.#before].filter(([name, { id }]) => this.#after.get(name)?.id !== id);
    const written = rawEntries(stored.json) ?? new Map<string, Uint8Array>();
    for (const [name, { id }] of gone) {
      const vectors = stored.vectors.find(({ embedder }) => embedder === id);
      if (vectors && !vectors.regenerate) written.set(name, Buffer.from(entryText(vectors)));
    }
    const full = gone.length > 0 ? withEntries(stored.json, written) : stored.json;
    const entries = this.entries(key, full);
    const json = this.withoutEntries(full, [full]);
    return { json, entries, vectors: this.states(key, [entries], stored) };
  }

  /** Like {@link lacking}, for a stored document: embedders added by the change have no vectors of it yet. */
  lackingIn(entries: ReadonlyMap<string, VectorEntry>, { vectors }: StoredDocument): string | null {
    for (const [name, { generates, id }] of this.#after) {
      if (generates || vectors.some(({ embedder }) => embedder === id)) continue;
      const entry = entries.get(name);
      if (!entry || (entry.embeddings === null && entry.regenerate)) return name;
    }
    return null;
  }

  #version(embedder: IndexEmbedder, key: string, { json, vectors }: StoredDocument): StoredVersion {
    const { name } = embedder;
    const before = this.#before.get(name);
    const found = before && before.id === embedder.id ? vectors.find(({ embedder: id }) => id === embedder.id) : undefined;
    const { binaryQuantized, dimensions } = embedder;
    const fits = found === undefined || found.dimensions === dimensions;
    if (found && !fits && !found.regenerate && found.values.length > 0) {
      throw apiError('invalid_vector_dimensions', 'ofSettings', { key, found: found.dimensions, name, dimensions });
    }
    const kept = found && !fits ? { ...none(embedder, found) } : found && { ...found, binaryQuantized };
    const texts = () => (before && fits && before.model === embedder.model ? textsOf(before, json) : null);
    return { vectors: kept, texts };
  }
}

function parsedDocument({ buffer, byteOffset, length }: Uint8Array): Record<string, unknown> {
  return templateDocument(Buffer.from(buffer, byteOffset, length).toString());
}

/** The embedded texts of a document; null when it does not fit the template. */
function textsOf(embedder: IndexEmbedder, json: Uint8Array): EmbeddedText[] | null {
  try {
    return embedder.render(parsedDocument(json));
  } catch (error) {
    if (error instanceof TemplateRenderError) return null;
    throw error;
  }
}

/** The vectors of a removed embedder, as an entry of `_vectors` in the document. */
function entryText({ values, dimensions }: DocumentVectors): string {
  const count = dimensions === 0 ? 0 : values.length / dimensions;
  const embeddings = Array.from({ length: count }, (_, place) => [
    ...values.subarray(place * dimensions, (place + 1) * dimensions),
  ]);
  return JSON.stringify({ embeddings, regenerate: false });
}
