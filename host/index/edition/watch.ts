import { apiError } from '../../../bindings/errors.js';
import type { Step } from '../build/build-resources.js';
import type { Progress } from '../progress.js';

/** Milliseconds of wall time; the limits of the sandbox should have ended the script long before. */
const HANG_TIMEOUT = 10_000;
const WATCHED: Step = 'running the function';

/**
 * Ends a job whose script hangs in one document: some built-ins of the interpreter loop without checking its limits
 * (`Array.prototype.indexOf.call({ length: 1e15 }, 1)`).
 */
export function watched(progress: Progress): Progress {
  let last = -1;
  let since = 0;
  return (step, finished, total) => {
    if (step !== WATCHED || finished !== last) {
      last = finished;
      since = performance.now();
    } else if (performance.now() - since > HANG_TIMEOUT) {
      throw apiError('edit_documents_by_function_error', 'endless');
    }
    progress(step, finished, total);
  };
}
