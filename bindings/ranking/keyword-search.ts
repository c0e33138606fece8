import type { QueryTerms } from '../engine/exports.js';
import type { IndexReader } from '../engine/segments.js';
import { matchesPattern } from '../query/patterns.js';
import { isSearchable } from './attributes.js';
import type { RankRequest } from './plan.js';
import { type RankedHit, rankDocuments, readHits } from './ranked.js';
import { rulesOf, type SortRule } from './rules.js';

export interface KeywordRequest extends RankRequest {
  /** Languages that the request names. */
  locales: readonly string[] | null;
  sort: readonly SortRule[];
}

export interface KeywordAnswer {
  hits: RankedHit[];
  /** Bitmap of the documents that the answer counts. */
  counted: number;
  /** How many these are. */
  total: number;
  /** The time was over before all was ranked. */
  degraded: boolean;
  /** What hits are highlighted by; 0: nothing, or it was not asked for. */
  terms: QueryTerms;
}

/** Searches words in the documents of a bitmap (live documents that pass the filter). */
export function searchKeywords(reader: IndexReader, filtered: number, request: KeywordRequest): KeywordAnswer {
  const rules = rulesOf(reader.view, request.sort, request.matchingStrategy);
  const ranked = rankDocuments(reader, filtered, request, rules, queryLocales(reader, request));
  const { counted, total, degraded, terms } = ranked;
  return {
    hits: readHits(reader, ranked, rules),
    counted,
    total,
    degraded: degraded !== 0,
    terms,
  };
}

/** Languages the query may be in: those of the request, else those of the rules of the searched attributes. */
function queryLocales(reader: IndexReader, request: KeywordRequest): readonly string[] {
  if (request.locales !== null) return request.locales;
  const { settings, fields } = reader.view;
  const rules = settings.localizedAttributes;
  if (!rules) return [];
  const locales = new Set<string>();
  for (const path of fields) {
    if (!isSearchable(settings, path)) continue;
    const only = request.attributesToSearchOn;
    if (
      only &&
      !only.includes('*') &&
      !only.some((entry) => entry === path || (entry.includes('*') && matchesPattern(entry, path)))
    )
      continue;
    const rule = rules.find(({ attributePatterns }) => attributePatterns.some((pattern) => matchesPattern(pattern, path)));
    for (const locale of rule?.locales ?? []) locales.add(locale);
  }
  return [...locales];
}
