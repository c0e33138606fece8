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

/** Failures that documents are stored in spite of, without a vector: `ignore_…` in the variable below, separated by commas. */
const IGNORED = new Set(process.env.MEILI_EXPERIMENTAL_CONFIG_EMBEDDER_FAILURE_MODES?.split(',').map((mode) => mode.trim()));

export const IGNORES = {
  templates: IGNORED.has('ignore_document_template_failures'),
  models: IGNORED.has('ignore_embedder_failures'),
};
