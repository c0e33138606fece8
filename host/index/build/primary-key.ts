import { ApiError } from '../../../bindings/errors.js';

/**
 * The primary key of an index that has none and was given none: the one top-level member of the first document whose name ends
 * with `id`, in any letter case.
 * @throws {ApiError} index_primary_key_no_candidate_found, index_primary_key_multiple_candidates_found
 */
export function inferPrimaryKey(uid: string, names: string[]): string {
  const candidates = names.filter((name) => name.toLowerCase().endsWith('id')).sort();
  const [first, second] = candidates;
  if (first === undefined) {
    throw new ApiError(
      'index_primary_key_no_candidate_found',
      `Index \`${uid}\` has no primary key, and no member of the first document has a name that ends with \`id\`. ` +
        'Name the primary key in the parameter `primaryKey`.',
    );
  }
  if (second !== undefined) {
    throw new ApiError(
      'index_primary_key_multiple_candidates_found',
      `Index \`${uid}\` has no primary key, and ${candidates.length} members of the first document have a name that ends with ` +
        `\`id\`, among them \`${first}\` and \`${second}\`. Name the primary key in the parameter \`primaryKey\`.`,
    );
  }
  return first;
}

/** The key that a payload of documents is read with, where the index or the request names one. */
export function chosenPrimaryKey(uid: string, ofIndex: string | null, ofRequest: string | null): string | null {
  if (ofIndex !== null && ofRequest !== null && ofIndex !== ofRequest) {
    throw new ApiError(
      'index_primary_key_already_exists',
      `Index \`${uid}\` already has the primary key \`${ofIndex}\`; \`${ofRequest}\` cannot replace it.`,
    );
  }
  return ofIndex ?? ofRequest;
}
