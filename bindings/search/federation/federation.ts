import type { MultiSearch } from '../../query/multi-search.js';
import { rank } from '../rank.js';
import type { SearchSession } from '../session.js';
import { facetsByIndex } from './facets.js';
import { federatedPage, joinQueries } from './page.js';
import { planFederation } from './plan.js';
import { writeFederation } from './write.js';

/**
 * Searches several indexes and merges the results into one list, in the four steps of a search.
 * @param forPeer another instance will merge the answer with others
 * @returns the bytes of the response body
 * @throws {ApiError} for the first faulty query, naming its position
 */
export function searchFederated(session: SearchSession, request: MultiSearch, forPeer = false): Uint8Array {
  if (request.federation?.showPerformanceDetails) session.timeStages();
  const plan = session.stage('partition queries', () => planFederation(session, request));
  const indexes = session.stage('execute local search', () =>
    plan.indexes.map((index) =>
      joinQueries(
        index,
        index.queries.map((query) => ({ ...query, ranked: rank(session, query.plan) })),
      ),
    ),
  );
  const page = session.stage('merge results', () => federatedPage(plan, indexes));
  const facets = session.stage('facet distribution', () => facetsByIndex(session, indexes));
  return writeFederation(session, plan, indexes, page, facets, forPeer);
}
