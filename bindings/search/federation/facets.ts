import { countFacets, facetFields, facetOrder } from '../../format/facets.js';
import { parseJson } from '../../query/json.js';
import type { SearchSession } from '../session.js';
import type { FacetsOfIndex } from './facet-counts.js';
import { type RankedIndex, remaining } from './page.js';
import { readFacets } from './peer-answer.js';

/** What this instance has counted in one index. */
export interface WrittenFacetsOfIndex {
  uid: string;
  fields: readonly string[];
  order(field: string): 'alpha' | 'count';
  /** As `facetsByIndex` has them: JSON. */
  text: string;
}

/**
 * Counts the requested facets among the documents of all queries of an index. Hits that `distinct` dropped in favour of a better
 * one are not counted, but are included in statistics.
 */
export function facetsByIndex(session: SearchSession, indexes: readonly RankedIndex[]): WrittenFacetsOfIndex[] {
  return indexes.flatMap((index): WrittenFacetsOfIndex[] => {
    const { uid, reader, facets, counted, rejected } = index;
    if (facets === null) return [];
    const { instance } = reader;
    const { settings } = reader.view;
    const fields = facetFields(reader, facets);
    const count = (candidates: number) => countFacets(reader, fields, candidates, session.limit(settings.searchCutoffMs));
    const all = count(counted);
    const { distribution, distributionLength } = rejected === 0 ? all : count(remaining(index));
    const stats = instance.text(all.stats, all.statsLength);
    const text = `{"distribution":${instance.text(distribution, distributionLength)},"stats":${stats}}`;
    return [{ uid, fields: fields.paths, order: (field) => facetOrder(settings, field), text }];
  });
}

/** What was counted here, to be merged. */
export function countsOf({ uid, order, text }: WrittenFacetsOfIndex): FacetsOfIndex {
  return { uid, order, facets: readFacets(parseJson(text)) };
}
