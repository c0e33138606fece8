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
  const { request, facets, queryVector, semanticHitCount, metadata, performanceDetails } = answer;
  member(out, 'query', request.q ?? '');
  if (queryVector) member(out, 'queryVector', queryVector);
  member(out, 'processingTimeMs', Math.round(answer.processingTimeMs));
  writeCounts(out, answer);
  if (facets) out.text(`,"facetDistribution":${facets.distribution},"facetStats":${facets.stats}`);
  if (typeof semanticHitCount === 'number') member(out, 'semanticHitCount', semanticHitCount);
  member(out, 'requestUid', answer.requestUid);
  if (metadata) member(out, 'metadata', metadataOf(metadata, request.q));
  if (performanceDetails) member(out, 'performanceDetails', performanceDetails);
  out.text('}');
}

/** Member by member: objects put together from parts cost more than all the rest. */
function member(out: ByteWriter, name: string, value: unknown): void {
  out.text(`,"${name}":${JSON.stringify(value)}`);
}

function writeCounts(out: ByteWriter, { request, total, maxTotalHits }: SearchAnswer): void {
  const capped = Math.min(total, maxTotalHits);
  const { offset, limit, page, hitsPerPage } = request;
  if (page === null && hitsPerPage === null) {
    out.text(`,"limit":${limit},"offset":${offset},"estimatedTotalHits":${capped}`);
    return;
  }
  const size = hitsPerPage ?? DEFAULT_HITS_PER_PAGE;
  const totalPages = size === 0 ? 0 : Math.ceil(capped / size);
  out.text(`,"hitsPerPage":${size},"page":${page ?? 1},"totalPages":${totalPages},"totalHits":${capped}`);
}

function metadataOf({ queryUid, indexUid, primaryKey }: Metadata, q: string | null): Record<string, string> {
  return {
    ...(q === null ? {} : { query: q }),
    queryUid,
    indexUid,
    ...(primaryKey === null ? {} : { primaryKey }),
  };
}
