import { page } from './page.js';
import { type PreparedSearch, planSearch } from './plan.js';
import { rank } from './rank.js';
import type { SearchSession } from './session.js';
import { write } from './write.js';

/**
 * Searches an index in four steps.
 * @param named the body begins with the index uid, as in lists of answers
 * @returns the bytes of the response body
 * @throws {ApiError} index_not_found, and for whatever the settings of the index do not permit
 */
export function search(session: SearchSession, uid: string, prepared: PreparedSearch, named = false): Uint8Array {
  if (prepared.request.showPerformanceDetails) session.timeStages();
  const plan = planSearch(session, uid, prepared);
  const ranked = rank(session, plan);
  return write(session, plan, ranked, page(session, plan, ranked), named);
}
