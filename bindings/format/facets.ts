/** `facetDistribution` and `facetStats` of a search. */

import { FACET_BY_COUNT, FACET_BY_VALUE } from '../engine/exports.js';
import type { IndexReader } from '../engine/segments.js';
import { compareTexts } from '../engine/utf8.js';
import type { IndexSettings } from '../index-types.js';
import { own } from '../own.js';
import { hasValues, isFilterable } from '../query/filterable.js';
import { covers, matchesPattern } from '../query/patterns.js';
import { NO_LIMIT, type TimeLimit } from '../time-limit.js';
import { facetCounts } from './facet-values.js';
import { floatText } from './float-text.js';

export interface FacetStats {
  min: number;
  max: number;
}

/** In order: objects would put keys that look like integers first. */
export interface Facets {
  facetDistribution: [field: string, values: [value: string, count: number][]][];
  facetStats: [field: string, stats: FacetStats][];
}

/** Up to so many candidates numbers are put in the order of their text, above it in that of their value. */
const TEXT_ORDER_CANDIDATES = 3000;
/** No bound of numbers: as many as there are. */
const ALL = 0xffffffff;

/** The fields that entries of `facets` (names with what is nested under them, or patterns) report, in alphabetical order. */
export function facetFields(reader: IndexReader, facets: readonly string[]): string[] {
  const { fields, settings } = reader.view;
  const matches = (path: string) =>
    facets.some((entry) => (entry.includes('*') && matchesPattern(entry, path)) || covers(entry, path));
  return fields.filter((path) => path !== '_vectors' && matches(path) && isFilterable(settings, path)).sort(compareTexts);
}

/**
 * Counts the values of facets among candidates. Those that there is no time for have no values.
 * @param candidates address of a bitmap over slots in the scratch of the reader's instance
 */
export function facetDistribution(
  reader: IndexReader,
  candidates: number,
  facets: readonly string[],
  candidateCount: number,
  limit: TimeLimit = NO_LIMIT,
): Facets {
  const result: Facets = { facetDistribution: [], facetStats: [] };
  for (const field of facetFields(reader, facets)) {
    const { values, stats } = countField(reader, field, candidates, candidateCount, limit);
    result.facetDistribution.push([field, values]);
    if (stats) result.facetStats.push([field, stats]);
  }
  return result;
}

export function facetOrder({ faceting }: IndexSettings, field: string): 'alpha' | 'count' {
  return own(faceting.sortFacetValuesBy, field) ?? faceting.sortFacetValuesBy['*'] ?? 'alpha';
}

interface FieldFacet {
  values: [value: string, count: number][];
  stats: FacetStats | null;
}

const NO_VALUES: FieldFacet = { values: [], stats: null };

function countField(reader: IndexReader, field: string, candidates: number, candidateCount: number, time: TimeLimit): FieldFacet {
  const { settings } = reader.view;
  if (!hasValues(settings, field)) return NO_VALUES;
  const limit = settings.faceting.maxValuesPerFacet;
  const byCount = facetOrder(settings, field) === 'count';
  const byText = !byCount && candidateCount <= TEXT_ORDER_CANDIDATES;
  const { numbers, texts, range, isCut } = facetCounts(reader, {
    fieldId: reader.fieldId(field),
    candidates,
    spelling: candidates,
    order: byCount ? FACET_BY_COUNT : FACET_BY_VALUE,
    numberLimit: byText ? ALL : limit,
    textLimit: limit,
    word: null,
    deadline: time.deadline,
  });
  if (isCut) {
    time.onCut();
    return NO_VALUES;
  }
  const keyed = numbers.map(({ value, count }): [string, number] => [plainDecimal(value), count]);
  if (byText) keyed.sort(([a], [b]) => (a < b ? -1 : 1));
  const values = new Map(keyed.slice(0, limit));
  for (const { value, count } of texts) {
    if (values.size >= limit) break;
    values.set(value, count);
  }
  return { values: [...values], stats: range };
}

/** A number in decimal digits, without an exponent. */
export function plainDecimal(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  const parts = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!parts) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return sign + digits.padEnd(point, '0');
}

/** The two members as JSON, their keys in order. */
export function facetsJson({ facetDistribution, facetStats }: Facets): { facetDistribution: string; facetStats: string } {
  return {
    facetDistribution: orderedJson(facetDistribution, (values) => orderedJson(values, String)),
    facetStats: orderedJson(facetStats, ({ min, max }) => `{"min":${floatText(min)},"max":${floatText(max)}}`),
  };
}

function orderedJson<T>(entries: readonly (readonly [string, T])[], valueJson: (value: T) => string): string {
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${valueJson(value)}`).join(',')}}`;
}
