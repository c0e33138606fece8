import type { SearchRequest } from '../query/request.js';
import type { ByteWriter } from './byte-writer.js';

/** Hits per page when only `page` is given. */
const DEFAULT_HITS_PER_PAGE = 20;

/** The part of the ranking that a request asks for. */
export interface Page {
  /** First and end (exclusive) of the hits, within the first `maxTotalHits`. */
  from: number;
  to: number;
  /** Page mode: the count is exhaustive. */
  exhaustive: boolean;
}

export function pageOf(request: Pick<SearchRequest, 'offset' | 'limit' | 'page' | 'hitsPerPage'>, maxTotalHits: number): Page {
  const { offset, limit, page, hitsPerPage } = request;
  const exhaustive = page !== null || hitsPerPage !== null;
  const size = exhaustive ? (hitsPerPage ?? DEFAULT_HITS_PER_PAGE) : limit;
  const start = exhaustive ? ((page ?? 1) - 1) * size : offset;
  if (start < 0) return { from: 0, to: 0, exhaustive };
  return { from: Math.min(start, maxTotalHits), to: Math.min(start + size, maxTotalHits), exhaustive };
}

export interface SearchAnswer {
  request: SearchRequest;
  /** Matching documents, estimated or exact; capped here. */
  total: number;
  maxTotalHits: number;
  processingTimeMs: number;
  /** JSON objects; given when the request has `facets`. */
  facets?: { distribution: string; stats: string } | null;
  queryVector?: readonly number[] | null;
  semanticHitCount?: number | null;
  metadata?: Metadata | null;
  performanceDetails?: Record<string, string> | null;
  requestUid: string;
}

export interface Metadata {
  queryUid: string;
  indexUid: string;
  primaryKey: string | null;
}

/** Begins the body of the answer to a search: the hits follow as JSON array, then {@link endAnswer}. */
export function beginAnswer(out: ByteWriter): void {
  out.text('{"hits":');
}

/** Writes what comes after the hits. */
export function endAnswer(out: ByteWriter, answer: SearchAnswer): void {
  const { request, facets } = answer;
  const rest: Record<string, unknown> = {
    query: request.q ?? '',
    ...(answer.queryVector ? { queryVector: answer.queryVector } : {}),
    processingTimeMs: Math.round(answer.processingTimeMs),
    ...counts(answer),
  };
  out.text(`,${inside(rest)}`);
  if (facets) out.text(`,"facetDistribution":${facets.distribution},"facetStats":${facets.stats}`);
  const last: Record<string, unknown> = {
    ...(typeof answer.semanticHitCount === 'number' ? { semanticHitCount: answer.semanticHitCount } : {}),
    requestUid: answer.requestUid,
    ...(answer.metadata ? { metadata: metadataOf(answer.metadata, request.q) } : {}),
    ...(answer.performanceDetails ? { performanceDetails: answer.performanceDetails } : {}),
  };
  out.text(`,${inside(last)}}`);
}

function counts({ request, total, maxTotalHits }: SearchAnswer): Record<string, number> {
  const capped = Math.min(total, maxTotalHits);
  const { offset, limit, page, hitsPerPage } = request;
  if (page === null && hitsPerPage === null) return { limit, offset, estimatedTotalHits: capped };
  const size = hitsPerPage ?? DEFAULT_HITS_PER_PAGE;
  const totalPages = size === 0 ? 0 : Math.ceil(capped / size);
  return { hitsPerPage: size, page: page ?? 1, totalPages, totalHits: capped };
}

function metadataOf({ queryUid, indexUid, primaryKey }: Metadata, q: string | null): Record<string, string> {
  return {
    ...(q === null ? {} : { query: q }),
    queryUid,
    indexUid,
    ...(primaryKey === null ? {} : { primaryKey }),
  };
}

/** The members of an object as JSON, without its braces. */
function inside(members: Record<string, unknown>): string {
  return JSON.stringify(members).slice(1, -1);
}
