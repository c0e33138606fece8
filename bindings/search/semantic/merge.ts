import type { IndexReader } from '../../engine/segments.js';
import { compareSortValues } from '../../engine/sort-values.js';
import type { RankedHit } from '../../ranking/ranked.js';
import { type ScoreEntry, scoreEntries } from '../federation/scores.js';

/** A hit of a hybrid search. */
export interface MergedHit {
  hit: RankedHit;
  /** Whether the vector search found it. */
  isSemantic: boolean;
}

/** Merges two rankings of an index, each best first; of equal hits those found by vectors come first. */
export function* mergeRankings(
  reader: IndexReader,
  keyword: readonly RankedHit[],
  semantic: readonly RankedHit[],
  semanticRatio: number,
): Generator<MergedHit> {
  const ratio = Math.fround(semanticRatio);
  const lists = [weighted(reader, semantic, ratio, true), weighted(reader, keyword, Math.fround(1 - ratio), false)] as const;
  let [one, other] = [next(lists[0]), next(lists[1])];
  while (one || other) {
    if (one && (!other || compareEntries(one.entries, other.entries) <= 0)) {
      yield one;
      one = next(lists[0]);
    } else {
      yield other as MergedHit;
      other = next(lists[1]);
    }
  }
}

interface WeightedHit extends MergedHit {
  entries: readonly ScoreEntry[];
}

function* weighted(reader: IndexReader, hits: readonly RankedHit[], weight: number, isSemantic: boolean): Generator<WeightedHit> {
  for (const hit of hits) yield { hit, isSemantic, entries: scoreEntries(reader, hit, weight) };
}

function next(list: Generator<WeightedHit>): WeightedHit | null {
  const { done, value } = list.next();
  return done ? null : value;
}

/** Scores that differ by less are equal. */
const EQUAL_SCORES = Number.EPSILON;

/** Negative: the left hit is better. If the kinds of criteria differ a non-zero score decides; more criteria win. */
function compareEntries(left: readonly ScoreEntry[], right: readonly ScoreEntry[]): number {
  const shared = Math.min(left.length, right.length);
  for (let place = 0; place < shared; place++) {
    const order = compareEntry(left[place] as ScoreEntry, right[place] as ScoreEntry);
    if (order !== 0) return order;
  }
  return right.length - left.length;
}

function compareEntry(left: ScoreEntry, right: ScoreEntry): number {
  if (left.kind === 'score' && right.kind === 'score') {
    return Math.abs(left.score - right.score) > EQUAL_SCORES ? right.score - left.score : 0;
  }
  if (left.kind === 'score') return left.score === 0 ? 1 : -1;
  if (right.kind === 'score') return right.score === 0 ? -1 : 1;
  const [ours, theirs] = [left, right].map((entry) => (entry.kind === 'geo' ? entry.distance : entry.value));
  return compareSortValues(ours ?? null, theirs ?? null, left.ascending);
}
