import { LOCALE_CODES } from '../../bindings/query/locales.js';
import type { SearchMembers, SentSearch } from '../../bindings/query/request.js';
import { StateCache } from '../../bindings/state-cache.js';

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

/** A change of a counter. */
interface Addition {
  place: number;
  fold: Fold;
  value: number;
}

/** i32 cells shared by all threads: the counters, then one per language. */
export class SearchUsage {
  readonly #cells: Int32Array;

  constructor(readonly buffer = new SharedArrayBuffer((NAMES.length + LOCALE_CODES.length) * Int32Array.BYTES_PER_ELEMENT)) {
    this.#cells = new Int32Array(buffer);
  }

  count(name: UsageCell, value: number | boolean = 1): void {
    if (value) this.add({ place: PLACES.get(name)!, fold: CELLS[name], value: Number(value) });
  }

  add({ place, fold, value }: Addition): void {
    if (fold === 'sum') Atomics.add(this.#cells, place, value);
    else this.#raise(place, value);
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

const STRATEGIES = { last: 'strategyLast', all: 'strategyAll', frequency: 'strategyFrequency' } as const;

/** What requests of one form add to the counters. */
const additions = new StateCache<readonly Addition[], typeof CELLS>();

/** Counts one search, with defaults filled in. */
export function countSearch(usage: SearchUsage, { request, query, form }: SentSearch): void {
  for (const addition of additions.of(CELLS, form, () => additionsOf(request))) usage.add(addition);
  const { count, excludes } = query.terms;
  usage.count('negativeOperator', excludes);
  usage.count('mostTerms', count);
}

/** What the members of a search add to the counters. */
function additionsOf(request: SearchMembers): Addition[] {
  const { sort, filter, facets, page, hitsPerPage, locales } = request;
  const list: Addition[] = [];
  const count = (name: UsageCell, value: number | boolean = 1): void => {
    if (value) list.push({ place: PLACES.get(name)!, fold: CELLS[name], value: Number(value) });
  };
  count('received');
  if (sort !== null) {
    count('sorts');
    count('sortCriteria', sort.length);
    count(
      'geoSorts',
      sort.some((item) => item.startsWith('_geoPoint')),
    );
  }
  if (filter !== null) {
    const text = JSON.stringify(filter);
    count(typeof filter === 'string' ? 'stringFilters' : 'arrayFilters');
    count('geoBoundingBoxes', text.includes('_geoBoundingBox'));
    count('geoRadii', text.includes('_geoRadius'));
    count('vectorFilters', text.includes('_vectors'));
  }
  count('mostLimit', hitsPerPage ?? request.limit);
  count('mostOffset', request.offset);
  count(page !== null || hitsPerPage !== null ? 'byPage' : 'byOffset');
  count('mostRetrieved', request.attributesToRetrieve?.length ?? 0);
  count('mostHighlighted', request.attributesToHighlight?.length ?? 0);
  count('mostCropped', request.attributesToCrop?.length ?? 0);
  count('preTags', request.highlightPreTag !== '<em>');
  count('postTags', request.highlightPostTag !== '</em>');
  count('cropLengths', request.cropLength !== 10);
  count('cropMarkers', request.cropMarker !== '…');
  count('positions', request.showMatchesPosition);
  if (facets !== null) {
    count('facetRequests');
    count('facets', facets.length);
    count('distinctFacets', new Set(facets).size);
  }
  count('distinct', request.distinct !== null);
  count(STRATEGIES[request.matchingStrategy]);
  count('scores', request.showRankingScore);
  count('scoreDetails', request.showRankingScoreDetails);
  count('thresholds', request.rankingScoreThreshold !== null);
  count('searchedOn', request.attributesToSearchOn !== null);
  count('mostDimensions', request.vector?.length ?? 0);
  count('vectorsRetrieved', request.retrieveVectors);
  count('hybrid', request.hybrid !== null);
  count('semanticRatios', request.hybrid !== null && request.hybrid.semanticRatio !== 0.5);
  count('media', request.media !== null);
  for (const code of locales ?? []) {
    const place = LOCALE_CODES.indexOf(code);
    if (place >= 0) list.push({ place: NAMES.length + place, fold: 'sum', value: 1 });
  }
  return list;
}
