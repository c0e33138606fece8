import { apiError } from '../errors.js';
import type { SearchRequest } from './request.js';
import { SEARCH_MEMBERS } from './request-table.js';
import { STRING } from './request-values.js';
import { type MemberTable, optional, readObject, readObjectBody } from './validate.js';

/** A search whose results are read page by page to the end. */
export interface CursorSearch extends SearchRequest {
  /** Empty: the first page; otherwise the cursor of the page before. null: a search without a cursor. */
  cursor: string | null;
}

export const CURSOR_SEARCH_MEMBERS: MemberTable<CursorSearch> = {
  ...SEARCH_MEMBERS,
  cursor: optional(STRING, 'invalid_search_cursor'),
};

/** @throws ApiError for the first invalid member, in the order sent */
export function parseCursorSearch(bytes: Uint8Array): CursorSearch {
  const request = readObject(CURSOR_SEARCH_MEMBERS, readObjectBody(bytes));
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
