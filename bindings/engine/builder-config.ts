import { type IndexSettings, tokenizerConfig } from '../index-types.js';
import { covers, matchesPattern } from '../query/patterns.js';
import type { BuilderConfig } from './builder.js';

/** Member of documents with their location. */
export const GEO = '_geo';
/**
 * Postings from which a run of terms gets a bitmap: reading fewer takes a small fraction of a millisecond. Not a constant, so
 * that tests can build small segments with such bitmaps.
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
