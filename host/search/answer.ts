import type { EmbeddingNeed } from '../../bindings/search/semantic/query-vector.js';

/**
 * Status of a provisional answer, whose body is the {@link EmbeddingRequest} of the search: the request is to be sent again with
 * the vector. Search threads do not wait for embedders.
 */
export const NEEDS_EMBEDDING = 299;

export interface EmbeddingRequest {
  need: EmbeddingNeed;
  /** Whether the search should be sent again at once, while the embedding is computed. */
  isEarly: boolean;
}

export interface SearchAnswer {
  status: number;
  body: Buffer;
  /** To be called when the body is no longer read, so that its memory can be reused. Calling it is optional. */
  release(): void;
}

/** Whether the answer is an error. */
export function isRefusal({ status }: SearchAnswer): boolean {
  return status >= 400;
}
