import { ApiError } from '../errors.js';
import { INDEX_UID } from './index-uid.js';
import type { Personalize, SearchRequest } from './request.js';
import { SEARCH_MEMBERS } from './request-table.js';
import { arrayOf, BOOLEAN, objectOf, POSITIVE, STRING, STRINGS, UNSIGNED } from './request-values.js';
import { defaulted, type Kind, type MemberTable, nullable, optional, readObject, readObjectBody, required } from './validate.js';

/** The body of `POST /multi-search`: queries that are answered separately or merged into one list. */

export interface FederationOptions {
  /** Factor for the scores of the query. */
  weight: number;
  /** Name of the instance that answers the query. */
  remote: string | null;
  /** Replaces the position of the query. */
  queryPosition: number | null;
}

/** The pagination of a query; null: absent. */
interface QueryPagination {
  offset: number | null;
  limit: number | null;
  showPerformanceDetails: boolean | null;
}

/** A query as sent. */
export interface MultiSearchQuery extends Omit<SearchRequest, keyof QueryPagination>, QueryPagination {
  indexUid: string;
  federationOptions: FederationOptions | null;
}

export interface MergeFacets {
  /** null: values are not truncated after merging. */
  maxValuesPerFacet: number | null;
}

export interface Federation {
  offset: number;
  limit: number;
  page: number | null;
  hitsPerPage: number | null;
  /** Names and patterns of facets by index; null: none. */
  facetsByIndex: [uid: string, facets: string[] | null][];
  mergeFacets: MergeFacets | null;
  distinct: string | null;
  showPerformanceDetails: boolean;
  personalize: Personalize | null;
}

export interface MultiSearch {
  queries: MultiSearchQuery[];
  /** null: queries are answered separately. */
  federation: Federation | null;
}

const FEDERATION_OPTIONS: MemberTable<FederationOptions> = {
  weight: defaulted(POSITIVE, 'invalid_multi_search_weight', 1),
  remote: optional(STRING, 'invalid_multi_search_remote'),
  queryPosition: optional(UNSIGNED, 'invalid_multi_search_query_position'),
};

const QUERY: MemberTable<MultiSearchQuery> = {
  indexUid: required(INDEX_UID, 'invalid_index_uid', 'missing_index_uid'),
  ...SEARCH_MEMBERS,
  offset: optional(UNSIGNED, 'invalid_search_offset'),
  limit: optional(UNSIGNED, 'invalid_search_limit'),
  showPerformanceDetails: optional(BOOLEAN, 'invalid_search_show_performance_details'),
  federationOptions: optional(objectOf(FEDERATION_OPTIONS), 'bad_request'),
};

const FACETS = nullable(STRINGS);

const FACETS_BY_INDEX: Kind<Federation['facetsByIndex']> = {
  schema: { type: 'object', additionalProperties: FACETS.schema ?? {} },
  json: (value, at) => {
    if (!(value instanceof Map)) return at.refuse('an object of index uids with arrays of facets', value);
    return [...value].map(([uid, facets]) => {
      const place = at.member(uid);
      try {
        return [INDEX_UID.text(uid, place), FACETS.json(facets, place)];
      } catch (error) {
        throw error instanceof ApiError ? new ApiError(at.code, error.message) : error;
      }
    });
  },
  text: (text, at) => at.refuse('an object of index uids with arrays of facets', text),
};

const MERGE_FACETS: MemberTable<MergeFacets> = {
  maxValuesPerFacet: optional(UNSIGNED, 'invalid_multi_search_max_values_per_facet'),
};

const FEDERATION: MemberTable<Federation> = {
  offset: defaulted(UNSIGNED, 'invalid_search_offset', 0),
  limit: defaulted(UNSIGNED, 'invalid_search_limit', 20),
  page: optional(UNSIGNED, 'invalid_search_page'),
  hitsPerPage: optional(UNSIGNED, 'invalid_search_hits_per_page'),
  facetsByIndex: defaulted(FACETS_BY_INDEX, 'invalid_multi_search_facets_by_index', []),
  mergeFacets: optional(objectOf(MERGE_FACETS), 'invalid_multi_search_merge_facets'),
  distinct: optional(STRING, 'invalid_search_distinct'),
  showPerformanceDetails: defaulted(BOOLEAN, 'invalid_search_show_performance_details', false),
  personalize: SEARCH_MEMBERS.personalize,
};

export const MULTI_SEARCH_MEMBERS: MemberTable<MultiSearch> = {
  queries: required(arrayOf(objectOf(QUERY), 'an array of queries'), 'bad_request'),
  federation: optional(objectOf(FEDERATION), 'bad_request'),
};

/** Parses the body. @throws ApiError for the first invalid member, in the order sent */
export function parseMultiSearch(bytes: Uint8Array): MultiSearch {
  return readObject(MULTI_SEARCH_MEMBERS, readObjectBody(bytes));
}

/** The position of a query in answers and messages, which also breaks ties. @param index position among the queries as sent */
export function positionOf({ federationOptions }: MultiSearchQuery, index: number): number {
  return federationOptions?.queryPosition ?? index;
}

/** The query as a search. */
export function searchOf({ indexUid: _, federationOptions: __, ...query }: MultiSearchQuery): SearchRequest {
  const { offset, limit, showPerformanceDetails } = query;
  return {
    ...query,
    offset: offset ?? (SEARCH_MEMBERS.offset.initial as number),
    limit: limit ?? (SEARCH_MEMBERS.limit.initial as number),
    showPerformanceDetails: showPerformanceDetails ?? false,
  };
}
