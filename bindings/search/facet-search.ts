import { checkFacetName, checkFacetSearchEnabled, facetSearch } from '../format/facet-search.js';
import { encodeFilter } from '../query/filter-plan.js';
import { Query } from '../query/query.js';
import { type FacetSearchRequest, searchKind } from '../query/request.js';
import type { SortItem } from '../query/sort.js';
import { NO_PINS } from '../rules/pins.js';
import { withoutForeign } from './foreign/foreign-filter.js';
import { checkedFilters, checkFilterOf, checkSearchedOn, encodedRanking, type RankPlan, semanticQuery } from './plan.js';
import { rank } from './rank.js';
import type { SearchSession } from './session.js';

const NO_SORT: readonly SortItem[] = [];

/** Number of documents to evaluate unless counts are exhaustive: the default limit of a search. */
const EVALUATED_DOCUMENTS = 20;

/**
 * Searches the values of a facet among the documents that a search finds.
 * @returns the bytes of the response body
 * @throws {ApiError} index_not_found; for an invalid filter, and for whatever the settings of the index do not permit
 */
export function searchFacet(session: SearchSession, uid: string, request: FacetSearchRequest): Uint8Array {
  const plan = planFacetSearch(session, uid, request);
  const { counted } = rank(session, plan);
  const { facetQuery } = request;
  const facetHits = facetSearch(plan.reader, counted, request, session.limit(plan.reader.view.settings.searchCutoffMs));
  const members = JSON.stringify({ facetQuery, processingTimeMs: Math.trunc(session.elapsed) });
  session.out.text(`{"facetHits":${facetHits},${members.slice(1)}`);
  return session.out.view();
}

/** Makes the checks in the documented order: unlike in a search, the index comes before the syntax of the filter. */
function planFacetSearch(session: SearchSession, uid: string, request: FacetSearchRequest): RankPlan {
  const reader = session.open(uid);
  const { settings } = reader.view;
  const filter = checkedFilters(request, session.features).all;
  const query = Query.of(request.q);
  const kind = searchKind(request, query);
  const semantic = semanticQuery(reader, kind, request, query, { from: 0, to: EVALUATED_DOCUMENTS });
  checkFacetSearchEnabled(settings);
  checkSearchedOn(reader, request);
  checkFilterOf(reader, filter);
  checkFacetName(settings, request.facetName);
  const resolved = withoutForeign(session, reader, filter);
  const exhaustive = request.exhaustiveFacetCount === true;
  return {
    reader,
    kind,
    semantic,
    request,
    query,
    filter: resolved && encodeFilter(reader, resolved),
    ranking: encodedRanking(reader, request, NO_SORT, settings.distinctAttribute),
    remaining: null,
    sort: NO_SORT,
    pins: NO_PINS,
    distinct: settings.distinctAttribute,
    needed: exhaustive ? settings.pagination.maxTotalHits : EVALUATED_DOCUMENTS,
    exhaustive,
    detailed: request.rankingScoreThreshold !== null,
    matches: false,
  };
}
