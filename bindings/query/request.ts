import { apiError } from '../errors.js';
import { StateCache } from '../state-cache.js';
import { KnownTexts } from './known-texts.js';
import { LOCALES } from './locales.js';
import { leadingQuery, Query } from './query.js';
import {
  ANYTHING,
  BOOLEAN,
  FILTER,
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
import {
  defaulted,
  optional,
  readObject,
  readObjectBody,
  readParameters,
  readUtf8,
  required,
  type ValuesOf,
} from './validate.js';

const HYBRID_MEMBERS = {
  embedder: required(STRING, 'invalid_search_embedder'),
  /** From 0, keywords only, to 1, vectors only. */
  semanticRatio: defaulted(RATIO, 'invalid_search_semantic_ratio', 0.5),
};

const PERSONALIZE_MEMBERS = {
  userContext: required(STRING, 'invalid_search_personalize_user_context'),
};

/** The parameters of searches: one table for bodies, query strings, facet searches and the queries of a multi-search. */
export const SEARCH_MEMBERS = {
  q: optional(STRING, 'invalid_search_q'),
  vector: optional(NUMBERS, 'invalid_search_vector'),
  media: optional(ANYTHING, 'invalid_search_media'),
  hybrid: optional(objectOf(HYBRID_MEMBERS), 'invalid_search_hybrid_query'),
  offset: defaulted(UNSIGNED, 'invalid_search_offset', 0),
  limit: defaulted(UNSIGNED, 'invalid_search_limit', 20),
  /** When `page` or `hitsPerPage` is given, offset and limit are ignored. */
  page: optional(UNSIGNED, 'invalid_search_page'),
  hitsPerPage: optional(UNSIGNED, 'invalid_search_hits_per_page'),
  attributesToRetrieve: optional(STRINGS, 'invalid_search_attributes_to_retrieve'),
  retrieveVectors: defaulted(BOOLEAN, 'invalid_search_retrieve_vectors', false),
  attributesToCrop: optional(STRINGS, 'invalid_search_attributes_to_crop'),
  /** In words; 0: no cropping. */
  cropLength: defaulted(UNSIGNED, 'invalid_search_crop_length', 10),
  attributesToHighlight: optional(STRINGS, 'invalid_search_attributes_to_highlight'),
  showMatchesPosition: defaulted(BOOLEAN, 'invalid_search_show_matches_position', false),
  showRankingScore: defaulted(BOOLEAN, 'invalid_search_show_ranking_score', false),
  showRankingScoreDetails: defaulted(BOOLEAN, 'invalid_search_show_ranking_score_details', false),
  showPerformanceDetails: defaulted(BOOLEAN, 'invalid_search_show_performance_details', false),
  useNetwork: optional(BOOLEAN, 'invalid_search_use_network'),
  /** JSON as sent: the filter parser validates it, after the index uid. */
  filter: optional(FILTER, 'invalid_search_filter'),
  sort: optional(SORT_ITEMS, 'invalid_search_sort'),
  distinct: optional(STRING, 'invalid_search_distinct'),
  facets: optional(STRINGS, 'invalid_search_facets'),
  /** Facets that are counted as if the filter had no conditions on them. */
  disjunctiveFacets: optional(STRINGS, 'invalid_search_disjunctive_facets'),
  highlightPreTag: defaulted(INSERTED_TEXT, 'invalid_search_highlight_pre_tag', '<em>'),
  highlightPostTag: defaulted(INSERTED_TEXT, 'invalid_search_highlight_post_tag', '</em>'),
  cropMarker: defaulted(INSERTED_TEXT, 'invalid_search_crop_marker', '…'),
  matchingStrategy: defaulted(oneOf('last', 'all', 'frequency'), 'invalid_search_matching_strategy', 'last'),
  attributesToSearchOn: optional(STRINGS, 'invalid_search_attributes_to_search_on'),
  rankingScoreThreshold: optional(RATIO, 'invalid_search_ranking_score_threshold'),
  /** Language codes as sent, two or three letters; []: detect the language, ignoring localizedAttributes. */
  locales: optional(LOCALES, 'invalid_search_locales'),
  personalize: optional(objectOf(PERSONALIZE_MEMBERS), 'invalid_search_personalize'),
};

/** A search with all defaults filled in; null stands for absent members. */
export type SearchRequest = ValuesOf<typeof SEARCH_MEMBERS>;
export type MatchingStrategy = SearchRequest['matchingStrategy'];

/** A search with all parameters at their defaults. */
export const SEARCH_DEFAULTS: SearchRequest = readObject<SearchRequest>(SEARCH_MEMBERS, new Map());

const { hybrid: _hybrid, media: _media, personalize: _personalize, ...PLAIN_MEMBERS } = SEARCH_MEMBERS;

/** In a query string, parameters of their own stand for the members of objects. */
export const SEARCH_PARAMETERS = {
  ...PLAIN_MEMBERS,
  hybridEmbedder: optional(STRING, 'invalid_search_embedder'),
  hybridSemanticRatio: optional(RATIO, 'invalid_search_semantic_ratio'),
  personalizeUserContext: optional(STRING, 'invalid_search_personalize_user_context'),
};

export const FACET_SEARCH_MEMBERS = {
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

export type FacetSearchRequest = ValuesOf<typeof FACET_SEARCH_MEMBERS>;

/** A search without its query. */
export type SearchMembers = Omit<SearchRequest, 'q'>;

/** A search as sent. */
export interface SentSearch {
  request: SearchMembers;
  query: Query;
  /**
   * Equal only for requests that differ in nothing but `q`: what depends on the other members is made once for all of them. null: a
   * request with a vector or media, which is hardly sent again.
   */
  form: string | null;
}

/** Longest body whose form is cut out of it: its whole text is kept with the form. */
const LONGEST_BODY = 4096;
/** What the rest of a body has if it may name `q` once more, which would then count. */
const MAY_NAME_QUERY = /"q"|\\u/;

/** The rests of bodies that begin with `q`, and by them the requests with this rest; null: it may name `q`. */
const rests = new KnownTexts();
const requests = new StateCache<SearchRequest | null, typeof SEARCH_MEMBERS>();

/** Reads the body of a search, which must stay as it is while its query is used. @throws ApiError for the first invalid member, in the order sent */
export function readSearch(bytes: Uint8Array): SentSearch {
  const first = bytes.length > LONGEST_BODY ? null : leadingQuery(bytes);
  if (first) {
    const { query, end } = first;
    const rest = readUtf8(() => rests.textOf(bytes, end, bytes.length));
    const alike = requests.of(SEARCH_MEMBERS, rest, () => (MAY_NAME_QUERY.test(rest) ? null : parseSearchBody(bytes)));
    if (alike) return { request: alike, query, form: isRepeated(alike) ? rest : null };
  }
  return sentSearch(parseSearchBody(bytes));
}

/** A search that was not sent as a body of its own. */
export function sentSearch(request: SearchRequest): SentSearch {
  const form = isRepeated(request) ? JSON.stringify({ ...request, q: null }) : null;
  return { request, query: Query.of(request.q), form };
}

const isRepeated = ({ vector, media }: SearchMembers): boolean => vector === null && media === null;

/** Parses the body of a search. @throws ApiError for the first invalid member, in the order sent */
export function parseSearchBody(bytes: Uint8Array): SearchRequest {
  return readObject<SearchRequest>(SEARCH_MEMBERS, readObjectBody(bytes));
}

/** Parses the decoded query parameters of a search. @throws ApiError for the first invalid one, in the order sent */
export function parseSearchParameters(parameters: readonly (readonly [string, string])[]): SearchRequest {
  const {
    hybridEmbedder: embedder,
    hybridSemanticRatio: ratio,
    personalizeUserContext: userContext,
    ...plain
  } = readParameters<ValuesOf<typeof SEARCH_PARAMETERS>>(SEARCH_PARAMETERS, parameters);
  if (embedder === null && ratio !== null) throw apiError('invalid_search_hybrid_query', 'embedderMissing', { ratio });
  return {
    ...plain,
    media: null,
    hybrid: embedder === null ? null : { embedder, semanticRatio: ratio ?? HYBRID_MEMBERS.semanticRatio.initial },
    personalize: userContext === null ? null : { userContext },
  };
}

/** Parses the body of a facet search; members that only searches have are ignored. @throws ApiError */
export function parseFacetSearchBody(bytes: Uint8Array): FacetSearchRequest {
  return readObject<FacetSearchRequest>(FACET_SEARCH_MEMBERS, readObjectBody(bytes), {
    path: '',
    code: 'bad_request',
    lenient: true,
  });
}

export type SearchKind = 'keyword' | 'semantic' | 'hybrid';

/**
 * Whether a search uses keywords, vectors, or both.
 * @throws ApiError invalid_search_media_and_vector, missing_search_hybrid
 */
export function searchKind(
  { media, vector, hybrid }: Pick<SearchRequest, 'media' | 'vector' | 'hybrid'>,
  query: Query,
): SearchKind {
  if (media !== null && vector !== null) {
    throw apiError('invalid_search_media_and_vector', 'both');
  }
  if (hybrid === null) {
    if (media === null && vector === null) return 'keyword';
    const given = media === null ? 'vector' : 'media';
    throw apiError('missing_search_hybrid', 'needed', { member: given });
  }
  if (hybrid.semanticRatio === 0) return 'keyword';
  const blank = query.isBlank;
  if (blank && media === null && vector === null) return 'keyword';
  return blank || hybrid.semanticRatio === 1 ? 'semantic' : 'hybrid';
}
