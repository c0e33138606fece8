import {
  ATTRIBUTE_EXACT,
  ATTRIBUTE_SEARCHED,
  IndexPlan,
  Phrase,
  SynonymEntry,
  Word,
  type WordFields,
} from '../engine/exports.js';
import { RecordWriter } from '../engine/record-writer.js';
import type { IndexReader } from '../engine/segments.js';
import { encodeTokenizerConfig, hasEntries, Tokenizer, tokenizerConfig } from '../engine/tokenizer.js';
import { compareTexts, sortedSet } from '../engine/utf8.js';
import type { IndexSettings, IndexView } from '../index-types.js';
import { covers } from '../patterns.js';
import { type SynonymTable, synonymTable } from './synonyms.js';

/** The settings of an index as the engine reads them: an IndexPlan and the data that it refers to. */
export interface EncodedIndex {
  bytes: Uint8Array;
  /** Kinds of fields when all attributes are searched: u8 per field, at an offset in the bytes. */
  fieldFlags: Uint8Array;
  fieldFlagsAt: number;
}

/** Cached for each state of an index. */
const encoded = new WeakMap<IndexView, EncodedIndex>();

/** Numbers assigned so far to states and to weightings of attributes. */
let states = 0;
const schemes = new Map<string, number>();

export function indexPlan(reader: IndexReader): EncodedIndex {
  let plan = encoded.get(reader.view);
  if (!plan) {
    plan = encode(reader);
    encoded.set(reader.view, plan);
  }
  return plan;
}

function encode(reader: IndexReader): EncodedIndex {
  const { settings, fields } = reader.view;
  const { typoTolerance, searchableAttributes } = settings;
  const out = new RecordWriter(IndexPlan.bytes);
  const weights = new Uint16Array(fields.length);
  let before = 0;
  const fieldFlags = new Uint8Array(fields.length).fill(ATTRIBUTE_SEARCHED);
  for (const [id, path] of fields.entries()) {
    const weight = searchableAttributes?.findIndex((entry) => covers(entry, path)) ?? 0;
    // what is not searched has no words; weights that never fall from field to field are read faster
    weights[id] = weight < 0 ? before : weight;
    before = weights[id] as number;
    if (typoTolerance.disableOnAttributes.some((entry) => covers(entry, path))) (fieldFlags[id] as number) |= ATTRIBUTE_EXACT;
  }
  const fieldFlagsAt = out.piece(fieldFlags).at;
  const exceptions = typoExceptions(reader).map((word) => putWord(out, word));
  const tokenizer = tokenizerBytes(settings);
  const synonyms = putSynonyms(out, synonymTable(reader.view, new Tokenizer(reader.instance, tokenizerConfig(settings))));
  out.put(IndexPlan, {
    state: ++states,
    scheme: schemeNumber(searchableAttributes),
    fieldCount: fields.length,
    weights: out.piece(new Uint8Array(weights.buffer)).at,
    maxWeight: Math.max(0, (searchableAttributes?.length ?? 0) - 1),
    prefixSearch: settings.prefixSearch === 'disabled' ? 0 : 1,
    byAttribute: settings.proximityPrecision === 'byAttribute' ? 1 : 0,
    hasExactAttributes: typoTolerance.disableOnAttributes.length > 0 ? 1 : 0,
    typosEnabled: typoTolerance.enabled ? 1 : 0,
    oneTypo: typoTolerance.minWordSizeForTypos.oneTypo,
    twoTypos: typoTolerance.minWordSizeForTypos.twoTypos,
    exceptions: out.list(Word, exceptions),
    exceptionCount: exceptions.length,
    synonyms: out.list(SynonymEntry, synonyms),
    synonymCount: synonyms.length,
    tokenizer: tokenizer === null ? 0 : out.piece(tokenizer).at,
    tokenizerLength: tokenizer?.length ?? 0,
  });
  return { bytes: out.finish(), fieldFlags, fieldFlagsAt };
}

/** A number that is equal for equal weightings of attributes. */
function schemeNumber(searchable: readonly string[] | null): number {
  const name = (searchable ?? ['*']).join('\u0000');
  const number = schemes.get(name) ?? schemes.size;
  schemes.set(name, number);
  return number;
}

/** null: the default settings. */
function tokenizerBytes(settings: IndexSettings): Uint8Array | null {
  const config = tokenizerConfig(settings);
  return hasEntries(config) ? encodeTokenizerConfig(config) : null;
}

/**
 * `disableOnWords` in the form in which query words are compared, ascending: the tokens of each entry, including separators,
 * joined.
 */
function typoExceptions(reader: IndexReader): string[] {
  const { stopWords, typoTolerance } = reader.view.settings;
  if (typoTolerance.disableOnWords.length === 0) return [];
  const tokenizer = new Tokenizer(reader.instance, { stopWords, separatorTokens: [], nonSeparatorTokens: [], dictionary: [] });
  const words = typoTolerance.disableOnWords.map((entry) =>
    tokenizer
      .tokenize(entry)
      .map((token) => token.lemma)
      .join(''),
  );
  return sortedSet(words);
}

function putWord(out: RecordWriter, word: string): WordFields {
  const { at, length } = out.text(word);
  return { text: at, length };
}

function putSynonyms(out: RecordWriter, table: SynonymTable) {
  return [...table.keys()].sort(compareTexts).map((key) => {
    const values = (table.get(key) ?? []).map((words) => {
      const texts = words.map((word) => putWord(out, word));
      return { words: out.list(Word, texts), count: words.length };
    });
    return { ...putWord(out, key), values: out.list(Phrase, values), valueCount: values.length };
  });
}
