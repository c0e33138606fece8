import { dimensionsOf } from '../embedders/models.js';
import type { IndexReader } from '../engine/segments.js';
import { type ApiError, apiError, errorAs } from '../errors.js';
import { type FacetList, facetFields } from '../format/facets.js';
import { type HitFormat, hitFormat } from '../format/hits.js';
import type { IndexView } from '../index-types.js';
import { own as memberOf } from '../own.js';
import { checkDistinct } from '../query/distinct.js';
import type { FilterNode } from '../query/filter-ast.js';
import { checkFilter, checkFilterGates, type FilterGates } from '../query/filter-check.js';
import { parseFilter } from '../query/filter-parse.js';
import { both } from '../query/filter-parts.js';
import { encodeFilter } from '../query/filter-plan.js';
import type { Query } from '../query/query.js';
import { type SearchKind, type SearchMembers, type SentSearch, searchKind } from '../query/request.js';
import { checkSearchSort, parseSort, type SortItem } from '../query/sort.js';
import { suggestion } from '../query/suggest.js';
import { listed } from '../query/validate.js';
import { searchedFields } from '../ranking/attributes.js';
import { type EncodedRanking, encodeRanking } from '../ranking/plan.js';
import { queryLocales } from '../ranking/query-locales.js';
import { rulesOf } from '../ranking/rules.js';
import { NO_PINS, type Pin, pinsOf } from '../rules/pins.js';
import { RuleContext } from '../rules/rule-context.js';
import { StateCache } from '../state-cache.js';
import { hasForeign, withoutForeign } from './foreign/foreign-filter.js';
import type { SemanticMembers, SemanticQuery } from './semantic/query-vector.js';
import type { SearchSession } from './session.js';
import { pageMembers, type Window, windowOf } from './window.js';

const FILTER_CODE = 'invalid_search_filter';
const encoder = new TextEncoder();

/** The parsed filters of a search. */
export interface Filters {
  /** The conjunction of the others. */
  all: FilterNode | null;
  /** That of the request. */
  own: FilterNode | null;
  /** That of the caller's token. */
  imposed: FilterNode | null;
}

/** A request after all checks that need no index. Its form includes the filter of the caller's token. */
export interface PreparedSearch extends SentSearch {
  filters: Filters;
}

/** The members of a request that determine which documents a query finds, and their order. */
export type RankedMembers = Pick<
  SearchMembers,
  'attributesToSearchOn' | 'locales' | 'matchingStrategy' | 'rankingScoreThreshold'
>;

/** What to rank; completely validated. */
export interface RankPlan {
  reader: IndexReader;
  kind: SearchKind;
  /** The vector search; null: keywords only. */
  semantic: SemanticQuery | null;
  request: RankedMembers;
  query: Query;
  /** Encoded for the engine. */
  filter: Uint8Array | null;
  ranking: EncodedRanking;
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
export interface SearchPlan extends RankPlan {
  request: SearchMembers;
  filters: Filters;
  window: Window;
  /** UTF-8 of the members of the answer that describe its page, up to their counts. */
  pageMembers: Uint8Array;
  format: HitFormat;
  /** The fields of `facets`; null: none, and no disjunctive ones either. */
  facets: FacetList | null;
}

const prepared = new StateCache<Filters, Partial<FilterGates>>();

/** {@link checkedFilters} of a search. */
export function prepareSearch(
  { request, query, form: sent }: SentSearch,
  features: Partial<FilterGates>,
  imposed: unknown = null,
): PreparedSearch {
  const form = imposed === null || sent === null ? sent : sent + JSON.stringify(imposed);
  return { request, query, form, filters: prepared.of(features, form, () => checkedFilters(request, features, imposed)) };
}

/**
 * Makes the checks that need no index.
 * @param imposed filter of the caller's token: JSON as in the member `filter`
 * @throws {ApiError} when the filter has a wrong type or syntax, or uses a disabled feature
 */
export function checkedFilters(
  { filter, useNetwork }: Pick<SearchMembers, 'filter' | 'useNetwork'>,
  features: Partial<FilterGates>,
  imposed: unknown = null,
): Filters {
  const filters = bothFilters(parseFilter(filter, FILTER_CODE), parseFilter(imposed, FILTER_CODE));
  if (filters.all) checkFilterGates(filters.all, features);
  if (useNetwork !== null && !features.network) refuseFeature('Passing `useNetwork`', 'network');
  return filters;
}

function bothFilters(own: FilterNode | null, imposed: FilterNode | null): Filters {
  return { all: both(own, imposed), own, imposed };
}

/** What the form of a request is in an index: all errors that do not depend on the query have been found. */
interface PlannedForm
  extends Pick<RankPlan, 'sort' | 'filter' | 'ranking' | 'distinct' | 'matches'>,
    Pick<SearchPlan, 'pageMembers' | 'format' | 'facets'> {
  /** Whether the filter has conditions on documents of other indexes: it is encoded when these are known. */
  joins: boolean;
}

const forms = new StateCache<PlannedForm>(({ filter }) => filter?.length ?? 0);

function planForm(session: SearchSession, reader: IndexReader, request: SearchMembers, { all }: Filters): PlannedForm {
  const { view } = reader;
  const { settings } = view;
  const sort = request.sort ? parseSort(request.sort, 'invalid_search_sort') : [];
  if (request.media !== null && !session.features.multimodal) refuseFeature('Passing `media`', 'multimodal');
  checkSearchedOn(reader, request);
  if (request.distinct !== null) checkDistinct(request.distinct, settings);
  checkFilterOf(reader, all);
  checkSearchSort(sort, settings);
  if (request.personalize !== null) throw apiError('feature_not_enabled', 'noReranker');
  const joins = all !== null && hasForeign(all);
  const distinct = request.distinct ?? settings.distinctAttribute;
  return {
    sort,
    joins,
    filter: all && !joins ? encodeFilter(reader, all) : null,
    ranking: encodedRanking(reader, request, sort, distinct),
    distinct,
    matches: request.showMatchesPosition || request.attributesToHighlight !== null || request.attributesToCrop !== null,
    pageMembers: encoder.encode(pageMembers(request)),
    format: hitFormat(view, request),
    facets: request.facets || request.disjunctiveFacets ? facetFields(reader, request.facets ?? []) : null,
  };
}

/** Kept beside forms, because forms with different filters share one. */
const rankings = new StateCache<EncodedRanking>(({ bytes }) => bytes.length);

/** How keywords are ranked. */
export function encodedRanking(
  reader: IndexReader,
  request: RankedMembers,
  sort: readonly SortItem[],
  distinct: string | null,
): EncodedRanking {
  const { attributesToSearchOn, matchingStrategy, rankingScoreThreshold: threshold } = request;
  const key = JSON.stringify([sort, attributesToSearchOn, matchingStrategy, request.locales, distinct, threshold]);
  return rankings.of(reader.view, key, () => {
    const rules = rulesOf(reader.view.settings, sort, matchingStrategy);
    const locales = queryLocales(reader, request);
    return encodeRanking(reader, { rules, attributesToSearchOn, matchingStrategy, locales, distinct, threshold });
  });
}

/**
 * Validates a search for its index, in the documented order.
 * @param window the wanted hits; default: from the pagination of the request
 * @throws {ApiError} index_not_found, and for whatever the settings of the index do not permit
 */
export function planSearch(
  session: SearchSession,
  uid: string,
  { request, query, form, filters: sent }: PreparedSearch,
  window?: Window,
): SearchPlan {
  const reader = session.open(uid);
  const { view } = reader;
  const kind = searchKind(request, query);
  const { maxTotalHits } = view.settings.pagination;
  const wanted = window ?? windowOf(request, maxTotalHits);
  const needed = wanted.from < wanted.to ? wanted.to : 0;
  const semantic = semanticQuery(reader, kind, request, query, needed > 0 ? wanted : EMPTY_PAGE);
  const planned = forms.of(view, form, () => planForm(session, reader, request, sent));
  const filters = planned.joins
    ? bothFilters(withoutForeign(session, reader, sent.own), withoutForeign(session, reader, sent.imposed))
    : sent;
  const { showRankingScore, showRankingScoreDetails, rankingScoreThreshold: threshold } = request;
  return {
    reader,
    kind,
    semantic,
    request,
    query,
    filters,
    filter: planned.joins && filters.all ? encodeFilter(reader, filters.all) : planned.filter,
    ranking: planned.ranking,
    sort: planned.sort,
    distinct: planned.distinct,
    matches: planned.matches,
    pageMembers: planned.pageMembers,
    format: planned.format,
    facets: planned.facets,
    remaining: null,
    pins: pinnedBy(session, reader, query, sent.all),
    window: wanted,
    needed: wanted.exhaustive && threshold !== null ? maxTotalHits : needed,
    exhaustive: wanted.exhaustive,
    detailed: showRankingScore || showRankingScoreDetails || threshold !== null,
  };
}

function pinnedBy({ rules }: SearchSession, reader: IndexReader, query: Query, filter: FilterNode | null): readonly Pin[] {
  if (rules.length === 0) return NO_PINS;
  return pinsOf(rules, new RuleContext(reader, query, filter, Date.now()), reader.view.uid);
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
  { vector, media, hybrid }: SemanticMembers,
  query: Query,
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
  return { uid: view.uid, name, embedder, semanticRatio, vector, q: query.text, media, from, to };
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
  if (filter) checkFilter(filter, view.settings, view.uid, FILTER_CODE);
}

/** Whether the search has no query: all documents that pass the filter are hits. */
export function isPlaceholder({ kind, query }: RankPlan): boolean {
  return kind === 'keyword' && query.isBlank;
}

/** @throws {ApiError} feature_not_enabled */
export function refuseFeature(attempt: string, feature: string): never {
  throw apiError('feature_not_enabled', 'experimental', { attempt, feature });
}
