import type { IndexReader } from '../engine/segments.js';
import type { RankRequest } from './plan.js';
import { type RankedHit, rankDocuments, readHits } from './ranked.js';
import type { SortRule } from './rules.js';

/**
 * The first documents of a bitmap, ordered by sort items, ties in internal order.
 * @param detailed whether the sort values are requested
 */
export function sortedDocuments(
  reader: IndexReader,
  bitmap: number,
  rules: readonly SortRule[],
  needed: number,
  detailed = false,
): RankedHit[] {
  const request: RankRequest = {
    q: null,
    attributesToSearchOn: null,
    matchingStrategy: 'last',
    distinct: null,
    threshold: null,
    needed,
    exhaustive: false,
    detailed,
    matches: false,
    deadline: Number.POSITIVE_INFINITY,
  };
  return readHits(reader, rankDocuments(reader, bitmap, request, rules, []), rules);
}
