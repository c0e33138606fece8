import { ApiError, errorAs } from '../errors.js';

/** An index that a body names is a mistake in the request, not a resource that is absent. */
export const NAMED_IN_BODY = 400;

/** Does something for one query of several; errors say which. @param position of the query in the request */
export function inQuery<T>(position: number, job: () => T): T {
  try {
    return job();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const status = error.code === 'index_not_found' ? NAMED_IN_BODY : error.status;
    throw errorAs(error.code, 'inQuery', { position, message: error.message }, status);
  }
}
