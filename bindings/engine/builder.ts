import type { EngineInstance } from './instance.js';
import { address } from './instance.js';
import { tooManyFields } from './json.js';
import type { TokenizerConfig } from './tokenizer.js';
import { encodeLocales, encodeTokenizerConfig } from './tokenizer.js';
import { type DocumentVectors, MOST_VECTORS } from './vectors.js';
import {
  bitOf,
  japaneseFor,
  listsIn,
  mayBeGerman,
  mayBeJapanese,
  WORD_LISTS,
  type WordList,
  type WordListBits,
} from './word-lists.js';

/** What a segment is built for: the settings of its index that decide what is indexed. */
export interface BuilderConfig {
  /** Paths known so far: field id -> path. */
  fields: string[];
  primaryKey: string;
  /** null, or with `*` in it: every attribute. An entry covers what is nested under it. */
  searchable: string[] | null;
  /** Attributes without typo tolerance, and what is nested under them. */
  exactAttributes: string[];
  /** Words of numerals and ASCII punctuation do not tolerate typos. */
  disableOnNumbers: boolean;
  tokenizer: TokenizerConfig;
  /** The first rule with a matching pattern gives an attribute its locales. */
  localized: { patterns: string[]; locales: string[] }[];
  /** Fields that get columns, with what is nested under them. */
  columnsUnder: string[];
  /** Patterns (`x`, `x*`, `*x`, `*x*`, `*`) of fields that get columns. */
  columnPatterns: string[];
  /** `_geo` is filterable or sortable: points, and columns of `_geo`, `_geo.lat`, `_geo.lng`. */
  geo: boolean;
}

/** Sizes in bytes. */
export interface BuiltSegment {
  docCount: number;
  residentLength: number;
  fileLength: number;
  /** Of the documents before compression. */
  rawBytes: number;
}

const FLAG_ALL_SEARCHABLE = 1;
const FLAG_DISABLE_ON_NUMBERS = 2;
const FLAG_GEO = 4;

/** Of vectors, and of a document with an embedder. */
const FLAG_BINARY = 1;
const STATE_USER_PROVIDED = 1;
const STATE_REGENERATE = 2;

const ADDED = 0;
const TOO_MANY_FIELDS = 1;

const encoder = new TextEncoder();

/** u32 values and lists of texts (u32 count, then u32 length and UTF-8 bytes of each) one after the other. */
class ConfigWriter {
  readonly #parts: Uint8Array[] = [];

  u32(value: number): void {
    this.#parts.push(new Uint8Array(new Uint32Array([value]).buffer));
  }

  texts(list: readonly string[]): void {
    this.u32(list.length);
    for (const text of list) this.bytes(encoder.encode(text));
  }

  bytes(bytes: Uint8Array): void {
    this.u32(bytes.length);
    this.#parts.push(bytes);
  }

  finish(): Uint8Array {
    const bytes = new Uint8Array(this.#parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }
}

function encodeConfig(config: BuilderConfig): Uint8Array {
  const writer = new ConfigWriter();
  let flags = 0;
  if (config.searchable === null || config.searchable.includes('*')) flags |= FLAG_ALL_SEARCHABLE;
  if (config.disableOnNumbers) flags |= FLAG_DISABLE_ON_NUMBERS;
  if (config.geo) flags |= FLAG_GEO;
  writer.u32(flags);
  writer.texts(config.searchable ?? []);
  writer.texts(config.exactAttributes);
  writer.texts(config.columnsUnder);
  writer.texts(config.columnPatterns);
  writer.u32(config.localized.length);
  for (const rule of config.localized) {
    writer.texts(rule.patterns);
    writer.bytes(encodeLocales(rule.locales));
  }
  writer.texts(config.fields);
  return writer.finish();
}

/**
 * Gives the instance a list of words that documents need (see {@link keepWordList}). Called before such a document is read; where it
 * does nothing, texts of that script are not cut.
 */
export type ProvideWordList = (list: WordList) => void;

/** The lists that the letters of a text ask for. */
const BY_LETTERS: WordListBits = WORD_LISTS.reduce((bits, list) => (list === 'german' ? bits : bits | bitOf(list)), 0);

/**
 * Builds one segment in the scratch memory of an instance (private, plain). One builder an instance at a time; all that was
 * reserved since it was made is released by {@link finish} and {@link dispose}.
 */
export class SegmentBuilder {
  /** Grows as new paths are met. */
  readonly fields: string[];
  readonly #instance: EngineInstance;
  readonly #mark: number;
  readonly #provide: ProvideWordList;
  /** The lists of words that the instance has or cannot have. */
  #settled: WordListBits;
  /** Attributes whose ideographs may be Japanese where there are no kana. */
  readonly #mayBeJapanese: boolean;

  constructor(instance: EngineInstance, config: BuilderConfig, provide: ProvideWordList = () => {}) {
    this.#instance = instance;
    this.fields = [...config.fields];
    this.#provide = provide;
    this.#settled = instance.call('loadedWordLists');
    if (config.localized.some(({ locales }) => mayBeGerman(locales))) this.#settle(bitOf('german'));
    this.#mayBeJapanese = config.localized.some(({ locales }) => mayBeJapanese(locales));
    this.#mark = instance.call('arenaMark');
    const tokenizerBytes = encodeTokenizerConfig(config.tokenizer);
    const tokenizer = instance.call('tokenizerCreate', instance.put(tokenizerBytes), tokenizerBytes.length);
    instance.call('builderBegin', instance.put(encodeConfig(config)), tokenizer);
  }

  /**
   * Adds a document: ascending internal ids, the UTF-8 of its key, valid JSON of one object.
   * @throws {ApiError} max_fields_limit_exceeded; the document is not added, the builder stays usable
   */
  add(internalId: number, key: Uint8Array, json: Uint8Array): void {
    const instance = this.#instance;
    const input = address(instance.call('builderInput', key.length, json.length));
    const bytes = instance.bytes;
    bytes.set(key, input);
    bytes.set(json, input + key.length);
    if ((this.#settled & BY_LETTERS) !== BY_LETTERS) {
      const byLetters: WordListBits = instance.call('wordListsFor', input + key.length, json.length);
      this.#settle(this.#mayBeJapanese ? byLetters | japaneseFor(byLetters) : byLetters);
    }
    const outcome = instance.call('builderAdd', internalId, key.length, json.length);
    this.#learnFields();
    if (outcome === TOO_MANY_FIELDS) throw tooManyFields();
    if (outcome !== ADDED) throw new Error(`document ${internalId} is out of order`);
  }

  /**
   * Adds what an embedder has of the document that was added last: once an embedder, also where it has no vectors but a state. Embedders
   * are told apart by their number; a number that once meant vectors of another form must not be given to another embedder.
   * @throws when the dimensions or the kind are not those of the embedder's other vectors
   */
  addVectors(vectors: DocumentVectors): void {
    const { embedder, dimensions, binaryQuantized, values, ordinals, userProvided, regenerate } = vectors;
    const instance = this.#instance;
    const count = dimensions === 0 ? 0 : values.length / dimensions;
    if (!Number.isInteger(count) || count > MOST_VECTORS) throw new Error(`${values.length} values are not vectors`);
    const input = address(instance.call('vectorsInput', count, dimensions));
    const { bytes } = instance;
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), input);
    for (let i = 0; i < count; i++) bytes[input + values.byteLength + i] = ordinals?.[i] ?? i;
    const flags = binaryQuantized ? FLAG_BINARY : 0;
    const state = (userProvided ? STATE_USER_PROVIDED : 0) | (regenerate ? STATE_REGENERATE : 0);
    if (instance.call('builderAddVectors', embedder, dimensions, flags, count, state) === 0) {
      throw new Error(`embedder ${embedder} has vectors of another form than ${dimensions} dimensions`);
    }
  }

  /** Takes the fields of a document, but not the document; false when they are too many: then it takes none of them. */
  learn(json: Uint8Array): boolean {
    const instance = this.#instance;
    const input = address(instance.call('builderInput', 0, json.length));
    instance.bytes.set(json, input);
    const taken = instance.call('builderLearn', json.length) !== 0;
    this.#learnFields();
    return taken;
  }

  #learnFields(): void {
    const instance = this.#instance;
    const known = instance.call('builderFieldCount');
    while (this.fields.length < known) {
      const id = this.fields.length;
      this.fields.push(instance.text(address(instance.call('builderFieldPath', id)), instance.call('builderFieldLength', id)));
    }
  }

  /** Bytes of scratch in use since the builder was made. */
  get memoryUsed(): number {
    return address(this.#instance.call('arenaMark')) - address(this.#mark);
  }

  get documentCount(): number {
    return this.#instance.call('builderDocumentCount');
  }

  /** Hands the whole file to `sink`, in order; the chunks are views that are only valid during the call. */
  finish(sink: (chunk: Uint8Array) => void): BuiltSegment {
    const instance = this.#instance;
    instance.call('builderFinish');
    const rawBytes = instance.call('builderRawBytes');
    const docCount = this.documentCount;
    let fileLength = 0;
    for (let index = 0, chunks = instance.call('chunkCount'); index < chunks; index++) {
      const length = instance.call('chunkLength', index);
      const pointer = address(instance.call('chunkPointer', index));
      fileLength += length;
      sink(instance.bytes.subarray(pointer, pointer + length));
    }
    const residentLength = instance.call('builderResidentLength');
    this.dispose();
    return { docCount, residentLength, fileLength, rawBytes };
  }

  #settle(needed: WordListBits): void {
    for (const list of listsIn(needed & ~this.#settled)) this.#provide(list);
    this.#settled |= needed;
  }

  /** Drops what was built. */
  dispose(): void {
    this.#instance.call('arenaReset', this.#mark);
  }
}
