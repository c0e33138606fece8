import { ApiError } from '../../bindings/errors.js';

/**
 * Why a request to a model failed. `texts`: some of the texts may be at fault, so a smaller batch may succeed. `model`: every
 * request would fail in the same way. `passing`: a retry may succeed.
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

/** The error as routes and tasks report it. */
export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof EmbedderFailure) return error.apiError;
  throw error;
}
