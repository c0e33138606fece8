import { LOCALE_CODES } from '../../bindings/query/locales.js';
import type { SearchRequest } from '../../bindings/query/request.js';

/** Counts which features searches use, in the threads that answer them: numbers only, never words. */

type Fold = 'sum' | 'max';

const CELLS = {
  received: 'sum',
  degraded: 'sum',
  negativeOperator: 'sum',
  mostTerms: 'max',
  sorts: 'sum',
  sortCriteria: 'sum',
  geoSorts: 'sum',
  stringFilters: 'sum',
  arrayFilters: 'sum',
  geoBoundingBoxes: 'sum',
  geoRadii: 'sum',
  vectorFilters: 'sum',
  mostLimit: 'max',
  mostOffset: 'max',
  byPage: 'sum',
  byOffset: 'sum',
  mostRetrieved: 'max',
  mostHighlighted: 'max',
  mostCropped: 'max',
  preTags: 'sum',
  postTags: 'sum',
  cropLengths: 'sum',
  cropMarkers: 'sum',
  positions: 'sum',
  facetSearches: 'sum',
  facetRequests: 'sum',
  facets: 'sum',
  distinctFacets: 'sum',
  facetSearchesWithMore: 'sum',
  distinct: 'sum',
  strategyLast: 'sum',
  strategyAll: 'sum',
  strategyFrequency: 'sum',
  scores: 'sum',
  scoreDetails: 'sum',
  thresholds: 'sum',
  searchedOn: 'sum',
  mostDimensions: 'max',
  vectorsRetrieved: 'sum',
  hybrid: 'sum',
  semanticRatios: 'sum',
  media: 'sum',
} as const satisfies Record<string, Fold>;

export type UsageCell = keyof typeof CELLS;
export interface Usage {
  counts: Record<UsageCell, number>;
  /** Codes of the languages named in requests. */
  locales: string[];
}

const NAMES = Object.keys(CELLS) as UsageCell[];
const PLACES = new Map(NAMES.map((name, place) => [name as string, place]));

/** i32 cells shared by all threads: the counters, then one per language. */
export class SearchUsage {
  readonly #cells: Int32Array;

  constructor(readonly buffer = new SharedArrayBuffer((NAMES.length + LOCALE_CODES.length) * Int32Array.BYTES_PER_ELEMENT)) {
    this.#cells = new Int32Array(buffer);
  }

  count(name: UsageCell, value: number | boolean = 1): void {
    if (!value) return;
    const place = PLACES.get(name)!;
    if (CELLS[name] === 'sum') Atomics.add(this.#cells, place, Number(value));
    else this.#raise(place, Number(value));
  }

  countLocale(code: string): void {
    const place = LOCALE_CODES.indexOf(code);
    if (place >= 0) Atomics.add(this.#cells, NAMES.length + place, 1);
  }

  /** Searches ended by their time limit since the launch. */
  get degraded(): number {
    return Atomics.load(this.#cells, PLACES.get('degraded')!);
  }

  /** Returns all counts and resets them, except {@link degraded}. */
  take(): Usage {
    const { degraded } = this;
    const take = (place: number) => Atomics.exchange(this.#cells, place, 0);
    const counts = Object.fromEntries(NAMES.map((name, place) => [name, take(place)])) as Usage['counts'];
    const locales = LOCALE_CODES.filter((_, place) => take(NAMES.length + place) > 0);
    this.count('degraded', degraded);
    return { counts: { ...counts, degraded }, locales };
  }

  #raise(place: number, value: number): void {
    const clamped = Math.min(value, 2 ** 31 - 1);
    for (;;) {
      const before = Atomics.load(this.#cells, place);
      if (before >= clamped || Atomics.compareExchange(this.#cells, place, before, clamped) === before) return;
    }
  }
}

const NEGATIVE = /(?:^|\s)-\S/;
const STRATEGIES = { last: 'strategyLast', all: 'strategyAll', frequency: 'strategyFrequency' } as const;

/** Counts one search. @param request the request with defaults filled in */
export function countSearch(usage: SearchUsage, request: SearchRequest): void {
  const { q, sort, filter, facets, page, hitsPerPage, locales } = request;
  usage.count('received');
  if (q !== null) {
    usage.count('negativeOperator', NEGATIVE.test(q));
    usage.count('mostTerms', q.split(/\s+/).filter(Boolean).length);
  }
  if (sort !== null) {
    usage.count('sorts');
    usage.count('sortCriteria', sort.length);
    usage.count(
      'geoSorts',
      sort.some((item) => item.startsWith('_geoPoint')),
    );
  }
  if (filter !== null) countFilter(usage, filter);
  usage.count('mostLimit', hitsPerPage ?? request.limit);
  usage.count('mostOffset', request.offset);
  usage.count(page !== null || hitsPerPage !== null ? 'byPage' : 'byOffset');
  countFormatting(usage, request);
  if (facets !== null) {
    usage.count('facetRequests');
    usage.count('facets', facets.length);
    usage.count('distinctFacets', new Set(facets).size);
  }
  usage.count('distinct', request.distinct !== null);
  usage.count(STRATEGIES[request.matchingStrategy]);
  usage.count('scores', request.showRankingScore);
  usage.count('scoreDetails', request.showRankingScoreDetails);
  usage.count('thresholds', request.rankingScoreThreshold !== null);
  usage.count('searchedOn', request.attributesToSearchOn !== null);
  usage.count('mostDimensions', request.vector?.length ?? 0);
  usage.count('vectorsRetrieved', request.retrieveVectors);
  usage.count('hybrid', request.hybrid !== null);
  usage.count('semanticRatios', request.hybrid !== null && request.hybrid.semanticRatio !== 0.5);
  usage.count('media', request.media !== null);
  for (const code of locales ?? []) usage.countLocale(code);
}

function countFilter(usage: SearchUsage, filter: unknown): void {
  const text = JSON.stringify(filter);
  usage.count(typeof filter === 'string' ? 'stringFilters' : 'arrayFilters');
  usage.count('geoBoundingBoxes', text.includes('_geoBoundingBox'));
  usage.count('geoRadii', text.includes('_geoRadius'));
  usage.count('vectorFilters', text.includes('_vectors'));
}

function countFormatting(usage: SearchUsage, request: SearchRequest): void {
  usage.count('mostRetrieved', request.attributesToRetrieve?.length ?? 0);
  usage.count('mostHighlighted', request.attributesToHighlight?.length ?? 0);
  usage.count('mostCropped', request.attributesToCrop?.length ?? 0);
  usage.count('preTags', request.highlightPreTag !== '<em>');
  usage.count('postTags', request.highlightPostTag !== '</em>');
  usage.count('cropLengths', request.cropLength !== 10);
  usage.count('cropMarkers', request.cropMarker !== '…');
  usage.count('positions', request.showMatchesPosition);
}
