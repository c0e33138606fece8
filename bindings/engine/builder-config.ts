import type { IndexSettings } from '../index-types.js';
import { covers, matchesPattern } from '../patterns.js';
import {
  CONFIG_ALL_SEARCHABLE,
  CONFIG_DISABLE_ON_NUMBERS,
  CONFIG_GEO,
  CONFIG_NO_DOCUMENTS,
  CONFIG_NO_WORDS,
  NONE,
} from './exports.js';
import { ListWriter } from './list-writer.js';
import { encodeLocales, type TokenizerConfig, tokenizerConfig } from './tokenizer.js';

/** The settings that determine what is indexed in a segment. */
export interface BuilderConfig {
  /** Known field paths: field id -> path. */
  fields: string[];
  primaryKey: string;
  /** null, or a list containing `*`: every attribute. An entry includes everything nested under it. */
  searchable: string[] | null;
  /** Attributes without typo tolerance, including everything nested under them. */
  exactAttributes: string[];
  /** Words of digits and ASCII punctuation do not tolerate typos. */
  disableOnNumbers: boolean;
  tokenizer: TokenizerConfig;
  /** The first rule with a matching pattern determines the locales of an attribute. */
  localized: { patterns: string[]; locales: string[] }[];
  /** Fields that get columns, including everything nested under them. */
  columnsUnder: string[];
  /** Patterns (`x`, `x*`, `*x`, `*x*`, `*`) of fields that get columns. */
  columnPatterns: string[];
  /** `_geo` is filterable or sortable: stores points, and columns of `_geo`, `_geo.lat`, `_geo.lng`. */
  geo: boolean;
  /** Bytes of quantized vectors up to which they are scanned instead of indexed by a graph; default: the engine's choice. */
  scanBytes?: number;
  /** Bytes of occurrences of terms that are in memory at once when the segment is written; default: the engine's choice. */
  collectedBytes?: number;
  /** As {@link longRunLimit}. */
  longRun: number;
  /**
   * Builds only these sections, and columns: for a segment that copies the others from one with the same documents. Absent: all.
   */
  only?: { words: boolean; documents: boolean };
}

/** Member of documents with their location. */
export const GEO = '_geo';
/**
 * Postings from which the words with a prefix are a long run, whose documents are stored; a single term needs a quarter of them, and both
 * a share of the documents (engine-as/assembly/build/long-runs.ts). Reading fewer postings takes a small fraction of a millisecond. Not a
 * constant, so that tests can build small segments with long runs.
 */
export const longRunLimit = { postings: 4096 };
/**
 * Bytes of the codes of a segment's vectors up to which no graph is built, for all segments of a thread; undefined: the engine's
 * choice.
 */
export const vectorScanLimit: { bytes: number | undefined } = { bytes: undefined };
const CUSTOM_RULE = /^(.+):(?:asc|desc)$/s;

/** The fields of custom ranking rules. */
export function rankedFields(rankingRules: readonly string[]): string[] {
  return rankingRules.flatMap((rule) => CUSTOM_RULE.exec(rule)?.[1] ?? []);
}

/** Whether a field gets a column in segments built with this configuration, if documents have it. */
export function hasColumn({ columnsUnder, columnPatterns, geo }: BuilderConfig, path: string): boolean {
  if (geo && covers(GEO, path)) return true;
  return columnsUnder.some((field) => covers(field, path)) || columnPatterns.some((pattern) => matchesPattern(pattern, path));
}

/** The segment builder's configuration for the settings of an index. */
export function builderConfig(settings: IndexSettings, fields: string[], primaryKey: string): BuilderConfig {
  const { filterableAttributes, sortableAttributes, typoTolerance } = settings;
  const filterable = filterableAttributes.filter((rule) => typeof rule === 'string');
  const patterns = filterableAttributes.flatMap((rule) => (typeof rule === 'string' ? [] : rule.attributePatterns));
  const ranked = rankedFields(settings.rankingRules);
  const distinct = settings.distinctAttribute === null ? [] : [settings.distinctAttribute];
  return {
    fields,
    primaryKey,
    searchable: settings.searchableAttributes,
    exactAttributes: typoTolerance.disableOnAttributes,
    disableOnNumbers: typoTolerance.disableOnNumbers,
    tokenizer: tokenizerConfig(settings),
    localized: (settings.localizedAttributes ?? []).map(({ attributePatterns, locales }) => ({
      patterns: attributePatterns,
      locales,
    })),
    columnsUnder: [...new Set([...filterable, ...sortableAttributes, ...ranked, ...distinct])],
    columnPatterns: [...new Set(patterns)],
    geo: filterable.includes(GEO) || sortableAttributes.includes(GEO),
    longRun: longRunLimit.postings,
    ...(vectorScanLimit.bytes !== undefined && { scanBytes: vectorScanLimit.bytes }),
  };
}

/** The configuration as the engine reads it: see engine-as/assembly/build/config.ts. */
export function encodeConfig(config: BuilderConfig): Uint8Array {
  const writer = new ListWriter();
  let flags = 0;
  if (config.searchable === null || config.searchable.includes('*')) flags |= CONFIG_ALL_SEARCHABLE;
  if (config.disableOnNumbers) flags |= CONFIG_DISABLE_ON_NUMBERS;
  if (config.geo) flags |= CONFIG_GEO;
  if (config.only?.words === false) flags |= CONFIG_NO_WORDS;
  if (config.only?.documents === false) flags |= CONFIG_NO_DOCUMENTS;
  writer.u32(flags);
  writer.u32(config.longRun);
  writer.u32(config.scanBytes ?? NONE);
  writer.u32(config.collectedBytes ?? NONE);
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
