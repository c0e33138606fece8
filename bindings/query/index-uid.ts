import { apiError } from '../errors.js';
import type { Kind, Place } from './validate.js';

const MAX_UID_LENGTH = 400;

/** An index uid, as a member of a body or a query parameter. */
export const INDEX_UID: Kind<string> = {
  schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,400}$' },
  json: (value, at) => (typeof value === 'string' ? checkedUid(value, at) : at.refuse('a string', value)),
  text: checkedUid,
};

/** @throws {ApiError} invalid_index_uid */
export function checkedUid(text: string, { path }: Pick<Place, 'path'>): string {
  if (/^[A-Za-z0-9_-]+$/.test(text) && text.length <= MAX_UID_LENGTH) return text;
  throw apiError('invalid_index_uid', 'characters', { uid: text.slice(0, MAX_UID_LENGTH), path, longest: MAX_UID_LENGTH });
}
