import { type BuilderConfig, encodeConfig } from './builder-config.js';
import { type DocumentRun, runOf } from './document-run.js';
import {
  AddedVectors,
  BUILDER_ADDED,
  BUILDER_TOO_MANY_FIELDS,
  BuilderState,
  FieldState,
  type FieldStateFields,
  NONE,
  OldGraph,
  STATE_REGENERATE,
  STATE_USER_PROVIDED,
  VECTORS_BINARY,
} from './exports.js';
import type { EngineInstance, FileSink } from './instance.js';
import { tooManyFields } from './json.js';
import { encodeTokenizerConfig } from './tokenizer.js';
import { type DocumentVectors, MAX_VECTORS_PER_DOCUMENT, type StoredGraph } from './vectors.js';
import {
  bitOf,
  japaneseFor,
  listsIn,
  mayBeGerman,
  mayBeJapanese,
  WORD_LISTS,
  type WordList,
  type WordListBits,
} from './word-list-bits.js';

/** Sizes in bytes. */
export interface BuiltSegment {
  docCount: number;
  residentLength: number;
  fileLength: number;
  /** Size of the documents before compression. */
  rawBytes: number;
}

/** Consecutive documents with the ids and keys that they are stored under. */
export interface KeyedRun {
  /** Internal ids, ascending. */
  ids: Uint32Array;
  /** UTF-8 of the keys, one after the other, and where each ends. */
  keys: Uint8Array;
  keyEnds: Uint32Array;
  documents: DocumentRun;
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint32Array) => new Uint8Array(buffer, byteOffset, byteLength);

/**
 * Gives the instance a word list that documents need (see {@link keepWordList}). Called before such a document is read; without
 * the list, texts of its language are not segmented.
 */
export type ProvideWordList = (list: WordList) => void;

/** The word lists that are recognised by the letters of a text. */
const BY_LETTERS: WordListBits = WORD_LISTS.reduce((bits, list) => (list === 'german' ? bits : bits | bitOf(list)), 0);

/**
 * Builds one segment in the scratch memory of a private instance of the engine. One builder per instance at a time; {@link
 * finish} and {@link dispose} release everything allocated since its construction.
 */
export class SegmentBuilder {
  /** Known field paths; grows as documents have new ones. */
  readonly fields: string[];
  readonly #instance: EngineInstance;
  readonly #mark: number;
  readonly #state: BuilderState;
  /** Where the vectors of a document are described. */
  readonly #vectors: AddedVectors;
  #graphs: readonly StoredGraph[] = [];
  readonly #provide: ProvideWordList;
  /** The word lists that the instance has, or cannot get. */
  #settled: WordListBits;
  /** Whether attributes exist whose ideographs may be Japanese even without kana. */
  readonly #mayBeJapanese: boolean;

  constructor(instance: EngineInstance, config: BuilderConfig, provide: ProvideWordList = () => {}) {
    this.#instance = instance;
    this.fields = [...config.fields];
    this.#provide = provide;
    this.#settled = instance.wordLists;
    if (config.localized.some(({ locales }) => mayBeGerman(locales))) this.#settle(bitOf('german'));
    this.#mayBeJapanese = config.localized.some(({ locales }) => mayBeJapanese(locales));
    this.#mark = instance.exports.arenaMark();
    const tokenizerBytes = encodeTokenizerConfig(config.tokenizer);
    const tokenizer = instance.exports.tokenizerCreate(instance.put(tokenizerBytes), tokenizerBytes.length);
    this.#vectors = AddedVectors.at(instance.alloc(AddedVectors.bytes));
    this.#state = instance.exports.builderBegin(instance.put(encodeConfig(config)), tokenizer);
  }

  /**
   * Adds a document; internal ids must ascend. `key` is UTF-8, `json` is a valid JSON object.
   * @throws {ApiError} max_fields_limit_exceeded; the document is not added, and the builder stays usable
   */
  add(internalId: number, key: Uint8Array, json: Uint8Array): void {
    this.addRun({ ids: Uint32Array.of(internalId), keys: key, keyEnds: Uint32Array.of(key.length), documents: runOf(json) });
  }

  /**
   * Adds consecutive documents by one call of the engine.
   * @throws {ApiError} max_fields_limit_exceeded; the documents before the one that has too many are added, the builder stays usable
   */
  addRun({ ids, keys, keyEnds, documents: { bytes: json, places } }: KeyedRun): void {
    const instance = this.#instance;
    const sizes = ids.length * 4 * Uint32Array.BYTES_PER_ELEMENT;
    const input = this.#putInput(...[ids, keyEnds, places].map(bytesOf), keys, json);
    if ((this.#settled & BY_LETTERS) !== BY_LETTERS) {
      const byLetters: WordListBits = instance.exports.wordListsFor(input + sizes + keys.length, json.length);
      this.#settle(this.#mayBeJapanese ? byLetters | japaneseFor(byLetters) : byLetters);
    }
    const outcome = instance.exports.builderAdd(ids.length, keys.length, false);
    this.#learnFields();
    if (outcome === BUILDER_TOO_MANY_FIELDS) throw tooManyFields();
    if (outcome !== BUILDER_ADDED) throw new Error(`one of the documents from ${ids[0]} on is out of order`);
  }

  /**
   * Adds what an embedder has for a document; at most once per embedder, and also when there are no vectors but a state. Embedders are identified by their numbers; a number must not be reused for vectors of another form.
   * @param document its number in the segment; by default the last one. They must ascend.
   * @throws when dimensions or kind differ from those of the embedder's other vectors
   */
  addVectors(vectors: DocumentVectors, document = this.documentCount - 1): void {
    const { embedder, dimensions, binaryQuantized, values, ordinals, userProvided, regenerate, origin } = vectors;
    const instance = this.#instance;
    const count = dimensions === 0 ? 0 : values.length / dimensions;
    if (!Number.isInteger(count) || count > MAX_VECTORS_PER_DOCUMENT) throw new Error(`${values.length} values are not vectors`);
    this.#putInput(
      new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
      Uint8Array.from({ length: count }, (_, i) => ordinals?.[i] ?? i),
    );
    const flags = binaryQuantized ? VECTORS_BINARY : 0;
    const state = (userProvided ? STATE_USER_PROVIDED : 0) | (regenerate ? STATE_REGENERATE : 0);
    const isCarried = this.#graphs.some((graph) => graph.embedder === embedder && graph.segment === origin?.segment);
    const added = { document, embedder, dimensions, flags, count, state, origin: isCarried && origin ? origin.first : NONE };
    AddedVectors.write(instance.view, this.#vectors, added);
    if (!instance.exports.builderAddVectors(this.#vectors)) {
      throw new Error(`embedder ${embedder} has vectors of another form than ${dimensions} dimensions`);
    }
  }

  /**
   * Sets graphs from which those of this segment start, for vectors that come from there; must be called before the first
   * document is added.
   */
  startFrom(graphs: readonly StoredGraph[]): void {
    this.#graphs = graphs;
  }

  /**
   * Registers the fields of a document without adding it; false when there are too many fields, in which case none is registered.
   */
  learn(json: Uint8Array): boolean {
    this.#putInput(bytesOf(Uint32Array.of(NONE, 0, 0, json.length)), json);
    const outcome = this.#instance.exports.builderAdd(1, 0, true);
    this.#learnFields();
    return outcome === BUILDER_ADDED;
  }

  /** Copies parts into the engine's input buffer, one after the other. */
  #putInput(...parts: readonly Uint8Array[]): number {
    const instance = this.#instance;
    const input = instance.exports.builderInput(parts.reduce((sum, { length }) => sum + length, 0));
    const { bytes } = instance;
    let at = input;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return input;
  }

  #learnFields(): void {
    const instance = this.#instance;
    const known = this.#number('fieldCount');
    while (this.fields.length < known) {
      const { path, pathLength } = this.#field(this.fields.length);
      this.fields.push(instance.text(path, pathLength));
    }
  }

  /** A number of the builder's state, read for every document. */
  #number(field: 'fieldCount' | 'documentCount' | 'fields'): number {
    return this.#instance.words[(this.#state + BuilderState.offset[field]) / Uint32Array.BYTES_PER_ELEMENT] as number;
  }

  #field(id: number): FieldStateFields {
    const { words } = this.#instance;
    return this.#instance.read(FieldState, words[this.#number('fields') / Uint32Array.BYTES_PER_ELEMENT + id] as number);
  }

  /** By name of a top-level member: number of documents that have it. */
  get fieldDocuments(): Map<string, number> {
    const counts = this.fields.map((path, id): [string, number] => [path, this.#field(id).documents]);
    return new Map(counts.filter(([, count]) => count > 0));
  }

  /** Bytes of scratch memory in use since the builder was created. */
  get memoryUsed(): number {
    return this.#instance.exports.arenaMark() - this.#mark;
  }

  get documentCount(): number {
    return this.#number('documentCount');
  }

  /**
   * Writes the segment file, piece by piece: its header comes last. Releases everything.
   * @param sink takes a piece of the file, as a view that is only valid during the call
   */
  finish(sink: FileSink): BuiltSegment {
    const instance = this.#instance;
    const graphs = this.#graphs.map(({ embedder, read }) => ({ embedder, graph: instance.put(read()) }));
    const oldGraphs = instance.putStructures(OldGraph, graphs);
    instance.receivingFile(sink, () => instance.exports.builderFinish(oldGraphs, graphs.length));
    const { documentCount, residentLength, fileLength, rawBytes } = instance.read(BuilderState, this.#state);
    this.dispose();
    return { docCount: documentCount, residentLength, fileLength, rawBytes };
  }

  /** The segment file in memory: copies of its pieces, in order. Releases everything else. */
  finishInMemory(): BuiltSegment & { pieces: Uint8Array[] } {
    const pieces: Uint8Array[] = [];
    const built = this.finish((piece, offset) => {
      if (offset === 0) pieces.unshift(piece.slice());
      else pieces.push(piece.slice());
    });
    return { ...built, pieces };
  }

  #settle(needed: WordListBits): void {
    for (const list of listsIn(needed & ~this.#settled)) this.#provide(list);
    this.#settled |= needed;
  }

  /** Discards what was built. */
  dispose(): void {
    this.#instance.exports.builderEnd();
    this.#instance.exports.arenaReset(this.#mark);
  }
}
