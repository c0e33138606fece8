import { ApiError } from '../errors.js';

/** The error with which a request is refused. @throws Error when it is not */
export function refusal(job: () => unknown): ApiError {
  try {
    job();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
