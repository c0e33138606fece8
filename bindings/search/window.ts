import type { SearchRequest } from '../query/request.js';

/** Hits per page when only `page` is given. */
const DEFAULT_HITS_PER_PAGE = 20;

export type Pagination = Pick<SearchRequest, 'offset' | 'limit' | 'page' | 'hitsPerPage'>;

/** The part of the ranking that a request needs. */
export interface Window {
  /** First and end (exclusive) of the hits, within the first `maxTotalHits`. */
  from: number;
  to: number;
  /** Page mode: counts are exhaustive. */
  exhaustive: boolean;
}

export function windowOf(request: Pagination, maxTotalHits: number): Window {
  const { offset, limit, page, hitsPerPage } = request;
  const exhaustive = page !== null || hitsPerPage !== null;
  const size = exhaustive ? (hitsPerPage ?? DEFAULT_HITS_PER_PAGE) : limit;
  const start = exhaustive ? ((page ?? 1) - 1) * size : offset;
  if (start < 0) return { from: 0, to: 0, exhaustive };
  return { from: Math.min(start, maxTotalHits), to: Math.min(start + size, maxTotalHits), exhaustive };
}

/** The members of an answer that describe the page, each after a comma, up to where their counts begin. */
export function pageMembers({ offset, limit, page, hitsPerPage }: Pagination): string {
  if (page === null && hitsPerPage === null) return `,"limit":${limit},"offset":${offset},"estimatedTotalHits":`;
  return `,"hitsPerPage":${hitsPerPage ?? DEFAULT_HITS_PER_PAGE},"page":${page ?? 1},"totalPages":`;
}

/** The number of pages, which follows {@link pageMembers}; null: there is none. @param total number of counted documents, already limited */
export function pageCount({ page, hitsPerPage }: Pagination, total: number): number | null {
  if (page === null && hitsPerPage === null) return null;
  const size = hitsPerPage ?? DEFAULT_HITS_PER_PAGE;
  return size === 0 ? 0 : Math.ceil(total / size);
}

/** All members that describe the page. */
export function countedPage(pagination: Pagination, total: number): string {
  const pages = pageCount(pagination, total);
  return `${pageMembers(pagination)}${pages === null ? '' : `${pages},"totalHits":`}${total}`;
}
