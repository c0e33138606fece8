import { compareTexts } from '../../engine/utf8.js';
import { floatText } from '../../format/float-text.js';
import type { MergeFacets } from '../../query/multi-search.js';

export interface FacetStats {
  min: number;
  max: number;
}

/** Facets that are merged with others. In order: objects would put keys that look like integers first. */
export interface FacetCounts {
  facetDistribution: [field: string, values: [value: string, count: number][]][];
  facetStats: [field: string, stats: FacetStats][];
}

/** The facets of one index of a federated search, and the order of their values. */
export interface FacetsOfIndex {
  uid: string;
  facets: FacetCounts;
  order(field: string): 'alpha' | 'count';
}

/** One distribution of all indexes: counts of the same value are added up, and the range of the numbers spans all. */
export function mergeFacets(indexes: readonly FacetsOfIndex[], { maxValuesPerFacet }: MergeFacets): FacetCounts {
  const counts = new Map<string, { values: Map<string, number>; order: 'alpha' | 'count' }>();
  const stats = new Map<string, FacetStats>();
  for (const { facets, order } of indexes) {
    for (const [field, values] of facets.facetDistribution) {
      const merged = counts.get(field) ?? { values: new Map<string, number>(), order: order(field) };
      counts.set(field, merged);
      for (const [value, count] of values) merged.values.set(value, (merged.values.get(value) ?? 0) + count);
    }
    for (const [field, { min, max }] of facets.facetStats) {
      const known = stats.get(field);
      stats.set(field, known ? { min: Math.min(known.min, min), max: Math.max(known.max, max) } : { min, max });
    }
  }
  const byName = <T>(entries: Iterable<[string, T]>) => [...entries].sort(([a], [b]) => compareTexts(a, b));
  return {
    facetDistribution: byName(counts).map(([field, { values, order }]) => {
      const ordered = byName(values);
      if (order === 'count') ordered.sort(([, a], [, b]) => b - a);
      return [field, ordered.slice(0, maxValuesPerFacet ?? ordered.length)];
    }),
    facetStats: byName(stats),
  };
}

/** The two members as JSON, their keys in order. */
export function facetsJson({ facetDistribution, facetStats }: FacetCounts): { facetDistribution: string; facetStats: string } {
  return {
    facetDistribution: orderedJson(facetDistribution, (values) => orderedJson(values, String)),
    facetStats: orderedJson(facetStats, ({ min, max }) => `{"min":${floatText(min)},"max":${floatText(max)}}`),
  };
}

function orderedJson<T>(entries: readonly (readonly [string, T])[], valueJson: (value: T) => string): string {
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${valueJson(value)}`).join(',')}}`;
}
