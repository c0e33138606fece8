import type { IndexSettings } from '../index-types.js';
import { own } from '../own.js';
import type { MatchingStrategy } from '../query/request.js';
import type { SortItem } from '../query/sort.js';

/** A ranking rule, in the order of application. */
export type Rule =
  | { kind: 'words' | 'typo' | 'proximity' | 'exactAttribute' | 'exactWords' }
  | { kind: 'attributeRank' | 'wordPosition'; merged: boolean }
  | SortItem
  | { kind: 'vector'; target: Float32Array };

/** Whether it sorts by values. Without a query only these rules apply. */
export const isSorting = (rule: Rule): rule is SortItem => rule.kind === 'field' || rule.kind === 'geo';

/** The engine's rules for each rule of the settings; `words` always comes first. */
const RELEVANCY: Record<string, readonly Rule[]> = {
  words: [],
  typo: [{ kind: 'typo' }],
  proximity: [{ kind: 'proximity' }],
  attribute: [
    { kind: 'attributeRank', merged: true },
    { kind: 'wordPosition', merged: true },
  ],
  attributeRank: [{ kind: 'attributeRank', merged: false }],
  wordPosition: [{ kind: 'wordPosition', merged: false }],
  exactness: [{ kind: 'exactAttribute' }, { kind: 'exactWords' }],
};

/** By rule: rules that make it redundant when they precede it. */
const EXCLUDED_BY: Record<string, readonly string[]> = {
  attribute: ['attributeRank', 'wordPosition'],
  attributeRank: ['attribute'],
  wordPosition: ['attribute'],
};

/**
 * The rules of a keyword search, from the index's ranking rules and the request's sort. Without a query only the {@link
 * isSorting} ones apply.
 */
export function rulesOf({ rankingRules }: IndexSettings, sort: readonly SortItem[], strategy: MatchingStrategy): Rule[] {
  const rules: Rule[] = [];
  const seen = new Set<string>();
  const sorted = new Set<string>();
  const addSort = (rule: SortItem): void => {
    if (rule.kind === 'field') {
      if (sorted.has(rule.path)) return;
      sorted.add(rule.path);
    }
    rules.push(rule);
  };
  for (const name of rankingRules) {
    const custom = /^(.*):(asc|desc)$/s.exec(name);
    if (custom) {
      addSort({ kind: 'field', path: custom[1] as string, ascending: custom[2] === 'asc' });
      continue;
    }
    if (seen.has(name)) continue;
    if (name === 'sort') {
      seen.add(name);
      for (const item of sort) addSort(item);
      continue;
    }
    const steps = own(RELEVANCY, name);
    if (!steps || own(EXCLUDED_BY, name)?.some((other) => seen.has(other))) continue;
    if (!seen.has('words')) {
      seen.add('words');
      if (strategy !== 'all') rules.push({ kind: 'words' });
    }
    seen.add(name);
    rules.push(...steps);
  }
  return rules;
}
