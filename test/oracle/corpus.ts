import type { IndexSettings } from '../../bindings/index-types.js';
import { isObject, type Json, JsonNumber, type JsonObject } from './json.js';
import { compareBytes, covers, isNumeric, sortedByBytes, trimBlanks, utf8Length } from './text.js';
import { Tokenizer } from './tokenizer.js';

/** What is indexed: the words of every document with their attributes and positions, and what follows from them. */

const GAP = 8;
const POSITIONS = 65536;
const MAX_WORD_BYTES = 250;
/** Pairs of words farther apart than this are "far". */
const MAX_DISTANCE = 3;
const NEVER_SEARCHED = ['_vectors', '_geo', '_geojson'];

export interface Occurrence {
  attribute: number;
  position: number;
}

export interface IndexedDocument {
  internalId: number;
  json: JsonObject;
  occurrences: Map<string, Occurrence[]>;
  /** Attribute -> number of words indexed in it. */
  wordCounts: Map<number, number>;
}

export interface Attribute {
  path: string;
  searchable: boolean;
  /** Place of the entry of `searchableAttributes` that covers it; 0 is best. */
  weight: number;
  /** No typos here. */
  exact: boolean;
}

/** Which words of a document count: on the tolerant side only, or on either. */
export type Side = 'any' | 'tolerant';
/** The attributes searched; null for all. */
export type Within = ReadonlySet<number> | null;

export class Corpus {
  readonly tokenizer: Tokenizer;
  readonly attributes: Attribute[] = [];
  readonly documents: IndexedDocument[];
  /** Word -> the documents that contain it, on either side. */
  readonly postings = new Map<string, IndexedDocument[]>();
  /** Every word, in byte order. */
  readonly words: string[];
  /** The words typos may lead to: those on the tolerant side of some document. */
  readonly dictionary: string[];
  readonly maxWeight: number;
  readonly #attributeIds = new Map<string, number>();
  readonly #pairCounts = new Map<string, number>();

  constructor(
    readonly settings: IndexSettings,
    documents: readonly { internalId: number; json: JsonObject }[],
  ) {
    this.tokenizer = new Tokenizer(settings);
    this.maxWeight = Math.max(0, (settings.searchableAttributes?.length ?? 1) - 1);
    const ordered = [...documents].sort((a, b) => a.internalId - b.internalId);
    this.documents = ordered.map(({ internalId, json }) => this.#index(internalId, json));
    const tolerant = new Set<string>();
    for (const document of this.documents) {
      for (const [word, occurrences] of document.occurrences) {
        const holders = this.postings.get(word);
        if (holders) holders.push(document);
        else this.postings.set(word, [document]);
        if (occurrences.some((o) => this.isTolerant(word, o))) tolerant.add(word);
      }
    }
    this.words = sortedByBytes(this.postings.keys());
    this.dictionary = this.words.filter((word) => tolerant.has(word));
  }

  holders(word: string): readonly IndexedDocument[] {
    return this.postings.get(word) ?? [];
  }

  isSearchable(path: string): boolean {
    const { searchableAttributes } = this.settings;
    if (NEVER_SEARCHED.some((entry) => covers(entry, path))) return false;
    return searchableAttributes === null || searchableAttributes.some((entry) => covers(entry, path));
  }

  isTolerant(word: string, occurrence: Occurrence): boolean {
    if (this.attributes[occurrence.attribute]?.exact) return false;
    return !(this.settings.typoTolerance.disableOnNumbers && isNumeric(word));
  }

  /** Whether a document contains a word on this side of these attributes. */
  holds(document: IndexedDocument, word: string, side: Side, within: Within): boolean {
    const occurrences = document.occurrences.get(word) ?? [];
    return occurrences.some((o) => (side === 'any' || this.isTolerant(word, o)) && (within === null || within.has(o.attribute)));
  }

  /** Distance from one word to a later one in the same attribute: 1 to 3, or Infinity. By attribute: 1 or Infinity. */
  pair(document: IndexedDocument, first: string, second: string, within: Within): number {
    const from = document.occurrences.get(first) ?? [];
    const to = document.occurrences.get(second) ?? [];
    let nearest = Number.POSITIVE_INFINITY;
    for (const a of from) {
      for (const b of to) {
        if (a.attribute !== b.attribute) continue;
        if (this.settings.proximityPrecision === 'byAttribute') {
          if (within === null || within.has(a.attribute)) return 1;
        } else if (b.position > a.position) nearest = Math.min(nearest, b.position - a.position);
      }
    }
    return nearest <= MAX_DISTANCE ? nearest : Number.POSITIVE_INFINITY;
  }

  /** Number of documents of the whole index where two words are neighbours. */
  neighbours(left: string, right: string, within: Within): number {
    const key = JSON.stringify([left, right, this.settings.proximityPrecision === 'byAttribute' && within && [...within]]);
    let count = this.#pairCounts.get(key);
    if (count === undefined) {
      const holders = this.postings.has(right) ? this.holders(left) : [];
      count = holders.filter((document) => this.pair(document, left, right, within) === 1).length;
      this.#pairCounts.set(key, count);
    }
    return count;
  }

  /** Other words of a sorted list that begin with a text, in byte order. */
  startingWith(list: readonly string[], prefix: string): string[] {
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareBytes(list[middle] as string, prefix) < 0) low = middle + 1;
      else high = middle;
    }
    const found: string[] = [];
    for (; low < list.length && (list[low] as string).startsWith(prefix); low++) {
      if (list[low] !== prefix) found.push(list[low] as string);
    }
    return found;
  }

  #attribute(path: string): number {
    let id = this.#attributeIds.get(path);
    if (id === undefined) {
      id = this.attributes.length;
      this.#attributeIds.set(path, id);
      const { searchableAttributes, typoTolerance } = this.settings;
      const weight = searchableAttributes?.findIndex((entry) => covers(entry, path)) ?? 0;
      const searchable = this.isSearchable(path);
      const exact = typoTolerance.disableOnAttributes.some((entry) => covers(entry, path));
      this.attributes.push({ path, searchable, weight, exact });
    }
    return id;
  }

  #index(internalId: number, json: JsonObject): IndexedDocument {
    const document: IndexedDocument = { internalId, json, occurrences: new Map(), wordCounts: new Map() };
    const counters = new Map<number, number>();
    const visit = (path: string): { attribute: number; start: number } | null => {
      const attribute = this.#attribute(path);
      if (!this.attributes[attribute]?.searchable) return null;
      const before = counters.get(attribute);
      const start = before === undefined ? 0 : before + GAP;
      counters.set(attribute, start);
      return { attribute, start };
    };
    const leaf = (path: string, value: Json): void => {
      const visited = visit(path);
      if (!visited || visited.start >= POSITIONS) return;
      const { attribute, start } = visited;
      for (const { word, offset } of this.#wordsOf(indexedText(value))) {
        const position = start + offset;
        if (position >= POSITIONS) return;
        counters.set(attribute, position);
        document.wordCounts.set(attribute, (document.wordCounts.get(attribute) ?? 0) + 1);
        const occurrences = document.occurrences.get(word);
        if (occurrences) occurrences.push({ attribute, position });
        else document.occurrences.set(word, [{ attribute, position }]);
      }
    };
    // A container is visited separately when it is inside an object, and when it is empty.
    const walk = (path: string, value: Json, inObject: boolean): void => {
      const isArray = Array.isArray(value);
      if (!isArray && !isObject(value)) {
        leaf(path, value);
        return;
      }
      const size = isArray ? value.length : value.size;
      if (inObject) visit(path);
      if (size === 0) visit(path);
      if (isArray) for (const item of value) walk(path, item, false);
      else for (const [key, member] of value) walk(`${path}.${key}`, member, true);
    };
    for (const [key, value] of json) walk(key, value, false);
    return document;
  }

  /** The words of one value, with their distances from its start. */
  *#wordsOf(text: string): Generator<{ word: string; offset: number }> {
    let offset = 0;
    let before: 'nothing' | 'word' | 'soft' | 'hard' = 'nothing';
    for (const { kind, lemma } of this.tokenizer.tokenize(text)) {
      if (kind === 'hard' || kind === 'soft') {
        if (before !== 'nothing' && before !== 'hard') before = kind;
        continue;
      }
      if (lemma === '') continue;
      if (before !== 'nothing') offset += before === 'hard' ? GAP : 1;
      before = 'word';
      const word = trimBlanks(lemma);
      if (kind === 'word' && word !== '' && utf8Length(word) <= MAX_WORD_BYTES) yield { word, offset };
    }
  }
}

function indexedText(value: Json): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return value instanceof JsonNumber ? value.text : '';
}
