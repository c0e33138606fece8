import { addMember } from '../../engine/bitmaps.js';
import { columnValues } from '../../engine/column-values.js';
import type { IndexReader } from '../../engine/segments.js';
import { type RankedHit, RankedHits, scoreOf } from '../../ranking/ranked.js';
import { removeDuplicates, ShownValues } from '../distinct-values.js';
import { mergeRankings } from './merge.js';
import type { SemanticQuery } from './query-vector.js';

/** Weighted keyword scores from which the vector search is skipped. */
const GOOD_ENOUGH = 0.45;

/** Whether the keyword results suffice: the page is full of documents with good scores. */
export function wordsSuffice(reader: IndexReader, hits: RankedHits, wanted: number, semanticRatio: number): boolean {
  const weight = Math.fround(1 - Math.fround(semanticRatio));
  return hits.count >= wanted && hits.list.slice(0, wanted).every((hit) => scoreOf(reader, hit) * weight >= GOOD_ENOUGH);
}

export interface Ranking {
  hits: RankedHits;
  /** Bitmap of the counted documents. */
  counted: number;
}

/** Merges keyword and vector results up to the end of the page. The first bitmap becomes the union of both. */
export function hybridHits(
  reader: IndexReader,
  keyword: Ranking,
  vectors: Ranking & { semantic: ReadonlySet<RankedHit> | null },
  { semanticRatio, to }: SemanticQuery,
  distinct: string | null,
): { hits: RankedHits; semantic: Set<RankedHit> } {
  reader.unite(keyword.counted, vectors.counted);
  const hits: RankedHit[] = [];
  const found = new Set<RankedHit>();
  const met = new Set<number>();
  const shown = new ShownValues();
  for (const { hit, isSemantic } of mergeRankings(
    reader,
    keyword.hits.list.slice(0, to),
    vectors.hits.list.slice(0, to),
    semanticRatio,
  )) {
    if (hits.length >= to) break;
    if (met.has(hit.slot)) continue;
    met.add(hit.slot);
    if (distinct !== null && !shown.take(columnValues(reader, distinct, hit.slot))) continue;
    hits.push(hit);
    if (isSemantic && vectors.semantic?.has(hit)) found.add(hit);
  }
  if (distinct !== null) {
    const slots = hits.map(({ slot }) => slot);
    removeDuplicates(reader, distinct, slots, keyword.counted);
    for (const slot of slots) addMember(reader.instance, keyword.counted, slot);
  }
  return { hits: RankedHits.listed(reader, hits), semantic: found };
}
