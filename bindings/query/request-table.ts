import { apiError } from '../errors.js';
import { JsonSyntaxError, parseJson, plainValue } from './json.js';
import { LOCALES } from './locales.js';
import type { FacetSearchRequest, Hybrid, Personalize, SearchRequest } from './request.js';
import {
  ANYTHING,
  BOOLEAN,
  FILTER_SCHEMA,
  INSERTED_TEXT,
  NUMBERS,
  objectOf,
  oneOf,
  RATIO,
  SORT_ITEMS,
  STRING,
  STRINGS,
  UNSIGNED,
} from './request-values.js';
import { defaulted, type Kind, type MemberTable, optional, readObject, required } from './validate.js';

/** The parameters of searches: one table for bodies, query strings, facet searches and the queries of a multi-search. */

const HYBRID_MEMBERS: MemberTable<Hybrid> = {
  embedder: required(STRING, 'invalid_search_embedder'),
  semanticRatio: defaulted(RATIO, 'invalid_search_semantic_ratio', 0.5),
};

const PERSONALIZE_MEMBERS: MemberTable<Personalize> = {
  userContext: required(STRING, 'invalid_search_personalize_user_context'),
};

/** Filters are validated after the index uid, by the filter parser; in a query string they are expressions or JSON arrays. */
const SEARCH_FILTER: Kind<unknown> = {
  schema: FILTER_SCHEMA,
  json: plainValue,
  text: (text) => {
    const value = jsonOf(text);
    return Array.isArray(value) ? value : text;
  },
};

export const SEARCH_MEMBERS: MemberTable<SearchRequest> = {
  q: optional(STRING, 'invalid_search_q'),
  vector: optional(NUMBERS, 'invalid_search_vector'),
  media: optional(ANYTHING, 'invalid_search_media'),
  hybrid: optional(objectOf(HYBRID_MEMBERS), 'invalid_search_hybrid_query'),
  offset: defaulted(UNSIGNED, 'invalid_search_offset', 0),
  limit: defaulted(UNSIGNED, 'invalid_search_limit', 20),
  page: optional(UNSIGNED, 'invalid_search_page'),
  hitsPerPage: optional(UNSIGNED, 'invalid_search_hits_per_page'),
  attributesToRetrieve: optional(STRINGS, 'invalid_search_attributes_to_retrieve'),
  retrieveVectors: defaulted(BOOLEAN, 'invalid_search_retrieve_vectors', false),
  attributesToCrop: optional(STRINGS, 'invalid_search_attributes_to_crop'),
  cropLength: defaulted(UNSIGNED, 'invalid_search_crop_length', 10),
  attributesToHighlight: optional(STRINGS, 'invalid_search_attributes_to_highlight'),
  showMatchesPosition: defaulted(BOOLEAN, 'invalid_search_show_matches_position', false),
  showRankingScore: defaulted(BOOLEAN, 'invalid_search_show_ranking_score', false),
  showRankingScoreDetails: defaulted(BOOLEAN, 'invalid_search_show_ranking_score_details', false),
  showPerformanceDetails: defaulted(BOOLEAN, 'invalid_search_show_performance_details', false),
  useNetwork: optional(BOOLEAN, 'invalid_search_use_network'),
  filter: optional(SEARCH_FILTER, 'invalid_search_filter'),
  sort: optional(SORT_ITEMS, 'invalid_search_sort'),
  distinct: optional(STRING, 'invalid_search_distinct'),
  facets: optional(STRINGS, 'invalid_search_facets'),
  disjunctiveFacets: optional(STRINGS, 'invalid_search_disjunctive_facets'),
  highlightPreTag: defaulted(INSERTED_TEXT, 'invalid_search_highlight_pre_tag', '<em>'),
  highlightPostTag: defaulted(INSERTED_TEXT, 'invalid_search_highlight_post_tag', '</em>'),
  cropMarker: defaulted(INSERTED_TEXT, 'invalid_search_crop_marker', '…'),
  matchingStrategy: defaulted(oneOf('last', 'all', 'frequency'), 'invalid_search_matching_strategy', 'last'),
  attributesToSearchOn: optional(STRINGS, 'invalid_search_attributes_to_search_on'),
  rankingScoreThreshold: optional(RATIO, 'invalid_search_ranking_score_threshold'),
  locales: optional(LOCALES, 'invalid_search_locales'),
  personalize: optional(objectOf(PERSONALIZE_MEMBERS), 'invalid_search_personalize'),
};

/** A search with all parameters at their defaults. */
export const SEARCH_DEFAULTS: SearchRequest = readObject(SEARCH_MEMBERS, new Map());

/** Parameters of a query string that stand for an object. */
export interface FlatParameters {
  hybridEmbedder: string | null;
  hybridSemanticRatio: number | null;
  personalizeUserContext: string | null;
}

type SearchParameters = Omit<SearchRequest, 'hybrid' | 'media' | 'personalize'> & FlatParameters;

const { hybrid: _hybrid, media: _media, personalize: _personalize, ...PLAIN_MEMBERS } = SEARCH_MEMBERS;

export const SEARCH_PARAMETERS: MemberTable<SearchParameters> = {
  ...PLAIN_MEMBERS,
  hybridEmbedder: optional(STRING, 'invalid_search_embedder'),
  hybridSemanticRatio: optional(RATIO, 'invalid_search_semantic_ratio'),
  personalizeUserContext: optional(STRING, 'invalid_search_personalize_user_context'),
};

export const FACET_SEARCH_MEMBERS: MemberTable<FacetSearchRequest> = {
  facetQuery: optional(STRING, 'invalid_facet_search_query'),
  facetName: required(STRING, 'invalid_facet_search_facet_name', 'missing_facet_search_facet_name'),
  q: SEARCH_MEMBERS.q,
  vector: SEARCH_MEMBERS.vector,
  media: SEARCH_MEMBERS.media,
  hybrid: SEARCH_MEMBERS.hybrid,
  filter: SEARCH_MEMBERS.filter,
  matchingStrategy: SEARCH_MEMBERS.matchingStrategy,
  attributesToSearchOn: SEARCH_MEMBERS.attributesToSearchOn,
  rankingScoreThreshold: SEARCH_MEMBERS.rankingScoreThreshold,
  locales: SEARCH_MEMBERS.locales,
  useNetwork: SEARCH_MEMBERS.useNetwork,
  exhaustiveFacetCount: optional(BOOLEAN, 'invalid_facet_search_exhaustive_facet_count'),
};

/** Combines the flat parameters of a query string into objects. @throws ApiError invalid_search_hybrid_query */
export function hybridOf({ hybridEmbedder, hybridSemanticRatio }: FlatParameters): Hybrid | null {
  if (hybridEmbedder !== null) return { embedder: hybridEmbedder, semanticRatio: hybridSemanticRatio ?? 0.5 };
  if (hybridSemanticRatio === null) return null;
  throw apiError('invalid_search_hybrid_query', 'embedderMissing', { ratio: hybridSemanticRatio });
}

/** Parses JSON; undefined when it is malformed. */
export function jsonOf(text: string): unknown {
  try {
    return plainValue(parseJson(text));
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
