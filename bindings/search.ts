import type { IndexReader } from './engine/segments.js';
import { ApiError } from './errors.js';
import { beginAnswer, endAnswer, type Metadata, pageOf } from './format/answer.js';
import { ByteWriter } from './format/byte-writer.js';
import { checkFacetName, checkFacetSearchEnabled, facetSearch } from './format/facet-search.js';
import { type Facets, facetDistribution, facetsJson } from './format/facets.js';
import { formatHits } from './format/hits.js';
import { checkDistinct } from './query/distinct.js';
import type { FilterNode } from './query/filter-ast.js';
import { checkFilter, checkFilterGates, type FilterGates } from './query/filter-check.js';
import { evaluateFilter } from './query/filter-evaluate.js';
import { parseFilter } from './query/filter-parse.js';
import { type FacetSearchRequest, isBlank, type SearchRequest, searchKind } from './query/request.js';
import { checkSearchSort, parseSort, type SortItem } from './query/sort.js';
import { searchedFields } from './ranking/attributes.js';
import { type KeywordAnswer, searchKeywords } from './ranking/keyword-search.js';
import { rankedScore, scoreDetailsJson } from './ranking/score.js';
import { Stages } from './stages.js';

export const DEFAULT_CUTOFF_MS = 1500;
const FACET_SEARCH_LIMIT = 20;

/** What a search takes from the place where it runs. */
export interface SearchContext {
  /** Milliseconds of a clock that does not jump. */
  now(): number;
  features: Partial<FilterGates>;
  /** The answer has a `metadata` object. */
  metadata: boolean;
  /** A new UUID v7. */
  uuid(): string;
  /** Milliseconds that the request waited for its turn; null where requests do not wait. */
  waited: number | null;
}

/** A request whose filter is parsed: what can be refused before the index is looked up is refused. */
export interface PreparedSearch<Request> {
  request: Request;
  filter: FilterNode | null;
}

/** @throws {ApiError} of the filter's shape, syntax or features */
export function prepareSearch<Request extends Pick<SearchRequest, 'filter' | 'useNetwork'>>(
  request: Request,
  features: Partial<FilterGates>,
): PreparedSearch<Request> {
  const filter = parseFilter(request.filter, 'invalid_search_filter');
  if (filter) checkFilterGates(filter, features);
  if (request.useNetwork !== null && !features.network) refuse('Passing `useNetwork`', 'network');
  return { request, filter };
}

function refuse(attempt: string, feature: string): never {
  throw new ApiError(
    'feature_not_enabled',
    `${attempt} requires the experimental feature \`${feature}\`: enable it with PATCH /experimental-features.`,
  );
}

/** Where answers are written: one search runs at a time. */
const body = new ByteWriter(1 << 16);

/**
 * Searches an index and answers the bytes of the response body, which are valid until the next search. Runs inside one scope of
 * every instance of the reader.
 * @throws {ApiError} of whatever the index's settings do not allow
 */
export function executeSearch(reader: IndexReader, prepared: PreparedSearch<SearchRequest>, context: SearchContext): Uint8Array {
  const start = context.now();
  const stages = new Stages('search', context.now);
  if (context.waited !== null) stages.note('wait in queue', context.waited);
  const { request } = prepared;
  const { settings } = reader.view;
  checkKind(request);
  const sort = request.sort ? parseSort(request.sort, 'invalid_search_sort') : [];
  if (request.media !== null && !context.features.multimodal) refuse('Passing `media`', 'multimodal');
  if (request.attributesToSearchOn) searchedFields(reader, request.attributesToSearchOn);
  if (request.distinct !== null) checkDistinct(request.distinct, settings);
  const filtered = stages.run('evaluate filter', () => filteredDocuments(reader, prepared.filter));
  checkSearchSort(sort, settings);
  const maxTotalHits = settings.pagination.maxTotalHits;
  const { from, to, exhaustive } = pageOf(request, maxTotalHits);
  const threshold = request.rankingScoreThreshold;
  const ranking = isBlank(request.q) ? 'placeholder ranking' : 'keyword ranking';
  const answer = stages.run(ranking, () =>
    searchKeywords(reader, filtered, {
      q: request.q,
      attributesToSearchOn: request.attributesToSearchOn,
      locales: request.locales,
      matchingStrategy: request.matchingStrategy,
      sort,
      distinct: request.distinct ?? settings.distinctAttribute,
      threshold,
      needed: exhaustive && threshold !== null ? maxTotalHits : from < to ? to : 0, // no hits asked for: nothing is evaluated
      exhaustive,
      detailed: request.showRankingScore || request.showRankingScoreDetails || threshold !== null,
      matches: wantsMatches(request),
      expired: cutoff(settings.searchCutoffMs, start, context),
    }),
  );
  const total = countOf(reader, answer);
  const facets = request.facets;
  const counts = facets && stages.run('facet distribution', () => facetDistribution(reader, answer.counted, facets, total));
  if (request.personalize !== null) {
    throw new ApiError('feature_not_enabled', 'Passing `personalize` requires a reranking service, and none is configured.');
  }
  const out = body.reset();
  beginAnswer(out);
  stages.run('format', () => writeHits(out, reader, request, answer, from, to, sort));
  endAnswer(out, {
    request,
    total,
    maxTotalHits,
    processingTimeMs: context.now() - start,
    facets: counts && jsonOf(counts),
    metadata: context.metadata ? metadataOf(reader, context) : null,
    performanceDetails: request.showPerformanceDetails ? stages.report() : null,
    requestUid: context.uuid(),
  });
  return out.view();
}

function jsonOf(counts: Facets): { distribution: string; stats: string } {
  const { facetDistribution: distribution, facetStats: stats } = facetsJson(counts);
  return { distribution, stats };
}

function writeHits(
  out: ByteWriter,
  reader: IndexReader,
  request: SearchRequest,
  answer: KeywordAnswer,
  from: number,
  to: number,
  sort: readonly SortItem[],
): void {
  const shown = answer.hits.slice(from, to);
  const displayed = displayedNames(reader);
  const slots = shown.map(({ slot }) => slot);
  formatHits(out, reader, request, slots, answer.matchTerms, {
    ...(request.showRankingScore ? { scores: shown.map(({ steps }) => rankedScore(steps)) } : {}),
    ...(request.showRankingScoreDetails ? { details: shown.map(({ steps }) => scoreDetailsJson(steps, displayed)) } : {}),
    geoPoint: sort.find((item) => item.kind === 'geo') ?? null,
  });
}

function metadataOf(reader: IndexReader, context: SearchContext): Metadata {
  const { uid, primaryKey } = reader.view;
  return { queryUid: context.uuid(), indexUid: uid, primaryKey };
}

function displayedNames(reader: IndexReader): ReadonlySet<string> | null {
  const { displayedAttributes } = reader.view.settings;
  return displayedAttributes === null || displayedAttributes.includes('*') ? null : new Set(displayedAttributes);
}

/** Searches the values of a facet. The index has been looked up before the filter is read. */
export function executeFacetSearch(reader: IndexReader, request: FacetSearchRequest, context: SearchContext): Uint8Array {
  const start = context.now();
  const { settings } = reader.view;
  const { filter } = prepareSearch(request, context.features);
  checkKind(request);
  checkFacetSearchEnabled(settings);
  const filtered = filteredDocuments(reader, filter);
  const exhaustive = request.exhaustiveFacetCount === true;
  const needed = exhaustive ? settings.pagination.maxTotalHits : FACET_SEARCH_LIMIT;
  const answer = searchKeywords(reader, filtered, {
    q: request.q,
    attributesToSearchOn: request.attributesToSearchOn,
    locales: request.locales,
    matchingStrategy: request.matchingStrategy,
    sort: [],
    distinct: settings.distinctAttribute,
    threshold: request.rankingScoreThreshold,
    needed,
    exhaustive,
    detailed: request.rankingScoreThreshold !== null,
    matches: false,
    expired: cutoff(settings.searchCutoffMs, start, context),
  });
  checkFacetName(settings, request.facetName);
  const { facetName, facetQuery, locales } = request;
  const facetHits = facetSearch(reader, answer.counted, { facetName, facetQuery, locales });
  const processingTimeMs = Math.round(context.now() - start);
  return new TextEncoder().encode(JSON.stringify({ facetHits, facetQuery, processingTimeMs }));
}

/** Only keyword searches are possible without an embedder. */
function checkKind(request: Pick<SearchRequest, 'q' | 'media' | 'vector' | 'hybrid'>): void {
  if (searchKind(request) === 'keyword') return;
  const name = request.hybrid?.embedder ?? '';
  throw new ApiError('invalid_search_embedder', `The index has no embedder \`${name}\`: none is configured.`);
}

/** Bitmap of the live documents that pass the filter. */
function filteredDocuments(reader: IndexReader, filter: FilterNode | null): number {
  const live = reader.liveBitmap();
  if (filter === null) return live;
  checkFilter(filter, reader.view.settings, reader.view.uid, 'invalid_search_filter');
  const passing = evaluateFilter(reader, filter);
  reader.instance.exports.bitmapAnd(live, passing, reader.bitmapBytes);
  return live;
}

function cutoff(setting: number | null, start: number, context: SearchContext): () => boolean {
  if (setting === 0) return () => true;
  const deadline = start + (setting ?? DEFAULT_CUTOFF_MS);
  return () => context.now() > deadline;
}

function wantsMatches(request: SearchRequest): boolean {
  return request.showMatchesPosition || request.attributesToHighlight !== null || request.attributesToCrop !== null;
}

function countOf(reader: IndexReader, answer: KeywordAnswer): number {
  return reader.instance.exports.bitmapCount(answer.counted, reader.bitmapBytes);
}
