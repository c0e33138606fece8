import { ApiError } from '../../bindings/errors.js';

/**
 * Why a request to a model failed. `texts`: the texts may be at fault, so fewer of them may succeed. `model`: every request would fail
 * alike. `passing`: it may succeed later.
 */
export type FailureKind = 'texts' | 'model' | 'passing';

export class EmbedderFailure extends Error {
  constructor(
    readonly kind: FailureKind,
    message: string,
  ) {
    super(message);
  }

  get apiError(): ApiError {
    return new ApiError('vector_embedding_error', this.message);
  }
}

/** @returns the error as requests and tasks show it */
export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof EmbedderFailure) return error.apiError;
  throw error;
}
