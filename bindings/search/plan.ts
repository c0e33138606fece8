import { dimensionsOf } from '../embedders/models.js';
import type { IndexReader } from '../engine/segments.js';
import { type ApiError, apiError, errorAs } from '../errors.js';
import type { IndexView } from '../index-types.js';
import { own as memberOf } from '../own.js';
import { checkDistinct } from '../query/distinct.js';
import type { FilterNode } from '../query/filter-ast.js';
import { checkFilter, checkFilterGates, type FilterGates } from '../query/filter-check.js';
import { parseFilter } from '../query/filter-parse.js';
import { both } from '../query/filter-parts.js';
import { isBlank, type SearchKind, type SearchRequest, searchKind } from '../query/request.js';
import { checkSearchSort, parseSort, type SortItem } from '../query/sort.js';
import { suggestion } from '../query/suggest.js';
import { listed } from '../query/validate.js';
import { searchedFields } from '../ranking/attributes.js';
import { NO_PINS, type Pin, pinsOf } from '../rules/pins.js';
import { RuleContext } from '../rules/rule-context.js';
import { withoutForeign } from './foreign/foreign-filter.js';
import type { SemanticMembers, SemanticQuery } from './semantic/query-vector.js';
import type { SearchSession } from './session.js';
import { type Window, windowOf } from './window.js';

/** A request after all checks that need no index, with its filter parsed. */
export interface PreparedSearch<Request> {
  request: Request;
  /** The conjunction of both filters. */
  filter: FilterNode | null;
  /** The filter of the request. */
  ownFilter: FilterNode | null;
  /** The filter of the caller's token. */
  imposedFilter: FilterNode | null;
}

/** The members of a request that determine which documents are found, and their order. */
export type RankedMembers = Pick<
  SearchRequest,
  'q' | 'attributesToSearchOn' | 'locales' | 'matchingStrategy' | 'rankingScoreThreshold'
>;

/** What to rank; completely validated. */
export interface RankPlan {
  reader: IndexReader;
  kind: SearchKind;
  /** The vector search; null: keywords only. */
  semantic: SemanticQuery | null;
  request: RankedMembers;
  filter: FilterNode | null;
  sort: readonly SortItem[];
  /** Bitmap over slots of the documents to consider, in addition to the filter; null: all. */
  remaining: Uint8Array | null;
  /** Documents pinned by rules, unless the filter excludes them. */
  pins: readonly Pin[];
  /** Path of the field for distinct: each value is shown once. */
  distinct: string | null;
  /** Number of documents wanted, from the first rank on; 0: nothing is evaluated. */
  needed: number;
  /** Counts over all documents, instead of those that were evaluated. */
  exhaustive: boolean;
  /** Scores or score details are requested. */
  detailed: boolean;
  /** Highlights or match positions are requested. */
  matches: boolean;
}

/** A search of one index. */
export interface SearchPlan extends RankPlan, Pick<PreparedSearch<SearchRequest>, 'ownFilter' | 'imposedFilter'> {
  request: SearchRequest;
  window: Window;
}

/**
 * Makes the checks that need no index.
 * @param imposed filter of the caller's token: JSON as in the member `filter`
 * @throws {ApiError} when the filter has a wrong type or syntax, or uses a disabled feature
 */
export function prepareSearch<Request extends Pick<SearchRequest, 'filter' | 'useNetwork'>>(
  request: Request,
  features: Partial<FilterGates>,
  imposed: unknown = null,
): PreparedSearch<Request> {
  const ownFilter = parseFilter(request.filter, 'invalid_search_filter');
  const imposedFilter = parseFilter(imposed, 'invalid_search_filter');
  const filter = both(ownFilter, imposedFilter);
  if (filter) checkFilterGates(filter, features);
  if (request.useNetwork !== null && !features.network) refuseFeature('Passing `useNetwork`', 'network');
  return { request, filter, ownFilter, imposedFilter };
}

/**
 * Validates a search for its index, in the documented order.
 * @param window the wanted hits; default: from the pagination of the request
 * @throws {ApiError} index_not_found, and for whatever the settings of the index do not permit
 */
export function planSearch(
  session: SearchSession,
  uid: string,
  { request, filter, ownFilter, imposedFilter }: PreparedSearch<SearchRequest>,
  window?: Window,
): SearchPlan {
  const reader = session.open(uid);
  const { settings } = reader.view;
  const kind = searchKind(request);
  const { maxTotalHits } = settings.pagination;
  const wanted = window ?? windowOf(request, maxTotalHits);
  const needed = wanted.from < wanted.to ? wanted.to : 0;
  const semantic = semanticQuery(reader, kind, request, needed > 0 ? wanted : EMPTY_PAGE);
  const sort = request.sort ? parseSort(request.sort, 'invalid_search_sort') : [];
  if (request.media !== null && !session.features.multimodal) refuseFeature('Passing `media`', 'multimodal');
  checkSearchedOn(reader, request);
  if (request.distinct !== null) checkDistinct(request.distinct, settings);
  checkFilterOf(reader, filter);
  checkSearchSort(sort, settings);
  if (request.personalize !== null) {
    throw apiError('feature_not_enabled', 'noReranker');
  }
  const threshold = request.rankingScoreThreshold;
  const everything = wanted.exhaustive && threshold !== null;
  const own = withoutForeign(session, reader, ownFilter);
  const imposed = withoutForeign(session, reader, imposedFilter);
  return {
    reader,
    kind,
    semantic,
    request,
    filter: both(own, imposed),
    ownFilter: own,
    imposedFilter: imposed,
    remaining: null,
    sort,
    pins: pinnedBy(session, reader, request, filter),
    distinct: request.distinct ?? settings.distinctAttribute,
    window: wanted,
    needed: everything ? maxTotalHits : needed,
    exhaustive: wanted.exhaustive,
    detailed: request.showRankingScore || request.showRankingScoreDetails || threshold !== null,
    matches: request.showMatchesPosition || request.attributesToHighlight !== null || request.attributesToCrop !== null,
  };
}

function pinnedBy(
  { rules }: SearchSession,
  reader: IndexReader,
  { q }: SearchRequest,
  filter: FilterNode | null,
): readonly Pin[] {
  if (rules.length === 0) return NO_PINS;
  return pinsOf(rules, new RuleContext(reader, q, filter, Date.now()), reader.view.uid);
}

/** A page without hits. */
export const EMPTY_PAGE = { from: 0, to: 0 };

/**
 * The vector part of a search; null for keyword searches.
 * @param page first and end (exclusive) of the hits
 * @throws {ApiError} invalid_search_embedder, invalid_vector_dimensions
 */
export function semanticQuery(
  { view }: IndexReader,
  kind: SearchKind,
  { q, vector, media, hybrid }: SemanticMembers,
  { from, to }: Pick<Window, 'from' | 'to'>,
): SemanticQuery | null {
  if (kind === 'keyword' || hybrid === null) return null;
  const { embedder: name, semanticRatio } = hybrid;
  const { embedders } = view.settings;
  const embedder = memberOf(embedders, name);
  if (!embedder) throw unknownEmbedder(view, name, 'invalid_search_embedder');
  const dimensions = dimensionsOf(embedder);
  if (vector !== null && vector.length !== dimensions) {
    throw apiError('invalid_vector_dimensions', 'ofQuery', { found: vector.length, name, dimensions });
  }
  return { uid: view.uid, name, embedder, semanticRatio, vector, q, media, from, to };
}

/** The error for a name that is no embedder of the index. */
export function unknownEmbedder({ uid, settings }: IndexView, name: string, code: string): ApiError {
  const names = Object.keys(settings.embedders);
  const there = names.length > 0 ? `it has ${listed(names)}` : 'none is configured';
  return errorAs(code, 'unknownEmbedder', { uid, name, there, hint: suggestion(name, names) });
}

/** @throws {ApiError} invalid_search_attributes_to_search_on */
export function checkSearchedOn(reader: IndexReader, { attributesToSearchOn }: RankedMembers): void {
  if (attributesToSearchOn) searchedFields(reader, attributesToSearchOn);
}

/** @throws {ApiError} for attributes and operators that the index does not permit in filters */
export function checkFilterOf({ view }: IndexReader, filter: FilterNode | null): void {
  if (filter) checkFilter(filter, view.settings, view.uid, 'invalid_search_filter');
}

/** Whether the search has no query: all documents that pass the filter are hits. */
export function isPlaceholder({ kind, request }: RankPlan): boolean {
  return kind === 'keyword' && isBlank(request.q);
}

/** @throws {ApiError} feature_not_enabled */
export function refuseFeature(attempt: string, feature: string): never {
  throw apiError('feature_not_enabled', 'experimental', { attempt, feature });
}
