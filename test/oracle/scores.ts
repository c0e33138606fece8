import type { Point } from './facet-values.js';
import type { Rule } from './rules/list.js';
import type { SortValue } from './rules/sort.js';

/** What one rule said about a document. */
export type Step =
  | { rule: Rule; rank: number; max: number }
  | { rule: Rule & { kind: 'field' }; value: SortValue }
  | { rule: Rule & { kind: 'geo' }; point: Point | null; metres: number | null }
  /** The search was cut off here. */
  | { rule: { kind: 'skipped' }; rank: 0; max: 1 };

export type RankedStep = Step & { rank: number; max: number };
export type Details = Record<string, Record<string, unknown>>;

export const isRanked = (step: Step): step is RankedStep => 'max' in step;

/** Combines ranks to one score: each refines the ranks before it. */
export function fold(steps: readonly Step[]): number {
  let rank = 1;
  let max = 1;
  for (const step of steps) {
    if (!isRanked(step)) continue;
    rank = (rank - 1) * step.max + step.rank;
    max *= step.max;
  }
  return rank / max;
}

const MATCH_TYPES: Record<number, string> = { 1: 'noExactMatch', 2: 'matchesStart', 3: 'exactMatch' };

/** `_rankingScoreDetails`; what sorts has the neutral score 1 and hides fields that are not displayed. */
export function details(steps: readonly Step[], displayed: readonly string[] | null): Details {
  const out: Details = {};
  let order = 0;
  for (let k = 0; k < steps.length; k++, order++) {
    const step = steps[k] as Step;
    const next = steps[k + 1];
    if (isRanked(step)) {
      const both = next && joins(step, next) ? next : null;
      if (both) k++;
      const [key, fields] = rankedEntry(step, both);
      out[key] = key === 'skipped' ? { order } : { order, ...fields };
    } else {
      const [key, fields] = sortEntry(step, order, displayed);
      out[key] = { order, score: 1, ...fields };
    }
  }
  return out;
}

/** Rules of two halves that are shown as one. */
function joins(step: Step, next: Step): next is RankedStep {
  const { rule } = step;
  if (rule.kind === 'exactAttribute') return next.rule.kind === 'exactWords';
  return rule.kind === 'attributeRank' && rule.merged && next.rule.kind === 'wordPosition';
}

function rankedEntry(step: RankedStep, next: RankedStep | null): [string, Record<string, unknown>] {
  const { rule, rank, max } = step;
  const score = rank / max;
  switch (rule.kind) {
    case 'words':
      return ['words', { matchingWords: rank, maxMatchingWords: max, score }];
    case 'typo':
      return ['typo', { typoCount: max - rank, maxTypoCount: max - 1, score }];
    case 'exactAttribute':
      if (!next || rank > 1) return ['exactness', { matchType: MATCH_TYPES[rank], score }];
      return [
        'exactness',
        { matchType: MATCH_TYPES[rank], matchingWords: next.rank - 1, maxMatchingWords: next.max - 1, score: fold([step, next]) },
      ];
    case 'attributeRank':
      if (!rule.merged) return [rule.kind, { score }];
      return [
        'attribute',
        {
          attributeRankingOrderScore: score,
          ...(next && { queryWordDistanceScore: next.rank / next.max }),
          score: next ? fold([step, next]) : score,
        },
      ];
    default:
      return [rule.kind, { score }];
  }
}

function sortEntry(
  step: Exclude<Step, RankedStep>,
  order: number,
  displayed: readonly string[] | null,
): [string, Record<string, unknown>] {
  if ('value' in step) {
    const { field, direction } = step.rule;
    if (displayed && !displayed.includes(field)) return [`<hidden-rule-${order}>`, { value: '<hidden>' }];
    return [`${field}:${direction}`, { value: step.value }];
  }
  if (!('point' in step)) throw new Error('a ranked step is no sort entry');
  const { point, direction } = step.rule;
  return [`_geoPoint(${point.lat}, ${point.lng}):${direction}`, { value: step.point, distance: step.metres }];
}
