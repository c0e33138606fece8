import { floatText } from '../format/float-text.js';
import type { Step } from './step.js';

/** The ranks of the rules folded into one number from 0 to 1; 1 when no rule ranks. */
export function rankedScore(steps: readonly Step[]): number {
  let rank = 1;
  let max = 1;
  for (const step of steps) {
    if (step.max === undefined || step.rank === undefined) continue;
    rank = (rank - 1) * step.max + step.rank;
    max *= step.max;
  }
  return rank / max;
}

/** What a rule that does not influence the score shows as its score. */
const NEUTRAL_SCORE = 1;
const MATCH_TYPES = ['noExactMatch', 'matchesStart', 'exactMatch'];

/** Members of details that are written as floats, whole ones too. */
const FLOATS: ReadonlySet<string> = new Set([
  'score',
  'attributeRankingOrderScore',
  'queryWordDistanceScore',
  'similarity',
  'distance',
]);

/**
 * JSON of `_rankingScoreDetails`: an object with one entry a rule. `displayed`: names of the fields that may be shown, null for all.
 */
export function scoreDetailsJson(steps: readonly Step[], displayed: ReadonlySet<string> | null): string {
  const entries = Object.entries(scoreDetails(steps, displayed)).map(
    ([key, entry]) => `${JSON.stringify(key)}:{${Object.entries(entry).map(memberJson).join()}}`,
  );
  return `{${entries.join()}}`;
}

function memberJson([name, value]: [string, unknown]): string {
  const isFloat = typeof value === 'number' && FLOATS.has(name);
  return `"${name}":${isFloat ? floatText(value) : JSON.stringify(value)}`;
}

function scoreDetails(steps: readonly Step[], displayed: ReadonlySet<string> | null): Record<string, object> {
  const details: Record<string, object> = {};
  let order = 0;
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index] as Step;
    const next = steps[index + 1];
    const { rule } = step;
    const rank = step.rank ?? 0;
    const max = step.max ?? 1;
    const score = rank / max;
    switch (rule.kind) {
      case 'words':
        details.words = { order, matchingWords: rank, maxMatchingWords: max, score };
        break;
      case 'typo':
        details.typo = { order, typoCount: max - rank, maxTypoCount: max - 1, score };
        break;
      case 'proximity':
        details.proximity = { order, score };
        break;
      case 'attributeRank':
      case 'wordPosition':
        if (!rule.merged) {
          details[rule.kind] = { order, score };
        } else if (next?.rule.kind === 'wordPosition') {
          const distance = (next.rank ?? 0) / (next.max ?? 1);
          const both = rankedScore([step, next]);
          details.attribute = { order, attributeRankingOrderScore: score, queryWordDistanceScore: distance, score: both };
          index++;
        } else {
          details.attribute = { order, attributeRankingOrderScore: score, score };
        }
        break;
      case 'exactAttribute': {
        const words = next?.rule.kind === 'exactWords' ? next : null;
        if (words) index++;
        const matchType = MATCH_TYPES[rank - 1];
        if (rank === 1 && words) {
          const matchingWords = (words.rank ?? 1) - 1;
          const maxMatchingWords = (words.max ?? 1) - 1;
          details.exactness = { order, matchType, matchingWords, maxMatchingWords, score: rankedScore([step, words]) };
        } else {
          details.exactness = { order, matchType, score };
        }
        break;
      }
      case 'field': {
        const hidden = displayed !== null && !displayed.has(rule.path);
        const key = hidden ? `<hidden-rule-${order}>` : `${rule.path}:${rule.ascending ? 'asc' : 'desc'}`;
        Object.assign(details, { [key]: { order, score: NEUTRAL_SCORE, value: hidden ? '<hidden>' : (step.value ?? null) } });
        break;
      }
      case 'geo': {
        const key = `_geoPoint(${rule.lat}, ${rule.lng}):${rule.ascending ? 'asc' : 'desc'}`;
        const value = { order, score: NEUTRAL_SCORE, value: step.point ?? null, distance: step.distance ?? null };
        Object.assign(details, { [key]: value });
        break;
      }
      case 'pin':
        details.pin = { order, position: rule.position };
        break;
      case 'skipped':
        details.skipped = { order };
        break;
    }
    order++;
  }
  return details;
}
