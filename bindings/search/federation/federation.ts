import type { MultiSearch } from '../../query/multi-search.js';
import { rank } from '../rank.js';
import type { SearchSession } from '../session.js';
import { facetsByIndex } from './facets.js';
import { federatedPage, joinQueries } from './page.js';
import { planFederation } from './plan.js';
import { writeFederation } from './write.js';

/**
 * Searches several indexes and merges what is found into one list. Takes the same four steps as a search of one index, and answers the
 * bytes of the response body.
 * @param forPeer the answer is merged with those of other instances, by who asks for it
 * @throws {ApiError} of the first query that is wrong, named by its position
 */
export function searchFederated(session: SearchSession, request: MultiSearch, forPeer = false): Uint8Array {
  const { stages } = session;
  stages.isWanted = request.federation?.showPerformanceDetails === true;
  const plan = stages.run('partition queries', () => planFederation(session, request));
  const indexes = stages.run('execute local search', () =>
    plan.indexes.map((index) =>
      joinQueries(
        index,
        index.queries.map((query) => ({ ...query, ranked: rank(session, query.plan) })),
      ),
    ),
  );
  const page = stages.run('merge results', () => federatedPage(plan, indexes));
  const facets = stages.run('facet distribution', () => facetsByIndex(session, indexes));
  return writeFederation(session, plan, indexes, page, facets, forPeer);
}
