import type { IndexReader } from '../engine/segments.js';
import type { RankRequest } from './plan.js';
import { type RankedHit, rankDocuments, readHits } from './ranked.js';
import type { SortRule } from './rules.js';

/**
 * The first documents of a bitmap in the order of some sort items; ties are in internal order. @param detailed the values that they
 * were sorted by are asked for
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
