import type { IndexSettings } from '../../bindings/index-types.js';
import type { IndexedDocument } from './corpus.js';
import { fieldValues } from './facet-values.js';
import { type FilterContext, filterablePaths } from './filter.js';
import { compareBytes, covers, matchesPattern } from './text.js';

/** Above this many candidates numbers are listed by value, below by their text. */
const FEW_CANDIDATES = 3000;

export interface FacetAnswer {
  distribution: Map<string, Map<string, number>>;
  stats: Map<string, { min: number; max: number }>;
}

interface Entry {
  /** The text it is ordered by, and the text it is shown as. */
  key: string;
  shown: string;
  number: number | null;
  count: number;
}

/** Counts the values of the fields asked for among the counted documents (by ascending internal id). */
export function facetAnswer(
  asked: readonly string[],
  documents: readonly IndexedDocument[],
  context: FilterContext,
  faceting: IndexSettings['faceting'],
): FacetAnswer {
  const answer: FacetAnswer = { distribution: new Map(), stats: new Map() };
  for (const field of filterablePaths(context)) {
    if (!asked.some((entry) => matchesPattern(entry, field) || covers(entry, field))) continue;
    const order = faceting.sortFacetValuesBy[field] ?? faceting.sortFacetValuesBy['*'] ?? 'alpha';
    const { numbers, strings } = countValues(field, documents);
    const compare = compareEntries(order, documents.length);
    const shown = new Map<string, number>();
    for (const entry of [...numbers.sort(compare), ...strings.sort(compare)]) {
      // a number and a text that look alike are one entry, with the count of the text
      if (shown.size < faceting.maxValuesPerFacet) shown.set(entry.shown, entry.count);
    }
    answer.distribution.set(field, shown);
    const values = numbers.map((entry) => entry.number as number);
    if (values.length > 0) answer.stats.set(field, { min: Math.min(...values), max: Math.max(...values) });
  }
  return answer;
}

function countValues(field: string, documents: readonly IndexedDocument[]): { numbers: Entry[]; strings: Entry[] } {
  const numbers = new Map<number, Entry>();
  const strings = new Map<string, Entry>();
  for (const { json } of documents) {
    const values = fieldValues(json, field);
    for (const number of new Set(values.numbers)) {
      const entry = numbers.get(number) ?? { key: plainDecimal(number), shown: plainDecimal(number), number, count: 0 };
      numbers.set(number, { ...entry, count: entry.count + 1 });
    }
    // the text shown is that of the first document, the last of its own if it has several
    for (const key of new Set(values.strings)) {
      const shown = values.originals[values.strings.lastIndexOf(key)] as string;
      const entry = strings.get(key) ?? { key, shown, number: null, count: 0 };
      strings.set(key, { ...entry, count: entry.count + 1 });
    }
  }
  return { numbers: [...numbers.values()], strings: [...strings.values()] };
}

function compareEntries(order: 'alpha' | 'count', candidates: number): (a: Entry, b: Entry) => number {
  const byValue = (a: Entry, b: Entry): number =>
    a.number !== null && b.number !== null ? a.number - b.number : compareBytes(a.key, b.key);
  if (order === 'count') return (a, b) => b.count - a.count || byValue(b, a);
  return candidates > FEW_CANDIDATES ? byValue : (a, b) => compareBytes(a.key, b.key);
}

/** A number without exponent. */
function plainDecimal(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;
  const [, sign, first, fraction = '', exponent] = match as unknown as [string, string, string, string | undefined, string];
  const digits = first + fraction;
  const point = 1 + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return sign + digits.padEnd(point, '0');
}
