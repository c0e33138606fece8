import type { IndexReader } from '../../engine/segments.js';
import type { RankedHit } from '../../ranking/ranked.js';
import { mergeSorted } from '../federation/merge.js';
import { compareEntries, type ScoreEntry, scoreEntries } from '../federation/scores.js';

/** A hit of a hybrid search. */
export interface MergedHit {
  hit: RankedHit;
  /** Whether the vector search found it. */
  isSemantic: boolean;
  entries: readonly ScoreEntry[];
}

/** Merges two rankings of an index, each best first; of equal hits those found by vectors come first. */
export function mergeRankings(
  reader: IndexReader,
  keyword: readonly RankedHit[],
  semantic: readonly RankedHit[],
  semanticRatio: number,
): Generator<MergedHit> {
  const ratio = Math.fround(semanticRatio);
  const lists = [weighted(reader, semantic, ratio, true), weighted(reader, keyword, Math.fround(1 - ratio), false)];
  return mergeSorted(lists, (left, right) => compareEntries(left.entries, right.entries, byScore));
}

function* weighted(reader: IndexReader, hits: readonly RankedHit[], weight: number, isSemantic: boolean): Generator<MergedHit> {
  for (const hit of hits) yield { hit, isSemantic, entries: scoreEntries(reader, hit, weight) };
}

/** A score, unless it is zero, is better than the value of a sorted field or a distance. */
function byScore(left: ScoreEntry, right: ScoreEntry): number {
  if (left.kind === 'score') return left.score === 0 ? 1 : -1;
  return right.kind === 'score' && right.score === 0 ? -1 : 1;
}
