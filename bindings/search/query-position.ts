import { ApiError, errorAs } from '../errors.js';

/** A missing index named in a body is a faulty request (400), not a missing resource (404). */
export const NAMED_IN_BODY = 400;

/** Runs a job for one of several queries; errors name its position. @param position of the query in the request */
export function inQuery<T>(position: number, job: () => T): T {
  try {
    return job();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const status = error.code === 'index_not_found' ? NAMED_IN_BODY : error.status;
    throw errorAs(error.code, 'inQuery', { position, message: error.message }, status);
  }
}
