import { apiError } from '../errors.js';
import { SEARCH_MEMBERS } from './request.js';
import { STRING } from './request-values.js';
import { optional, readObject, readObjectBody, type ValuesOf } from './validate.js';

export const CURSOR_SEARCH_MEMBERS = {
  ...SEARCH_MEMBERS,
  /** Empty: the first page; otherwise the cursor of the page before. null: a search without a cursor. */
  cursor: optional(STRING, 'invalid_search_cursor'),
};

/** A search whose results are read page by page to the end. */
export type CursorSearch = ValuesOf<typeof CURSOR_SEARCH_MEMBERS>;

/** @throws ApiError for the first invalid member, in the order sent */
export function parseCursorSearch(bytes: Uint8Array): CursorSearch {
  const request = readObject<CursorSearch>(CURSOR_SEARCH_MEMBERS, readObjectBody(bytes));
  const { cursor, offset, limit, page, hitsPerPage, useNetwork, personalize } = request;
  if (cursor !== null && (offset !== 0 || limit === 0 || page !== null || hitsPerPage !== null)) {
    throw apiError('invalid_search_cursor', 'pagination');
  }
  if (cursor !== null && useNetwork === true) {
    throw apiError('invalid_search_cursor', 'network');
  }
  if (cursor !== null && personalize !== null) {
    throw apiError('invalid_search_cursor', 'personalize');
  }
  return request;
}
