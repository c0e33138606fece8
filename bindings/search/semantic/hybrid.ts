import type { IndexReader } from '../../engine/segments.js';
import type { RankedHit } from '../../ranking/ranked.js';
import { rankedScore } from '../../ranking/score.js';
import { mergeRankings } from './merge.js';
import { valuesOf } from './sorted.js';

/** Weighted scores from here on are so good that vectors are not asked. */
const GOOD_ENOUGH = 0.45;

/** Are the words enough: is the page full of documents that they describe well? */
export function wordsSuffice(hits: readonly RankedHit[], wanted: number, semanticRatio: number): boolean {
  const weight = Math.fround(1 - Math.fround(semanticRatio));
  return hits.length >= wanted && hits.slice(0, wanted).every(({ steps }) => rankedScore(steps) * weight >= GOOD_ENOUGH);
}

export interface Ranking {
  hits: readonly RankedHit[];
  /** Bitmap of the documents that are counted. */
  counted: number;
}

/** Words and vectors together. The bitmap of the first becomes that of both. */
export function hybridHits(
  reader: IndexReader,
  keyword: Ranking,
  vectors: Ranking & { semantic: ReadonlySet<RankedHit> | null },
  { semanticRatio, distinct }: { semanticRatio: number; distinct: string | null },
): { hits: RankedHit[]; semantic: Set<RankedHit> } {
  const engine = reader.instance.exports;
  engine.bitmapOr(keyword.counted, vectors.counted, reader.bitmapBytes);
  const hits: RankedHit[] = [];
  const found = new Set<RankedHit>();
  const taken = new Set<number>();
  const values = distinct === null ? null : valuesOf(reader, distinct);
  const met = new Set<number | string>();
  const lost = reader.newBitmap();
  for (const { hit, isSemantic } of mergeRankings(keyword.hits, vectors.hits, semanticRatio)) {
    if (taken.has(hit.slot)) continue;
    taken.add(hit.slot);
    const own = values?.(hit.slot) ?? [];
    if (own.some((value) => met.has(value))) {
      engine.bitmapAdd(lost, hit.slot);
      continue;
    }
    for (const value of own) met.add(value);
    hits.push(hit);
    if (isSemantic && vectors.semantic?.has(hit)) found.add(hit);
  }
  engine.bitmapAndNot(keyword.counted, lost, reader.bitmapBytes);
  return { hits, semantic: found };
}
