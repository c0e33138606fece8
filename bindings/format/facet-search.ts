/** `POST /indexes/{uid}/facet-search`: values of one facet whose beginning resembles a text. */
import type { Column } from '../engine/columns.js';
import type { EngineInstance } from '../engine/instance.js';
import type { IndexReader } from '../engine/segments.js';
import { putLocales } from '../engine/tokenizer.js';
import { ApiError } from '../errors.js';
import type { IndexSettings } from '../index-types.js';
import { filterableFeatures, filterablePatterns } from '../query/filterable.js';
import { covers, matchesPattern } from '../query/patterns.js';
import { visibleNames } from '../query/sort.js';
import type { FacetText, TextPart } from './facet-values.js';
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
  const limit = settings.faceting.maxValuesPerFacet;
  if (field < 0 || limit === 0) return [];
  const folder = new FacetFolder(reader.instance, attributeLocales(settings, request));
  const matcher = new FacetMatcher(wantedTexts(settings, request, folder), folder);
  const texts = facetTexts(reader, field, candidates, reader.liveBitmap());
  const ordered =
    facetOrder(settings, request.facetName) === 'count' ? byCount(texts, matcher, limit) : byText(texts, matcher, limit);
  return ordered.map((text) => ({ value: spellingOf(text), count: text.count }));
}

function byCount(texts: Iterable<FacetText>, matcher: FacetMatcher, limit: number): FacetText[] {
  const frequent = new MostFrequent<FacetText>(limit);
  for (const text of texts) if (matcher.match(text)) frequent.offer(text);
  return frequent.best;
}

/** By folded form, then by normalized form, which is the order in which the texts come. */
function byText(texts: Iterable<FacetText>, matcher: FacetMatcher, limit: number): FacetText[] {
  const found: { text: FacetText; folded: Uint8Array }[] = [];
  let ascending = 0;
  for (const text of texts) {
    // ASCII texts are their own folded form and ascend: the first ones are enough
    const plain = matcher.isPlain(text);
    if (plain && ascending === limit) continue;
    const folded = matcher.match(text);
    if (!folded) continue;
    if (plain) ascending++;
    found.push({ text, folded });
  }
  found.sort((a, b) => compareBytes(a.folded, b.folded));
  return found.slice(0, limit).map(({ text }) => text);
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
      const written = instance.exports.foldFacetInto(instance.put(text), text.length, this.#locales, out);
      return instance.bytes.slice(out, out + written);
    });
  }
}

/** Which folded texts are looked for: those that begin like a word, or equal it. */
interface WantedTexts {
  /** UTF-8 of the folded query; empty: every text. */
  query: Uint8Array;
  letters: string[];
  typos: number;
  whole: boolean;
}

function wantedTexts(settings: IndexSettings, { facetQuery, facetName }: FacetSearch, folder: FacetFolder): WantedTexts {
  const fold = (text: string) => folder.fold(encoder.encode(text.toLowerCase()));
  const query = fold(facetQuery ?? '');
  const { enabled, disableOnWords, disableOnAttributes, minWordSizeForTypos } = settings.typoTolerance;
  const { oneTypo, twoTypos } = minWordSizeForTypos;
  const whole = query.length > 0 && disableOnWords.some((word) => compareBytes(fold(word), query) === 0);
  const strict = whole || !enabled || disableOnAttributes.some((attribute) => covers(attribute, facetName));
  const typos = strict || query.length < oneTypo ? 0 : query.length < twoTypos ? 1 : 2;
  return { query, letters: Array.from(decoder.decode(query)), typos, whole };
}

class FacetMatcher {
  readonly #marks = new Map<Column, ReturnType<Column['resembling']>>();
  readonly #letters: Uint32Array;

  constructor(
    private readonly wanted: WantedTexts,
    private readonly folder: FacetFolder,
  ) {
    this.#letters = Uint32Array.from(wanted.letters, (letter) => letter.codePointAt(0) as number);
  }

  #marksOf(column: Column): ReturnType<Column['resembling']> {
    let marks = this.#marks.get(column);
    if (!marks) {
      marks = column.resembling(this.#letters, this.wanted.typos);
      this.#marks.set(column, marks);
    }
    return marks;
  }

  /** Whether a text is in ASCII. */
  isPlain({ parts }: FacetText): boolean {
    const { source, ordinal } = parts[0] as TextPart;
    return !this.#marksOf(source.column).others(ordinal);
  }

  /** UTF-8 of the folded form of a text that is looked for; null for any other. */
  match({ parts }: FacetText): Uint8Array | null {
    const { source, ordinal } = parts[0] as TextPart;
    const { column } = source;
    const marks = this.#marksOf(column);
    const other = marks.others(ordinal);
    if (!other && !marks.matches(ordinal)) return null;
    const folded = this.folder.fold(column.normalizedBytes(ordinal));
    return this.#accepts(folded, other) ? folded : null;
  }

  #accepts(folded: Uint8Array, other: boolean): boolean {
    const { query, letters, typos, whole } = this.wanted;
    if (whole) return compareBytes(folded, query) === 0;
    if (!other) return true;
    if (compareBytes(folded.subarray(0, query.length), query) === 0) return true;
    return typos > 0 && prefixDistance(letters, Array.from(decoder.decode(folded)), typos) <= typos;
  }
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
