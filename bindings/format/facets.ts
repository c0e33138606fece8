/** `facetDistribution` and `facetStats` of a search. */

import type { IndexReader } from '../engine/segments.js';
import { compareTexts } from '../engine/utf8.js';
import type { IndexSettings } from '../index-types.js';
import { own } from '../own.js';
import { hasValues, isFilterable } from '../query/filterable.js';
import { covers, matchesPattern } from '../query/patterns.js';
import type { FacetText, NumberCount } from './facet-values.js';
import { facetNumbers, facetTexts, MostFrequent, spellingOf } from './facet-values.js';
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

/** The fields that entries of `facets` (names with what is nested under them, or patterns) report, in alphabetical order. */
export function facetFields(reader: IndexReader, facets: readonly string[]): string[] {
  const { fields, settings } = reader.view;
  const matches = (path: string) =>
    facets.some((entry) => (entry.includes('*') && matchesPattern(entry, path)) || covers(entry, path));
  return fields.filter((path) => matches(path) && isFilterable(settings, path)).sort(compareTexts);
}

/**
 * Counts the values of facets among candidates.
 * @param candidates address of a bitmap over slots in the scratch of the reader's instance
 */
export function facetDistribution(
  reader: IndexReader,
  candidates: number,
  facets: readonly string[],
  candidateCount: number,
): Facets {
  const result: Facets = { facetDistribution: [], facetStats: [] };
  for (const field of facetFields(reader, facets)) {
    withScratch(reader, () => {
      const { values, stats } = countField(reader, field, candidates, candidateCount);
      result.facetDistribution.push([field, values]);
      if (stats) result.facetStats.push([field, stats]);
    });
  }
  return result;
}

/** Releases what a job reserves in every instance of a reader. */
function withScratch(reader: IndexReader, job: () => void): void {
  const instances = new Set([reader.instance, ...reader.segments.map(({ instance }) => instance)]);
  let scoped = job;
  for (const instance of instances) {
    const inner = scoped;
    scoped = () => instance.scoped(inner);
  }
  scoped();
}

export function facetOrder({ faceting }: IndexSettings, field: string): 'alpha' | 'count' {
  return own(faceting.sortFacetValuesBy, field) ?? faceting.sortFacetValuesBy['*'] ?? 'alpha';
}

interface FieldFacet {
  values: [value: string, count: number][];
  stats: FacetStats | null;
}

function countField(reader: IndexReader, field: string, candidates: number, candidateCount: number): FieldFacet {
  const { settings } = reader.view;
  if (!hasValues(settings, field)) return { values: [], stats: null };
  const limit = settings.faceting.maxValuesPerFacet;
  const byCount = facetOrder(settings, field) === 'count';
  const id = reader.fieldId(field);

  const numbers = facetNumbers(reader, id, candidates);
  const first = numbers[0];
  const stats = first ? { min: first.value, max: (numbers.at(-1) as NumberCount).value } : null;
  const values = new Map<string, number>();
  for (const { key, count } of orderNumbers(numbers, byCount, limit, candidateCount)) values.set(key, count);

  const texts = values.size < limit ? facetTexts(reader, id, candidates, candidates) : [];
  for (const text of byCount ? mostFrequent(texts, limit) : texts) {
    if (values.size >= limit) break;
    values.set(spellingOf(text), text.count);
  }
  return { values: [...values], stats };
}

function orderNumbers(
  numbers: NumberCount[],
  byCount: boolean,
  limit: number,
  candidateCount: number,
): { key: string; count: number }[] {
  const keyed = (list: readonly NumberCount[]) => list.map(({ value, count }) => ({ key: plainDecimal(value), count }));
  if (byCount) return keyed(mostFrequent(numbers, limit));
  if (candidateCount > TEXT_ORDER_CANDIDATES) return keyed(numbers.slice(0, limit));
  return keyed(numbers)
    .sort((a, b) => compareTexts(a.key, b.key))
    .slice(0, limit);
}

function mostFrequent<T extends NumberCount | FacetText>(ascending: Iterable<T>, limit: number): T[] {
  const frequent = new MostFrequent<T>(limit);
  for (const item of ascending) frequent.offer(item);
  return frequent.best;
}

/** A number in decimal digits, without an exponent. */
export function plainDecimal(value: number): string {
  const text = String(value);
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
