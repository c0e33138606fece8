import { apiError } from '../errors.js';
import { isDocumentId } from './document-id.js';
import { BOOLEAN, DOCUMENT_ID, FILTER, RATIO, STRING, STRINGS, UNSIGNED } from './request-values.js';
import { defaulted, optional, required, type ValuesOf } from './validate.js';

export const SIMILAR_MEMBERS = {
  id: required(DOCUMENT_ID, 'invalid_similar_id', 'bad_request'),
  embedder: required(STRING, 'invalid_similar_embedder', 'bad_request'),
  offset: defaulted(UNSIGNED, 'invalid_similar_offset', 0),
  limit: defaulted(UNSIGNED, 'invalid_similar_limit', 20),
  filter: optional(FILTER, 'invalid_similar_filter'),
  attributesToRetrieve: optional(STRINGS, 'invalid_similar_attributes_to_retrieve'),
  retrieveVectors: defaulted(BOOLEAN, 'invalid_similar_retrieve_vectors', false),
  showRankingScore: defaulted(BOOLEAN, 'invalid_similar_show_ranking_score', false),
  showRankingScoreDetails: defaulted(BOOLEAN, 'invalid_similar_show_ranking_score_details', false),
  showPerformanceDetails: defaulted(BOOLEAN, 'invalid_similar_show_performance_details', false),
  rankingScoreThreshold: optional(RATIO, 'invalid_similar_ranking_score_threshold'),
};

/** A search for similar documents; null stands for absent members. */
export type SimilarRequest = ValuesOf<typeof SIMILAR_MEMBERS>;

/** @throws ApiError invalid_similar_id */
export function checkSimilarId(id: string): void {
  if (isDocumentId(id)) return;
  throw apiError('invalid_similar_id', 'form', { id });
}
