import type { IndexReader } from '../engine/segments.js';
import type { SortItem } from '../query/sort.js';
import { ALL_DOCUMENTS, encodeRanking, UNRANKED } from './plan.js';
import { RankedHits, rankDocuments } from './ranked.js';

/**
 * The first documents of a bitmap, ordered by sort items, ties in internal order.
 * @param detailed whether the sort values are requested
 */
export function sortedDocuments(
  reader: IndexReader,
  bitmap: number,
  rules: readonly SortItem[],
  needed: number,
  detailed = false,
): RankedHits {
  const ranking = encodeRanking(reader, { ...UNRANKED, rules });
  return RankedHits.of(reader, rankDocuments(reader, ranking, { ...ALL_DOCUMENTS, universe: bitmap, needed, detailed }));
}
