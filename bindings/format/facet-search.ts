/** `POST /indexes/{uid}/facet-search`: values of one facet whose beginning resembles a text. */
import { FACET_BY_COUNT, FACET_BY_FOLDED } from '../engine/exports.js';
import type { IndexReader } from '../engine/segments.js';
import { foldFacet } from '../engine/tokenizer.js';
import { apiError } from '../errors.js';
import type { IndexSettings } from '../index-types.js';
import { filterableFeatures, filterablePatterns } from '../query/filterable.js';
import { covers, matchesPattern } from '../query/patterns.js';
import { visibleNames } from '../query/sort.js';
import { NO_LIMIT, type TimeLimit } from '../time-limit.js';
import { type FacetWord, facetCounts } from './facet-values.js';
import { facetOrder } from './facets.js';

export interface FacetHit {
  value: string;
  count: number;
}

export interface FacetSearch {
  facetName: string;
  /** null: every value. */
  facetQuery: string | null;
  /** Of the request; they only narrow the locales of the attribute. */
  locales?: readonly string[] | null;
}

const encoder = new TextEncoder();
/** Texts that are their own folded form, once they are in lower case. */
const ASCII = /^[\0-\x7f]*$/;

/** @throws {ApiError} facet_search_disabled */
export function checkFacetSearchEnabled(settings: IndexSettings): void {
  if (settings.facetSearch) return;
  throw apiError('facet_search_disabled', 'disabled');
}

/** @throws {ApiError} invalid_facet_search_facet_name */
export function checkFacetName(settings: IndexSettings, facetName: string): void {
  const features = filterableFeatures(settings, facetName);
  if (features?.facetSearch) return;
  const names = visibleNames(
    filterablePatterns(settings, ({ facetSearch }) => facetSearch),
    settings,
  );
  const available =
    names.length > 0 ? `Facet-searchable attributes: ${names.join(', ')}` : 'This index has no facet-searchable attributes';
  const rule = features ? ` \`${facetName}\` is decided by rule #${features.rule} of \`filterableAttributes\`.` : '';
  throw apiError('invalid_facet_search_facet_name', 'notFacetSearchable', { facetName, available, rule });
}

/**
 * Searches the texts of a facet; the checks have been made. Texts are spelled as in the document with the lowest internal id of all.
 * @param candidates address of a bitmap over slots in the scratch of the reader's instance
 */
export function facetSearch(
  reader: IndexReader,
  candidates: number,
  request: FacetSearch,
  limit: TimeLimit = NO_LIMIT,
): FacetHit[] {
  const { settings } = reader.view;
  const fieldId = reader.fieldId(request.facetName);
  const textLimit = settings.faceting.maxValuesPerFacet;
  if (fieldId < 0 || textLimit === 0) return [];
  const { texts, isCut } = facetCounts(reader, {
    fieldId,
    candidates,
    spelling: reader.liveBitmap(),
    order: facetOrder(settings, request.facetName) === 'count' ? FACET_BY_COUNT : FACET_BY_FOLDED,
    numberLimit: 0,
    textLimit,
    word: wantedWord(reader, request),
    deadline: limit.deadline,
  });
  if (isCut) {
    limit.onCut();
    return [];
  }
  return texts;
}

/** Locales of the first rule of `localizedAttributes` that matches the facet, restricted to those of the request. */
function attributeLocales(settings: IndexSettings, { facetName, locales }: FacetSearch): readonly string[] {
  const rule = settings.localizedAttributes?.find(({ attributePatterns }) =>
    attributePatterns.some((pattern) => matchesPattern(pattern, facetName)),
  );
  if (!rule) return [];
  return locales && locales.length > 0 ? rule.locales.filter((locale) => locales.includes(locale)) : rule.locales;
}

function wantedWord(reader: IndexReader, request: FacetSearch): FacetWord {
  const { settings } = reader.view;
  const locales = attributeLocales(settings, request);
  const fold = (text: string) => {
    const lower = text.toLowerCase();
    return ASCII.test(lower) ? lower : foldFacet(reader.instance, lower, locales);
  };
  const folded = fold(request.facetQuery ?? '');
  const query = encoder.encode(folded);
  const { enabled, disableOnWords, disableOnAttributes, minWordSizeForTypos } = settings.typoTolerance;
  const { oneTypo, twoTypos } = minWordSizeForTypos;
  const whole = folded !== '' && disableOnWords.some((word) => fold(word) === folded);
  const strict = whole || !enabled || disableOnAttributes.some((attribute) => covers(attribute, request.facetName));
  const typos = strict || query.length < oneTypo ? 0 : query.length < twoTypos ? 1 : 2;
  return { query, letters: Array.from(folded, (letter) => letter.codePointAt(0) as number), typos, whole, locales };
}
