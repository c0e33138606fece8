import { apiError } from '../errors.js';

export type MatchingStrategy = 'last' | 'all' | 'frequency';

export interface Hybrid {
  embedder: string;
  /** From 0, keywords only, to 1, vectors only. */
  semanticRatio: number;
}

export interface Personalize {
  userContext: string;
}

/** A search with all defaults filled in; null stands for absent members. */
export interface SearchRequest {
  q: string | null;
  vector: number[] | null;
  media: unknown;
  hybrid: Hybrid | null;
  offset: number;
  limit: number;
  /** When `page` or `hitsPerPage` is given, offset and limit are ignored. */
  page: number | null;
  hitsPerPage: number | null;
  attributesToRetrieve: string[] | null;
  retrieveVectors: boolean;
  attributesToCrop: string[] | null;
  /** In words; 0: no cropping. */
  cropLength: number;
  attributesToHighlight: string[] | null;
  showMatchesPosition: boolean;
  showRankingScore: boolean;
  showRankingScoreDetails: boolean;
  showPerformanceDetails: boolean;
  useNetwork: boolean | null;
  /** JSON as sent: the filter parser validates it. */
  filter: unknown;
  sort: string[] | null;
  distinct: string | null;
  facets: string[] | null;
  /** Facets that are counted as if the filter had no conditions on them. */
  disjunctiveFacets: string[] | null;
  highlightPreTag: string;
  highlightPostTag: string;
  cropMarker: string;
  matchingStrategy: MatchingStrategy;
  attributesToSearchOn: string[] | null;
  rankingScoreThreshold: number | null;
  /** Language codes as sent, two or three letters; []: detect the language, ignoring localizedAttributes. */
  locales: string[] | null;
  personalize: Personalize | null;
}

export interface FacetSearchRequest
  extends Pick<
    SearchRequest,
    | 'q'
    | 'vector'
    | 'media'
    | 'hybrid'
    | 'filter'
    | 'matchingStrategy'
    | 'attributesToSearchOn'
    | 'rankingScoreThreshold'
    | 'locales'
    | 'useNetwork'
  > {
  facetName: string;
  facetQuery: string | null;
  exhaustiveFacetCount: boolean | null;
}

export type SearchKind = 'keyword' | 'semantic' | 'hybrid';

/**
 * Whether a search uses keywords, vectors, or both.
 * @throws ApiError invalid_search_media_and_vector, missing_search_hybrid
 */
export function searchKind(request: Pick<SearchRequest, 'q' | 'media' | 'vector' | 'hybrid'>): SearchKind {
  const { q, media, vector, hybrid } = request;
  if (media !== null && vector !== null) {
    throw apiError('invalid_search_media_and_vector', 'both');
  }
  if (hybrid === null) {
    if (media === null && vector === null) return 'keyword';
    const given = media === null ? 'vector' : 'media';
    throw apiError('missing_search_hybrid', 'needed', { member: given });
  }
  if (hybrid.semanticRatio === 0) return 'keyword';
  const blank = isBlank(q);
  if (blank && media === null && vector === null) return 'keyword';
  return blank || hybrid.semanticRatio === 1 ? 'semantic' : 'hybrid';
}

/** Whether a text is absent, empty or only white space (Unicode White_Space). */
export function isBlank(text: string | null): boolean {
  return text === null || /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/.test(text);
}
