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

/** Failures after which documents are still stored, without a vector: names beginning with `ignore_`, separated by commas. */
const IGNORED = new Set(process.env.MEILI_EXPERIMENTAL_CONFIG_EMBEDDER_FAILURE_MODES?.split(',').map((mode) => mode.trim()));

export const IGNORES = {
  templates: IGNORED.has('ignore_document_template_failures'),
  models: IGNORED.has('ignore_embedder_failures'),
};
