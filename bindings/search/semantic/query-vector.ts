import { distributionOf, searchEmbedder } from '../../embedders/models.js';
import { ApiError, apiError } from '../../errors.js';
import type { EmbedderSettings } from '../../index-types.js';
import type { SearchRequest } from '../../query/request.js';
import type { VectorTarget } from './target.js';

/** What is compared with documents by an embedder, before there is a vector. */
export interface SemanticQuery {
  uid: string;
  /** Name of the embedder. */
  name: string;
  embedder: EmbedderSettings;
  semanticRatio: number;
  /** As the request gives it. */
  vector: readonly number[] | null;
  q: string | null;
  media: unknown;
  /** The page: first and end (exclusive) of the hits; where it is empty both are 0. */
  from: number;
  to: number;
}

/** What an embedder of the service is asked to embed. */
export interface EmbeddingNeed {
  uid: string;
  /** Name of the embedder. */
  embedder: string;
  q: string | null;
  media: unknown;
}

/** What it answered: a vector, or why there is none. */
export interface QueryEmbedding {
  need: EmbeddingNeed;
  vector: readonly number[] | null;
  message: string;
  /** It is being made: the search may begin with what needs it not. */
  isComing?: boolean;
}

/** Thrown where a search cannot go on without a vector that only an embedder can make. */
export class NeedsEmbedding extends Error {
  /** @param isEarly the search can begin without it, once it is being made */
  constructor(
    readonly need: EmbeddingNeed,
    readonly isEarly = false,
  ) {
    super(`a vector of the embedder ${need.embedder} is needed`);
  }
}

/**
 * Has a vector made that may be needed later, where that takes no other server: meanwhile words are ranked.
 * @throws {NeedsEmbedding}
 */
export function expectVector(query: SemanticQuery, embeddings: readonly QueryEmbedding[]): void {
  if (query.vector || searchEmbedder(query.embedder).source !== 'huggingFace') return;
  const need = needOf(query);
  if (!madeOf(need, embeddings)) throw new NeedsEmbedding(need, true);
}

/**
 * What documents are compared with.
 * @throws {NeedsEmbedding} the text has not been embedded yet
 * @throws {ApiError} vector_embedding_error
 */
export function targetOf(query: SemanticQuery, embeddings: readonly QueryEmbedding[]): VectorTarget {
  const { name, embedder } = query;
  const target = { embedder: embedder.id ?? 0, distribution: distributionOf(embedder) };
  if (query.vector) return { ...target, vector: Float32Array.from(query.vector) };
  if (embedder.source === 'userProvided') {
    throw apiError('vector_embedding_error', 'noTexts', { name });
  }
  const need = needOf(query);
  const found = madeOf(need, embeddings);
  if (!found || found.isComing) throw new NeedsEmbedding(need);
  if (found.vector === null) throw new ApiError('vector_embedding_error', found.message);
  return { ...target, vector: Float32Array.from(found.vector) };
}

function needOf({ uid, name, q, media }: SemanticQuery): EmbeddingNeed {
  return { uid, embedder: name, q, media };
}

function madeOf(need: EmbeddingNeed, embeddings: readonly QueryEmbedding[]): QueryEmbedding | undefined {
  const key = JSON.stringify(need);
  return embeddings.find((each) => JSON.stringify(each.need) === key);
}

export type SemanticMembers = Pick<SearchRequest, 'q' | 'vector' | 'media' | 'hybrid'>;
