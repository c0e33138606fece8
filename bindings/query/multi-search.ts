import { checkedUid, INDEX_UID } from './index-uid.js';
import { SEARCH_MEMBERS, type SearchRequest } from './request.js';
import { arrayOf, BOOLEAN, objectOf, POSITIVE, STRING, STRINGS, UNSIGNED } from './request-values.js';
import {
  defaulted,
  fromJson,
  type Kind,
  nullable,
  optional,
  readObject,
  readObjectBody,
  required,
  type ValuesOf,
} from './validate.js';

/** The body of `POST /multi-search`: queries that are answered separately or merged into one list. */

const FEDERATION_OPTIONS = {
  /** Factor for the scores of the query. */
  weight: defaulted(POSITIVE, 'invalid_multi_search_weight', 1),
  /** Name of the instance that answers the query. */
  remote: optional(STRING, 'invalid_multi_search_remote'),
  /** Replaces the position of the query. */
  queryPosition: optional(UNSIGNED, 'invalid_multi_search_query_position'),
};

const QUERY = {
  indexUid: required(INDEX_UID, 'invalid_index_uid', 'missing_index_uid'),
  ...SEARCH_MEMBERS,
  offset: optional(UNSIGNED, 'invalid_search_offset'),
  limit: optional(UNSIGNED, 'invalid_search_limit'),
  showPerformanceDetails: optional(BOOLEAN, 'invalid_search_show_performance_details'),
  federationOptions: optional(objectOf(FEDERATION_OPTIONS), 'bad_request'),
};

/** A query as sent; null stands for absent members, those of its pagination too. */
export type MultiSearchQuery = ValuesOf<typeof QUERY>;

const FACETS = nullable(STRINGS);

const FACETS_BY_INDEX: Kind<[uid: string, facets: string[] | null][]> = fromJson(
  { type: 'object', additionalProperties: FACETS.schema ?? {} },
  (value, at) => {
    if (!(value instanceof Map)) return at.refuse('an object of index uids with arrays of facets', value);
    return [...value].map(([uid, facets]) => [checkedUid(uid, at.member(uid)), FACETS.json(facets, at.member(uid))]);
  },
);

const MERGE_FACETS = {
  /** null: values are not truncated after merging. */
  maxValuesPerFacet: optional(UNSIGNED, 'invalid_multi_search_max_values_per_facet'),
};

export type MergeFacets = ValuesOf<typeof MERGE_FACETS>;

const FEDERATION = {
  offset: defaulted(UNSIGNED, 'invalid_search_offset', 0),
  limit: defaulted(UNSIGNED, 'invalid_search_limit', 20),
  page: optional(UNSIGNED, 'invalid_search_page'),
  hitsPerPage: optional(UNSIGNED, 'invalid_search_hits_per_page'),
  /** Names and patterns of facets by index; null: none. */
  facetsByIndex: defaulted(FACETS_BY_INDEX, 'invalid_multi_search_facets_by_index', []),
  mergeFacets: optional(objectOf(MERGE_FACETS), 'invalid_multi_search_merge_facets'),
  distinct: optional(STRING, 'invalid_search_distinct'),
  showPerformanceDetails: defaulted(BOOLEAN, 'invalid_search_show_performance_details', false),
  personalize: SEARCH_MEMBERS.personalize,
};

export type Federation = ValuesOf<typeof FEDERATION>;

export const MULTI_SEARCH_MEMBERS = {
  queries: required(arrayOf(objectOf(QUERY), 'an array of queries'), 'bad_request'),
  /** null: queries are answered separately. */
  federation: optional(objectOf(FEDERATION), 'bad_request'),
};

export type MultiSearch = ValuesOf<typeof MULTI_SEARCH_MEMBERS>;

/** Parses the body. @throws ApiError for the first invalid member, in the order sent */
export function parseMultiSearch(bytes: Uint8Array): MultiSearch {
  return readObject<MultiSearch>(MULTI_SEARCH_MEMBERS, readObjectBody(bytes));
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
    offset: offset ?? SEARCH_MEMBERS.offset.initial,
    limit: limit ?? SEARCH_MEMBERS.limit.initial,
    showPerformanceDetails: showPerformanceDetails ?? false,
  };
}
