/** `POST /indexes/{uid}/facet-search`: values of one facet whose beginning resembles a text. */
import type { EngineInstance } from '../engine/instance.js';
import type { IndexReader } from '../engine/segments.js';
import { putLocales } from '../engine/tokenizer.js';
import { ApiError } from '../errors.js';
import type { IndexSettings } from '../index-types.js';
import { filterableFeatures, filterablePatterns } from '../query/filterable.js';
import { covers, matchesPattern } from '../query/patterns.js';
import { visibleNames } from '../query/sort.js';
import { compareBytes, facetTexts, MostFrequent, spellingOf } from './facet-values.js';
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

/** Most bytes that one byte of a text becomes when it is folded. */
const LARGEST_GROWTH = 16;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** @throws {ApiError} facet_search_disabled */
export function checkFacetSearchEnabled(settings: IndexSettings): void {
  if (settings.facetSearch) return;
  throw new ApiError('facet_search_disabled', 'Facet search is switched off for this index by its setting `facetSearch`.');
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
  throw new ApiError(
    'invalid_facet_search_facet_name',
    `Attribute \`${facetName}\` is not facet-searchable. ${available}.${rule}`,
  );
}

/**
 * Searches the texts of a facet; the checks have been made.
 * @param candidates address of a bitmap over slots in the scratch of the reader's instance
 */
export function facetSearch(reader: IndexReader, candidates: number, request: FacetSearch): FacetHit[] {
  const { settings } = reader.view;
  const field = reader.fieldId(request.facetName);
  if (field < 0) return [];
  const limit = settings.faceting.maxValuesPerFacet;
  const folder = new FacetFolder(reader.instance, attributeLocales(settings, request));
  const accepts = matcher(settings, request, folder);
  const byCount = facetOrder(settings, request.facetName) === 'count';
  const frequent = new MostFrequent<FacetHit & { show(): string }>(limit);
  const found: { folded: Uint8Array; show(): string; count: number }[] = [];
  for (const text of facetTexts(reader, field, candidates, reader.liveBitmap())) {
    const folded = folder.fold(text.bytes);
    if (!accepts(folded)) continue;
    const show = () => spellingOf(text);
    if (byCount) frequent.offer({ value: '', count: text.count, show });
    else found.push({ folded, show, count: text.count });
  }
  // texts come in the order of their normalized form, which decides where the folded forms are equal
  const ordered = byCount ? frequent.best : found.sort((a, b) => compareBytes(a.folded, b.folded)).slice(0, limit);
  return ordered.map(({ show, count }) => ({ value: show(), count }));
}

/** Locales of the first rule of `localizedAttributes` that matches the facet, restricted to those of the request. */
function attributeLocales(settings: IndexSettings, { facetName, locales }: FacetSearch): readonly string[] {
  const rule = settings.localizedAttributes?.find(({ attributePatterns }) =>
    attributePatterns.some((pattern) => matchesPattern(pattern, facetName)),
  );
  if (!rule) return [];
  return locales && locales.length > 0 ? rule.locales.filter((locale) => locales.includes(locale)) : rule.locales;
}

/** Folds whole values: like their normalized form, without marks. */
class FacetFolder {
  readonly #locales: number;

  constructor(
    private readonly instance: EngineInstance,
    locales: readonly string[],
  ) {
    this.#locales = putLocales(instance, locales);
  }

  /** UTF-8 of a text (lower case where it is ASCII) to UTF-8 of the folded text. */
  fold(text: Uint8Array): Uint8Array {
    // a copy: the text may be a view into memory that grows
    if (text.every((byte) => byte < 0x80)) return text.slice();
    const { instance } = this;
    return instance.scoped(() => {
      const out = instance.alloc(text.length * LARGEST_GROWTH);
      const written = instance.call('foldFacetInto', instance.put(text), text.length, this.#locales, out);
      return instance.bytes.slice(out, out + written);
    });
  }
}

function matcher(settings: IndexSettings, request: FacetSearch, folder: FacetFolder): (folded: Uint8Array) => boolean {
  const { facetQuery, facetName } = request;
  if (facetQuery === null) return () => true;
  const query = folder.fold(encoder.encode(facetQuery.toLowerCase()));
  const { enabled, disableOnWords, disableOnAttributes, minWordSizeForTypos } = settings.typoTolerance;
  if (disableOnWords.some((word) => compareBytes(folder.fold(encoder.encode(word.toLowerCase())), query) === 0)) {
    return (folded) => compareBytes(folded, query) === 0;
  }
  const { oneTypo, twoTypos } = minWordSizeForTypos;
  let typos = query.length < oneTypo ? 0 : query.length < twoTypos ? 1 : 2;
  if (!enabled || disableOnAttributes.some((attribute) => covers(attribute, facetName))) typos = 0;
  const startsExactly = (folded: Uint8Array) =>
    folded.length >= query.length && compareBytes(folded.subarray(0, query.length), query) === 0;
  if (typos === 0) return startsExactly;
  const letters = Array.from(decoder.decode(query));
  return (folded) => startsExactly(folded) || prefixDistance(letters, Array.from(decoder.decode(folded)), typos) <= typos;
}

/**
 * Least edit distance (a swap of neighbours counts once) between a word and any beginning of a text; above `limit` it is only known
 * to be larger.
 */
export function prefixDistance(word: readonly string[], text: readonly string[], limit: number): number {
  let before: number[] = [];
  let row = Array.from({ length: word.length + 1 }, (_, i) => i);
  let best = word.length;
  for (let j = 1; j <= Math.min(text.length, word.length + limit); j++) {
    const next = [j];
    for (let i = 1; i <= word.length; i++) {
      const same = word[i - 1] === text[j - 1];
      let cost = Math.min((row[i] as number) + 1, (next[i - 1] as number) + 1, (row[i - 1] as number) + (same ? 0 : 1));
      if (i > 1 && j > 1 && word[i - 1] === text[j - 2] && word[i - 2] === text[j - 1])
        cost = Math.min(cost, (before[i - 2] as number) + 1);
      next.push(cost);
    }
    before = row;
    row = next;
    best = Math.min(best, row[word.length] as number);
    if (best === 0 || Math.min(...row) > limit) break;
  }
  return best;
}
