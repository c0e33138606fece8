import type { IndexReader } from '../../engine/segments.js';
import { sortedSet } from '../../engine/utf8.js';
import { ApiError, apiError, errorAs } from '../../errors.js';
import { facetFields, facetOrder } from '../../format/facets.js';
import type { FilterGates } from '../../query/filter-check.js';
import { type Federation, type MultiSearch, type MultiSearchQuery, positionOf, searchOf } from '../../query/multi-search.js';
import { searchKind, sentSearch } from '../../query/request.js';
import { parseSort } from '../../query/sort.js';
import { isSorting, rulesOf } from '../../ranking/rules.js';
import {
  EMPTY_PAGE,
  type PreparedSearch,
  planSearch,
  prepareSearch,
  refuseFeature,
  type SearchPlan,
  semanticQuery,
} from '../plan.js';
import { inQuery, NAMED_IN_BODY } from '../query-position.js';
import type { SearchSession } from '../session.js';
import { type Window, windowOf } from '../window.js';
import { checkComparable, comparedRules, type QueryOrder } from './rule-kinds.js';

/** A query of a federated search. */
export interface QueryPlan {
  /** In answers and messages, and to break ties. */
  position: number;
  weight: number;
  plan: SearchPlan;
}

/** The queries of one index. */
export interface IndexPlan {
  uid: string;
  reader: IndexReader;
  queries: QueryPlan[];
  /** Names and patterns of the facets to count; null: none. */
  facets: readonly string[] | null;
}

/** A validated search whose hits are merged into one list. */
export interface FederationPlan {
  federation: Federation;
  /** Ordered by uid. */
  indexes: IndexPlan[];
  window: Window;
  /** Number of hits wanted from every index. */
  needed: number;
}

/** A query before its index is opened. */
interface SentQuery {
  query: MultiSearchQuery;
  position: number;
  prepared: PreparedSearch;
}

/**
 * Validates a federated search: first all queries, then the indexes, ordered by uid.
 * @throws {ApiError} for the first faulty query, naming its position
 */
export function planFederation(session: SearchSession, { queries, federation }: MultiSearch): FederationPlan {
  const options = federation as Federation;
  const sent = prepareQueries(session.features, queries, options);
  const window = windowOf(options, Number.POSITIVE_INFINITY);
  // In page mode the total is exact: which hits share a value with others is known when all are compared.
  const needed = options.distinct !== null && window.exhaustive ? Number.POSITIVE_INFINITY : window.to;
  const asked = new Map(options.facetsByIndex);
  const orders = options.mergeFacets === null ? null : new FacetOrders();
  const indexes: IndexPlan[] = [];
  let before: QueryOrder | null = null;
  for (const uid of sortedSet(queries.map(({ indexUid }) => indexUid))) {
    const own = sent.filter(({ query }) => query.indexUid === uid);
    const reader = inQuery((own[0] as SentQuery).position, () => session.open(uid));
    const facets = asked.get(uid) ?? null;
    asked.delete(uid);
    if (facets) orders?.check(reader, facets);
    const planned = own.map(({ query, position, prepared }): QueryPlan => {
      const plan = inQuery(position, () => {
        before = checkComparable(before, orderOf(reader, position, prepared));
        return planOf(session, reader, prepared, { ...window, to: needed });
      });
      return { position, weight: query.federationOptions?.weight ?? 1, plan };
    });
    indexes.push({ uid, reader, queries: planned, facets });
  }
  for (const uid of [...asked.keys()].sort()) checkUnused(session, uid, asked.get(uid) ?? null, orders);
  if (options.personalize !== null) {
    throw apiError('feature_not_enabled', 'noReranker');
  }
  return { federation: options, indexes, window, needed };
}

/**
 * Makes the checks that need no index: first of filters, then of members that federated queries must not have.
 * @throws {ApiError} for the first faulty query, naming its position
 */
export function prepareQueries(
  features: Partial<FilterGates>,
  queries: readonly MultiSearchQuery[],
  federation: Federation,
): SentQuery[] {
  const sent = queries.map((query, index): SentQuery => {
    const position = positionOf(query, index);
    const request = { ...searchOf(query), distinct: federation.distinct ?? query.distinct };
    return inQuery(position, () => {
      checkNetwork(features, query);
      return { query, position, prepared: prepareSearch(sentSearch(request), features) };
    });
  });
  for (const { query, position } of sent) inQuery(position, () => checkMembers(query, federation));
  return sent;
}

function checkNetwork(features: Partial<FilterGates>, { federationOptions }: MultiSearchQuery): void {
  if (features.network || federationOptions === null) return;
  for (const name of ['remote', 'queryPosition'] as const) {
    if (federationOptions[name] !== null) refuseFeature(`Passing \`federationOptions.${name}\``, 'network');
  }
}

/** Members that queries of a federated search must not have, in the order of the checks. */
const REFUSED: readonly {
  names: readonly (keyof MultiSearchQuery)[];
  isGiven(query: MultiSearchQuery, name: keyof MultiSearchQuery, federation: Federation): boolean;
  code: string;
  advice: string;
}[] = [
  {
    names: ['offset', 'limit', 'page', 'hitsPerPage'],
    isGiven: (query, name) => query[name] !== null,
    code: 'invalid_multi_search_query_pagination',
    advice: 'give it in `.federation`, for the merged list',
  },
  {
    names: ['facets', 'disjunctiveFacets'],
    isGiven: (query, name) => ((query[name] as string[] | null) ?? []).length > 0,
    code: 'invalid_multi_search_query_facets',
    advice: 'give them in `.federation.facetsByIndex`',
  },
  {
    names: ['personalize'],
    isGiven: ({ personalize }) => personalize !== null,
    code: 'invalid_multi_search_query_personalization',
    advice: 'give it in `.federation`, for the merged list',
  },
  {
    names: ['federationOptions'],
    isGiven: ({ federationOptions, useNetwork }) => federationOptions?.remote != null && useNetwork === true,
    code: 'invalid_multi_search_federation_options',
    advice: '`.remote` and `.useNetwork` exclude each other: leave one out',
  },
  {
    names: ['showPerformanceDetails'],
    isGiven: ({ showPerformanceDetails }) => showPerformanceDetails !== null,
    code: 'invalid_multi_search_query_show_performance_details',
    advice: 'give it in `.federation`, for the whole request',
  },
  {
    names: ['distinct'],
    isGiven: ({ distinct }, _name, federation) => distinct !== null && federation.distinct !== null,
    code: 'invalid_multi_search_distinct',
    advice: '`.federation.distinct` holds for all queries: leave one out',
  },
];

function checkMembers(query: MultiSearchQuery, federation: Federation): void {
  for (const { names, isGiven, code, advice } of REFUSED) {
    for (const name of names) {
      if (isGiven(query, name, federation)) throw errorAs(code, 'notInMergedQuery', { name, advice });
    }
  }
}

/** The ranking of a query. Its kind and the syntax of `sort` are checked first, as in any search. */
function orderOf(reader: IndexReader, position: number, { request, query }: PreparedSearch): QueryOrder {
  const { view } = reader;
  const kind = searchKind(request, query);
  semanticQuery(reader, kind, request, query, EMPTY_PAGE);
  const sort = request.sort ? parseSort(request.sort, 'invalid_search_sort') : [];
  const all = rulesOf(view.settings, sort, request.matchingStrategy);
  const rules = kind === 'keyword' && query.isBlank ? all.filter(isSorting) : all;
  return { position, uid: view.uid, rules: comparedRules(rules, kind) };
}

function planOf(session: SearchSession, { view }: IndexReader, prepared: PreparedSearch, window: Window): SearchPlan {
  const to = Math.min(window.to, view.settings.pagination.maxTotalHits);
  const plan = planSearch(session, view.uid, prepared, { from: 0, to, exhaustive: window.exhaustive });
  // Hits are merged by the results of all rules.
  return { ...plan, detailed: true };
}

/** Facets of an index that no query uses are validated but not counted. */
function checkUnused(session: SearchSession, uid: string, facets: readonly string[] | null, orders: FacetOrders | null): void {
  try {
    const reader = session.open(uid);
    if (facets) orders?.check(reader, facets);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const note = `Note: index \`${uid}\` is not used in queries.`;
    throw errorAs(error.code, 'inUnusedIndex', { uid, message: error.message, note }, NAMED_IN_BODY);
  }
}

/** The order of facet values, which must be the same wherever facets are merged. */
class FacetOrders {
  readonly #orders = new Map<string, { order: string; uid: string }>();

  /** @throws {ApiError} invalid_multi_search_facet_order */
  check(reader: IndexReader, facets: readonly string[]): void {
    const { uid, settings } = reader.view;
    for (const field of facetFields(reader, facets).paths) {
      const order = facetOrder(settings, field);
      const before = this.#orders.get(field);
      if (before && before.order !== order) {
        throw apiError('invalid_multi_search_facet_order', 'differs', {
          uid,
          field,
          order,
          before: before.order,
          other: before.uid,
        });
      }
      this.#orders.set(field, { order, uid });
    }
  }
}
