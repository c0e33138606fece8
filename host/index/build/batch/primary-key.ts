import { apiError } from '../../../../bindings/errors.js';

/**
 * Infers the primary key of an index that has none: the one top-level member of the first document whose name ends with `id`, in
 * any letter case.
 * @throws {ApiError} index_primary_key_no_candidate_found, index_primary_key_multiple_candidates_found
 */
export function inferPrimaryKey(uid: string, names: string[]): string {
  const candidates = names.filter((name) => name.toLowerCase().endsWith('id')).sort();
  const [first, second] = candidates;
  if (first === undefined) {
    throw apiError('index_primary_key_no_candidate_found', 'none', { uid });
  }
  if (second !== undefined) {
    throw apiError('index_primary_key_multiple_candidates_found', 'several', { uid, count: candidates.length, first, second });
  }
  return first;
}

/** The primary key for a payload, if the index or the request sets one. */
export function chosenPrimaryKey(uid: string, ofIndex: string | null, ofRequest: string | null): string | null {
  if (ofIndex !== null && ofRequest !== null && ofIndex !== ofRequest) {
    throw apiError('index_primary_key_already_exists', 'ofIndex', { uid, ofIndex, ofRequest });
  }
  return ofIndex ?? ofRequest;
}
