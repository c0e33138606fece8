import {
  PlanRule,
  RULE_FIELD,
  RULE_GEO,
  RULE_SIMILARITY,
  SKIPPED_RULE,
  Step,
  type StepFields,
  Steps,
  VALUE_NUMBER,
  VALUE_POINT,
  VALUE_TEXT,
} from '../../engine/exports.js';
import type { EngineInstance } from '../../engine/instance.js';
import type { IndexReader } from '../../engine/segments.js';
import { compareSortValues, type SortValue } from '../../engine/sort-values.js';
import type { RankedHit } from '../../ranking/ranked.js';

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
export function scoreEntries({ instance }: IndexReader, { steps: at }: RankedHit, weight: number): ScoreEntry[] {
  const { count, steps, rules } = instance.read(Steps, at);
  const entries: ScoreEntry[] = [];
  for (let place = 0; place < count; place++) {
    const step = instance.read(Step, steps + place * Step.bytes);
    const rule = step.rule === SKIPPED_RULE ? null : instance.read(PlanRule, rules + step.rule * PlanRule.bytes);
    const ascending = rule?.ascending === 1;
    if (rule?.kind === RULE_FIELD) entries.push({ kind: 'sort', value: sortValueOf(instance, step), ascending });
    else if (rule?.kind === RULE_GEO) {
      entries.push({ kind: 'geo', distance: step.valueKind === VALUE_POINT ? step.number : null, ascending });
    } else {
      // The score of the last of consecutive rules is that of all.
      if (entries.at(-1)?.kind === 'score') entries.pop();
      entries.push({ kind: 'score', score: step.score * weight, isVector: rule?.kind === RULE_SIMILARITY });
    }
  }
  return entries;
}

function sortValueOf(instance: EngineInstance, { valueKind, number, text, textLength }: StepFields): SortValue {
  if (valueKind === VALUE_NUMBER) return number;
  return valueKind === VALUE_TEXT ? instance.text(text, textLength) : null;
}

/** Negative: the left hit comes first. Hits of different queries never compare as equal. */
export function compareHits(left: ScoredHit, right: ScoredHit): number {
  // Criteria of different kinds, as rules of another instance may have: more criteria win.
  const mixed = () => right.entries.length - left.entries.length || right.weighted - left.weighted;
  return compareEntries(left.entries, right.entries, mixed) || left.position - right.position;
}

/**
 * Negative: the left criteria are better; of lists that are equal as far as both go, the longer one is.
 * @param mixed decides at the first place where the criteria are of different kinds
 */
export function compareEntries(
  left: readonly ScoreEntry[],
  right: readonly ScoreEntry[],
  mixed: (ours: ScoreEntry, theirs: ScoreEntry) => number,
): number {
  const shared = Math.min(left.length, right.length);
  for (let place = 0; place < shared; place++) {
    const order = compareEntry(left[place] as ScoreEntry, right[place] as ScoreEntry);
    if (order === null) return mixed(left[place] as ScoreEntry, right[place] as ScoreEntry);
    if (order !== 0) return order;
  }
  return right.length - left.length;
}

/** null: the criteria are of different kinds. */
function compareEntry(ours: ScoreEntry, theirs: ScoreEntry): number | null {
  if (ours.kind === 'score' && theirs.kind === 'score') {
    return Math.abs(ours.score - theirs.score) > EQUAL_SCORES ? theirs.score - ours.score : 0;
  }
  if (ours.kind === 'score' || theirs.kind === 'score' || ours.ascending !== theirs.ascending) return null;
  if (ours.kind === 'sort' && theirs.kind === 'sort') return compareSortValues(ours.value, theirs.value, ours.ascending);
  if (ours.kind === 'geo' && theirs.kind === 'geo') return compareSortValues(ours.distance, theirs.distance, ours.ascending);
  return null;
}
