/** `POST /indexes/{uid}/facet-search`: values of one facet whose beginning resembles a text. */
import { FACET_BY_FOLDED, type FacetSearch, FacetSearch as FacetSearchLayout } from '../engine/exports.js';
import { RecordWriter } from '../engine/record-writer.js';
import type { IndexReader } from '../engine/segments.js';
import { encodeLocales, foldFacet } from '../engine/tokenizer.js';
import { apiError } from '../errors.js';
import type { IndexSettings } from '../index-types.js';
import { covers } from '../patterns.js';
import { decidedBy, filterableFeatures, filterablePatterns } from '../query/filterable.js';
import { attributeLocales } from '../query/localized.js';
import { attributesHint, visibleNames } from '../query/visible-names.js';
import { NO_LIMIT, type TimeLimit } from '../time-limit.js';
import { facetList, writeFacets } from './facets.js';

/** What is looked for in a facet. */
export interface FacetQuery {
  facetName: string;
  /** null: all values. */
  facetQuery: string | null;
  /** Locales of the request; they can only narrow those of the attribute. */
  locales?: readonly string[] | null;
}

const encoder = new TextEncoder();
/** Texts whose folded form is their lower-case form. */
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
  const patterns = filterablePatterns(settings, ({ facetSearch }) => facetSearch);
  const available = attributesHint('Facet-searchable', visibleNames(patterns, settings));
  const rule = features ? ` ${decidedBy(facetName, features)}` : '';
  throw apiError('invalid_facet_search_facet_name', 'notFacetSearchable', { facetName, available, rule });
}

/**
 * Searches the texts of a facet; the checks have been made. Texts are spelled as in the document with the lowest internal id of all.
 * @param candidates address of a bitmap over slots in the scratch of the reader's instance
 * @returns JSON of the hits
 */
export function facetSearch(reader: IndexReader, candidates: number, query: FacetQuery, limit: TimeLimit = NO_LIMIT): string {
  const { instance } = reader;
  const path = query.facetName;
  if (reader.fieldId(path) < 0) return NO_HITS;
  const list = facetList(reader, [path], FACET_BY_FOLDED);
  const search = putSearch(reader, query);
  const { distribution, distributionLength } = writeFacets(reader, list, [candidates], [reader.liveBitmap()], limit, search);
  return instance.text(distribution, distributionLength);
}

const NO_HITS = '[]';

/** Locales of the facet, restricted to those of the request. */
function facetLocales(settings: IndexSettings, { facetName, locales }: FacetQuery): readonly string[] {
  const known = attributeLocales(settings, facetName) ?? [];
  return locales && locales.length > 0 ? known.filter((locale) => locales.includes(locale)) : known;
}

function putSearch(reader: IndexReader, request: FacetQuery): FacetSearch {
  const { settings } = reader.view;
  const locales = facetLocales(settings, request);
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
  const letters = Uint32Array.from(folded, (letter) => letter.codePointAt(0) as number);
  const record = new RecordWriter(FacetSearchLayout.bytes);
  const word = record.piece(query);
  const points = record.piece(new Uint8Array(letters.buffer));
  const languages = encodeLocales(locales);
  const list = languages[0] === 0 ? 0 : record.piece(languages).at;
  record.put(FacetSearchLayout, {
    bytes: record.finish().length,
    query: word.at,
    length: word.length,
    letters: points.at,
    letterCount: letters.length,
    typos,
    whole,
    locales: list,
  });
  return FacetSearchLayout.at(reader.instance.put(record.finish()));
}
