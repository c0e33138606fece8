import { errorAs } from '../errors.js';
import { type Kind, Place } from './validate.js';

const MAX_UID_LENGTH = 400;

/** An index uid, as a member of a body or a query parameter. */
export const INDEX_UID: Kind<string> = {
  schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,400}$' },
  json: (value, at) => (typeof value === 'string' ? checkedUid(value, at) : at.refuse('a string', value)),
  text: checkedUid,
};

const IN_PATH = new Place('the path', 'invalid_index_uid');

/** @throws {ApiError} with the code of the place, by default `invalid_index_uid` */
export function checkedUid(text: string, { path, code }: Place = IN_PATH): string {
  if (/^[A-Za-z0-9_-]+$/.test(text) && text.length <= MAX_UID_LENGTH) return text;
  throw errorAs(code, 'indexUid', { uid: text.slice(0, MAX_UID_LENGTH), path, longest: MAX_UID_LENGTH });
}
