import { floatText } from '../format/float-text.js';
import type { Step } from './step.js';

/** Combines the ranks of the rules into one number from 0 to 1; 1 when no rule ranks. */
export function rankedScore(steps: readonly Step[]): number {
  let rank = 1;
  let max = 1;
  for (const step of steps) {
    // With a similarity nothing else is scored.
    if (step.rule.kind === 'vector') return step.similarity ?? 0;
    if (step.max === undefined || step.rank === undefined) continue;
    rank = (rank - 1) * step.max + step.rank;
    max *= step.max;
  }
  return rank / max;
}

/** The score shown for a rule that does not influence the total. */
const NEUTRAL_SCORE = 1;
const MATCH_TYPES = ['noExactMatch', 'matchesStart', 'exactMatch'];

/** Entries of score details as JSON; an entry with the same key is replaced. */
class Entries {
  #keys: string[] = [];
  #members: string[] = [];

  /** @param key in quotes */
  set(key: string, members: string): void {
    const place = this.#keys.indexOf(key);
    if (place >= 0) this.#members[place] = members;
    else {
      this.#keys.push(key);
      this.#members.push(members);
    }
  }

  toString(): string {
    let json = '';
    for (let place = 0; place < this.#keys.length; place++) json += `,${this.#keys[place]}:{${this.#members[place]}}`;
    return `{${json.slice(1)}}`;
  }
}

/**
 * JSON of `_rankingScoreDetails`: an object with one entry per rule, concatenated as text, because building objects would take
 * longer than the rest of the answer.
 * @param displayed names of the fields that may be shown; null: all
 */
export function scoreDetailsJson(steps: readonly Step[], displayed: ReadonlySet<string> | null): string {
  const details = new Entries();
  let order = 0;
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index] as Step;
    const next = steps[index + 1];
    const { rule } = step;
    const rank = step.rank ?? 0;
    const max = step.max ?? 1;
    const score = scoreMember(rank / max);
    const place = `"order":${order}`;
    switch (rule.kind) {
      case 'words':
        details.set('"words"', `${place},"matchingWords":${rank},"maxMatchingWords":${max},${score}`);
        break;
      case 'typo':
        details.set('"typo"', `${place},"typoCount":${max - rank},"maxTypoCount":${max - 1},${score}`);
        break;
      case 'proximity':
        details.set('"proximity"', `${place},${score}`);
        break;
      case 'attributeRank':
      case 'wordPosition': {
        if (!rule.merged) {
          details.set(`"${rule.kind}"`, `${place},${score}`);
          break;
        }
        const part = `${place},"attributeRankingOrderScore":${floatText(rank / max)}`;
        if (next?.rule.kind === 'wordPosition') {
          const distance = floatText((next.rank ?? 0) / (next.max ?? 1));
          details.set('"attribute"', `${part},"queryWordDistanceScore":${distance},${scoreMember(rankedScore([step, next]))}`);
          index++;
        } else {
          details.set('"attribute"', `${part},${score}`);
        }
        break;
      }
      case 'exactAttribute': {
        const words = next?.rule.kind === 'exactWords' ? next : null;
        if (words) index++;
        const match = `${place},"matchType":"${MATCH_TYPES[rank - 1]}"`;
        if (rank === 1 && words) {
          const counts = `"matchingWords":${(words.rank ?? 1) - 1},"maxMatchingWords":${(words.max ?? 1) - 1}`;
          details.set('"exactness"', `${match},${counts},${scoreMember(rankedScore([step, words]))}`);
        } else {
          details.set('"exactness"', `${match},${score}`);
        }
        break;
      }
      case 'field': {
        const hidden = displayed !== null && !displayed.has(rule.path);
        const key = hidden ? `<hidden-rule-${order}>` : `${rule.path}:${rule.ascending ? 'asc' : 'desc'}`;
        const value = hidden ? '<hidden>' : (step.value ?? null);
        details.set(JSON.stringify(key), `${place},${scoreMember(NEUTRAL_SCORE)},"value":${JSON.stringify(value)}`);
        break;
      }
      case 'geo': {
        const key = `_geoPoint(${rule.lat}, ${rule.lng}):${rule.ascending ? 'asc' : 'desc'}`;
        const metres = step.distance ?? null;
        const distance = metres === null ? null : floatText(metres);
        const value = JSON.stringify(step.point ?? null);
        details.set(JSON.stringify(key), `${place},${scoreMember(NEUTRAL_SCORE)},"value":${value},"distance":${distance}`);
        break;
      }
      case 'pin':
        details.set('"pin"', `${place},"position":${rule.position}`);
        break;
      case 'vector': {
        const target = `[${[...rule.target].map(floatText).join()}]`;
        const similarity = step.similarity ?? null;
        const shown = similarity === null ? null : floatText(similarity);
        details.set(
          `"vectorSort(${target})"`,
          `${place},${scoreMember(similarity ?? 0)},"value":${target},"similarity":${shown}`,
        );
        break;
      }
      case 'skipped':
        details.set('"skipped"', place);
        break;
    }
    order++;
  }
  return details.toString();
}

function scoreMember(score: number): string {
  return `"score":${floatText(score)}`;
}
