import { distributionOf, searchEmbedder } from '../../embedders/models.js';
import type { Target } from '../../engine/nearest-vectors.js';
import { finiteComponents } from '../../engine/vectors.js';
import { ApiError, apiError } from '../../errors.js';
import type { EmbedderSettings } from '../../index-types.js';
import type { SearchRequest } from '../../query/request.js';

/** A vector search, before its vector is known. */
export interface SemanticQuery {
  uid: string;
  /** Name of the embedder. */
  name: string;
  embedder: EmbedderSettings;
  semanticRatio: number;
  /** As given in the request. */
  vector: readonly number[] | null;
  q: string | null;
  media: unknown;
  /** The page: first and end (exclusive) of the hits; both 0 when it is empty. */
  from: number;
  to: number;
}

/** A request for a query embedding. */
export interface EmbeddingNeed {
  uid: string;
  /** Name of the embedder. */
  embedder: string;
  q: string | null;
  media: unknown;
}

/** The result: a vector, or an error. */
export interface QueryEmbedding {
  need: EmbeddingNeed;
  vector: readonly number[] | null;
  message: string;
  /** The embedding is under way: the search can start with what does not need it. */
  isComing?: boolean;
}

/** Thrown when a search needs a vector that only an embedder can compute. */
export class NeedsEmbedding extends Error {
  /** @param isEarly whether the search can start while the vector is computed */
  constructor(
    readonly need: EmbeddingNeed,
    readonly isEarly = false,
  ) {
    super(`a vector of the embedder ${need.embedder} is needed`);
  }
}

/**
 * Requests a vector that may be needed later, if it is computed in the process: keywords are ranked meanwhile.
 * @throws {NeedsEmbedding}
 */
export function expectVector(query: SemanticQuery, embeddings: readonly QueryEmbedding[]): void {
  if (query.vector || searchEmbedder(query.embedder).source !== 'huggingFace') return;
  const need = needOf(query);
  if (!embeddingFor(need, embeddings)) throw new NeedsEmbedding(need, true);
}

/**
 * The vector to compare documents with.
 * @throws {NeedsEmbedding} when the text has not been embedded yet
 * @throws {ApiError} vector_embedding_error
 */
export function targetOf(query: SemanticQuery, embeddings: readonly QueryEmbedding[]): Target {
  const { name, embedder } = query;
  const target = { embedder: embedder.id ?? 0, distribution: distributionOf(embedder) };
  if (query.vector) return { ...target, vector: finiteComponents(Float32Array.from(query.vector)) };
  if (embedder.source === 'userProvided') {
    throw apiError('vector_embedding_error', 'noTexts', { name });
  }
  const need = needOf(query);
  const found = embeddingFor(need, embeddings);
  if (!found || found.isComing) throw new NeedsEmbedding(need);
  if (found.vector === null) throw new ApiError('vector_embedding_error', found.message);
  return { ...target, vector: finiteComponents(Float32Array.from(found.vector)) };
}

function needOf({ uid, name, q, media }: SemanticQuery): EmbeddingNeed {
  return { uid, embedder: name, q, media };
}

function embeddingFor(need: EmbeddingNeed, embeddings: readonly QueryEmbedding[]): QueryEmbedding | undefined {
  const key = JSON.stringify(need);
  return embeddings.find((each) => JSON.stringify(each.need) === key);
}

export type SemanticMembers = Pick<SearchRequest, 'vector' | 'media' | 'hybrid'>;
