import { compareSortValues, type SortValue } from '../../engine/sort-values.js';
import { rankedScore } from '../../ranking/score.js';
import type { Step } from '../../ranking/step.js';

/**
 * A criterion by which hits of different queries are compared: the score of consecutive relevancy rules, the value of a sorted
 * field, or a distance.
 */
export type ScoreEntry =
  | { kind: 'score'; score: number /** It is the similarity of a vector. */; isVector?: boolean }
  | { kind: 'sort'; value: SortValue; ascending: boolean }
  | { kind: 'geo'; distance: number | null; ascending: boolean };

/** A hit, as far as merging needs it. */
export interface ScoredHit {
  entries: readonly ScoreEntry[];
  /** Ranking score times the weight of the query. */
  weighted: number;
  /** Position of the query; breaks ties. */
  position: number;
}

/** Scores that differ by no more are equal: the same factors were multiplied in another order. */
const EQUAL_SCORES = Number.EPSILON;

/** The criteria of a hit. Scores are multiplied by the weight of the query, values are not. */
export function scoreEntries(steps: readonly Step[], weight: number): ScoreEntry[] {
  const entries: ScoreEntry[] = [];
  let run: Step[] = [];
  const endRun = () => {
    if (run.length > 0) entries.push({ kind: 'score', score: rankedScore(run) * weight, isVector: isVectorRun(run) });
    run = [];
  };
  for (const step of steps) {
    const { rule } = step;
    if (rule.kind === 'field') {
      endRun();
      entries.push({ kind: 'sort', value: step.value ?? null, ascending: rule.ascending });
    } else if (rule.kind === 'geo') {
      endRun();
      entries.push({ kind: 'geo', distance: step.distance ?? null, ascending: rule.ascending });
    } else {
      run.push(step);
    }
  }
  endRun();
  return entries;
}

/** With a similarity nothing else is ranked. */
function isVectorRun(run: readonly Step[]): boolean {
  return run[0]?.rule.kind === 'vector';
}

/** Negative: the left hit comes first. Hits of different queries never compare as equal. */
export function compareHits(left: ScoredHit, right: ScoredHit): number {
  return compareEntries(left, right) || left.position - right.position;
}

function compareEntries(left: ScoredHit, right: ScoredHit): number {
  const shared = Math.min(left.entries.length, right.entries.length);
  for (let place = 0; place < shared; place++) {
    const ours = left.entries[place] as ScoreEntry;
    const theirs = right.entries[place] as ScoreEntry;
    if (ours.kind === 'score' && theirs.kind === 'score') {
      if (Math.abs(ours.score - theirs.score) > EQUAL_SCORES) return theirs.score - ours.score;
    } else if (ours.kind === 'sort' && theirs.kind === 'sort' && ours.ascending === theirs.ascending) {
      const order = compareSortValues(ours.value, theirs.value, ours.ascending);
      if (order !== 0) return order;
    } else if (ours.kind === 'geo' && theirs.kind === 'geo' && ours.ascending === theirs.ascending) {
      const order = compareSortValues(ours.distance, theirs.distance, ours.ascending);
      if (order !== 0) return order;
    } else {
      // Criteria of different kinds, as rules of another instance may have: more criteria win.
      return right.entries.length - left.entries.length || right.weighted - left.weighted;
    }
  }
  return right.entries.length - left.entries.length;
}
