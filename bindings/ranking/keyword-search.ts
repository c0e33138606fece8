import type { QueryTerms } from '../engine/exports.js';
import type { IndexReader } from '../engine/segments.js';
import { attributeLocales } from '../query/localized.js';
import type { SortItem } from '../query/sort.js';
import { isSearchable, searchedFields } from './attributes.js';
import type { RankRequest } from './plan.js';
import { type RankedHit, rankDocuments, readHits } from './ranked.js';
import { rulesOf } from './rules.js';

export interface KeywordRequest extends RankRequest {
  /** Languages named in the request. */
  locales: readonly string[] | null;
  sort: readonly SortItem[];
}

export interface KeywordAnswer {
  hits: RankedHit[];
  /** Bitmap of the counted documents. */
  counted: number;
  /** Their number. */
  total: number;
  /** The time was up before all were ranked. */
  degraded: boolean;
  /** What hits are highlighted by; 0: nothing, or not requested. */
  terms: QueryTerms;
}

/** Ranks the documents of a bitmap (live, and passing the filter) by keywords. */
export function searchKeywords(reader: IndexReader, filtered: number, request: KeywordRequest): KeywordAnswer {
  const rules = rulesOf(reader.view, request.sort, request.matchingStrategy);
  const ranked = rankDocuments(reader, filtered, request, rules, queryLocales(reader, request));
  const { counted, total, degraded, terms } = ranked;
  return {
    hits: readHits(reader, ranked),
    counted,
    total,
    degraded: degraded !== 0,
    terms,
  };
}

/** Possible languages of the query: those of the request, otherwise those of the searched attributes. */
function queryLocales(reader: IndexReader, request: KeywordRequest): readonly string[] {
  if (request.locales !== null) return request.locales;
  const { settings, fields } = reader.view;
  if (!settings.localizedAttributes) return [];
  const searched = request.attributesToSearchOn && searchedFields(reader, request.attributesToSearchOn);
  const locales = new Set<string>();
  for (const [id, path] of fields.entries()) {
    if (!(searched?.has(id) ?? isSearchable(settings, path))) continue;
    for (const locale of attributeLocales(settings, path) ?? []) locales.add(locale);
  }
  return [...locales];
}
