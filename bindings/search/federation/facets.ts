import { compareTexts } from '../../engine/utf8.js';
import { type FacetStats, type Facets, facetDistribution, facetOrder } from '../../format/facets.js';
import type { MergeFacets } from '../../query/multi-search.js';
import type { SearchSession } from '../session.js';
import { countOf, type RankedIndex, remaining } from './page.js';

/** The facets of one index of a federated search, and how the values of a field are ordered there. */
export interface FacetsOfIndex {
  uid: string;
  facets: Facets;
  order(field: string): 'alpha' | 'count';
}

/**
 * Counts the facets that are asked for among the documents of all queries of an index. Hits that were rejected for the sake of a better
 * one are not counted; statistics are of all.
 */
export function facetsByIndex(session: SearchSession, indexes: readonly RankedIndex[]): FacetsOfIndex[] {
  return indexes.flatMap((index): FacetsOfIndex[] => {
    const { uid, reader, facets, counted, total, rejected } = index;
    if (facets === null) return [];
    const limit = session.limit(reader.view.settings.searchCutoffMs);
    const all = facetDistribution(reader, counted, facets, total, limit);
    const order = (field: string) => facetOrder(reader.view.settings, field);
    if (rejected === 0) return [{ uid, facets: all, order }];
    const rest = remaining(index);
    const left = facetDistribution(reader, rest, facets, countOf(reader, rest), limit);
    return [{ uid, facets: { facetDistribution: left.facetDistribution, facetStats: all.facetStats }, order }];
  });
}

/** One distribution of all indexes: counts of the same value are added up, and the range of the numbers spans all. */
export function mergeFacets(indexes: readonly FacetsOfIndex[], { maxValuesPerFacet }: MergeFacets): Facets {
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
